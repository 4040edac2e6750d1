import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { exchangesBefore, networkOfAgents } from './team.ts';

describe('role exchange', () => {
  const players = (iteration: number, swapEvery = 5) => networkOfAgents(iteration, { agents: 2, swapEvery });

  it('swaps two networks every five iterations, at the boundary', () => {
    expect(Array.from({ length: 12 }, (_, i) => players(i)[0])).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0]);
  });
  it('always gives every agent a network of its own', () => {
    for (let agents = 1; agents <= 8; agents++)
      for (let iteration = 0; iteration < 20; iteration++) {
        const got = networkOfAgents(iteration, { agents, swapEvery: 3 });
        expect(new Set(got).size).toBe(agents);
        expect(Math.max(...got)).toBe(agents - 1);
      }
  });
  it('follows from the iteration alone: a run resumed anywhere stands where it stood', () => {
    let played = players(0);
    for (let iteration = 1; iteration < 40; iteration++) {
      if (iteration % 5 === 0) played = [played[1] as number, played[0] as number];
      expect(players(iteration)).toEqual(played);
    }
  });
  it('never happens with 0, and is refused for parts of an iteration', () => {
    expect(exchangesBefore(1000, 0)).toBe(0);
    for (const swapEvery of [-1, 2.5]) expect(() => exchangesBefore(1, swapEvery)).toThrow(ConfigError);
  });
});
