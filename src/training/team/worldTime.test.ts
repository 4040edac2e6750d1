// Tests that the time of every call to a world is measured, whether the call returns immediately, returns a promise, or
// throws an error.
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { worlds } from '../../tasks/registry.ts';
import type { World } from '../../tasks/world.ts';
import { timedWorld as timedBy, WorldClock } from './worldTime.ts';

const { houseRule } = worlds;
const problem = houseRule.draw(1, new Draws(1, streams.control, 1), 'training');
const said = { role: 'reasoning', text: '3', isFinish: false } as const;

/** Computes for at least this many milliseconds. */
function work(ms: number): void {
  for (const from = performance.now(); performance.now() - from < ms;);
}

const clock = new WorldClock();
const timedWorld = (world: World) => timedBy(world, clock);

async function spent(work: () => unknown): Promise<number> {
  const before = clock.ms;
  await work();
  return clock.ms - before;
}

describe('the time of a world', () => {
  it('gives the same answers as the world itself', async () => {
    const world = timedWorld(houseRule);
    expect(world.view(problem, ['rule'])).toBe(houseRule.view(problem, ['rule']));
    expect(await world.judge(problem, said)).toEqual(await houseRule.judge(problem, said));
    expect('react' in world).toBe('react' in houseRule);
  });

  it('is that of a call, at once or promised, and stands still between calls', async () => {
    const world = timedWorld({
      ...houseRule,
      view: () => (work(4), ''),
      judge: () => new Promise((resolve) => setTimeout(resolve, 8, { answer: null, isRight: false, score: 0 })),
    });
    expect(await spent(() => world.view(problem, []))).toBeGreaterThanOrEqual(4);
    expect(await spent(() => world.judge(problem, said))).toBeGreaterThanOrEqual(6);
    const before = clock.ms;
    work(3);
    expect(clock.ms).toBe(before);
  });

  it('counts calls that overlap once', async () => {
    let [begun, ended] = [0, 0];
    const world = timedWorld({
      ...houseRule,
      judge: async () => {
        begun ||= performance.now();
        await new Promise((resolve) => setTimeout(resolve, 8));
        ended = performance.now();
        return { answer: null, isRight: false, score: 0 };
      },
    });
    const ms = await spent(() => Promise.all([1, 2, 3, 4].map(() => world.judge(problem, said))));
    expect(ms).toBeGreaterThanOrEqual(ended - begun);
    expect(ms).toBeLessThan(2 * (ended - begun));
  });

  it('ends with a call that throws', async () => {
    const fails = () => {
      throw new Error('no');
    };
    const world = timedWorld({ ...houseRule, view: fails, judge: () => Promise.reject(new Error('no')) });
    const message = /^House-rule arithmetic: (view|judge) threw “Error: no” on the problem .*\|.* of level 1; correct/;
    expect(() => world.view(problem, [])).toThrow(message);
    await expect(world.judge(problem, said)).rejects.toMatchObject({
      name: 'WorldError',
      message: expect.stringMatching(message) as string,
    });
    const before = clock.ms;
    work(2);
    expect(clock.ms).toBe(before);
  });
});
