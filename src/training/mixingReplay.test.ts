// The ring of dialogues: what it keeps, what it draws, and that it comes back from plain data as it was.
import { describe, expect, it } from 'vitest';
import { ShapeError } from '../base/errors.ts';
import { Draws, streams } from '../base/random.ts';
import { MixingReplay } from './mixingReplay.ts';
import type { Episode } from './mixingRows.ts';

const episode = (n: number): Episode => ({
  ids: Uint16Array.from({ length: 2 + (n % 3) }, (_, t) => n * 10 + t),
  rounds: Array.from({ length: n % 3 }, (_, r) => ({
    stateAt: r,
    reward: n / 7,
    messages: r === 1 ? [] : [{ agent: r, turn: r, from: 0, to: 2 }],
  })),
});
const episodes = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => episode(from + i));
const drawn = (replay: MixingReplay, count = 400) =>
  replay.sample(count, new Draws(1, streams.replay, 0)).map(({ ids }) => Math.floor((ids[0] as number) / 10));

describe('the replay', () => {
  it('keeps the newest dialogues and draws among all of them alike', () => {
    const replay = new MixingReplay(4);
    expect(replay.sample(3, new Draws(1, streams.replay, 0))).toEqual([]);
    replay.add(episodes(0, 3));
    expect(new Set(drawn(replay))).toEqual(new Set([0, 1, 2]));
    replay.add(episodes(3, 6));
    expect(replay.count).toBe(4);
    const counts = new Map<number, number>();
    for (const n of drawn(replay, 4000)) counts.set(n, (counts.get(n) ?? 0) + 1);
    expect([...counts.keys()].sort()).toEqual([2, 3, 4, 5]);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(120);
  });

  it('comes back from its state as it was, and overwrites on where it stood', () => {
    const replay = new MixingReplay(5);
    replay.add(episodes(0, 8));
    const restored = MixingReplay.of(structuredClone(replay.state()), 5);
    expect(restored.state()).toEqual(replay.state());
    expect(restored.sample(20, new Draws(2, streams.replay, 1))).toEqual(replay.sample(20, new Draws(2, streams.replay, 1))); // prettier-ignore
    for (const of of [replay, restored]) of.add(episodes(8, 10));
    expect(restored.state()).toEqual(replay.state());
    expect(new Set(drawn(restored))).toEqual(new Set([5, 6, 7, 8, 9]));
  });

  it('refuses numbers that do not add up', () => {
    const replay = new MixingReplay(5);
    replay.add(episodes(0, 5));
    const state = replay.state();
    expect(() => MixingReplay.of({ ...state, facts: state.facts.slice(0, -1) }, 5)).toThrow(ShapeError);
    expect(() => MixingReplay.of({ ...state, rewards: state.rewards.slice(1) }, 5)).toThrow(ShapeError);
    expect(() => MixingReplay.of({ ...state, rewards: Float64Array.of(...state.rewards, 1) }, 5)).toThrow(ShapeError);
    expect(() => MixingReplay.of(state, 4)).toThrow(/learning\.replaySize/);
  });
});
