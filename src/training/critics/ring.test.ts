// Tests the ring buffer with the replay memory of a mixing critic: which trajectories it keeps and draws, and its
// conversion to plain data and back.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { mixingReplay, type MixingReplay, type Transcript } from './mixingRows.ts';

const transcript = (n: number): Transcript => ({
  ids: Uint16Array.from({ length: 2 + (n % 3) }, (_, t) => n * 10 + t),
  rounds: Array.from({ length: n % 3 }, (_, r) => ({
    stateAt: r,
    reward: n / 7,
    messages: r === 1 ? [] : [{ agent: r, turn: r, from: 0, to: 2 }],
  })),
});
const transcripts = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => transcript(from + i));
const drawn = (replay: MixingReplay, count = 400) =>
  replay.sample(count, new Draws(1, streams.replay, 0)).map(({ ids }) => Math.floor((ids[0] as number) / 10));

describe('the replay', () => {
  it('keeps the newest dialogues and draws among all of them alike', () => {
    const replay = mixingReplay({ size: 4, agents: 2 });
    expect(replay.sample(3, new Draws(1, streams.replay, 0))).toEqual([]);
    replay.add(transcripts(0, 3));
    expect(new Set(drawn(replay))).toEqual(new Set([0, 1, 2]));
    replay.add(transcripts(3, 6));
    expect(replay.count).toBe(4);
    const counts = new Map<number, number>();
    for (const n of drawn(replay, 4000)) counts.set(n, (counts.get(n) ?? 0) + 1);
    expect([...counts.keys()].sort()).toEqual([2, 3, 4, 5]);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(120);
  });

  it('comes back from its state as it was, and overwrites on where it stood', () => {
    const replay = mixingReplay({ size: 5, agents: 2 });
    replay.add(transcripts(0, 8));
    const restored = mixingReplay({ size: 5, agents: 2 }, structuredClone(replay.state()));
    expect(restored.state()).toEqual(replay.state());
    expect(restored.sample(20, new Draws(2, streams.replay, 1))).toEqual(
      replay.sample(20, new Draws(2, streams.replay, 1)),
    );
    for (const of of [replay, restored]) of.add(transcripts(8, 10));
    expect(restored.state()).toEqual(replay.state());
    expect(new Set(drawn(restored))).toEqual(new Set([5, 6, 7, 8, 9]));
  });

  it('of another size has the newest dialogues, and overwrites the oldest of them first', () => {
    const replay = mixingReplay({ size: 5, agents: 2 });
    replay.add(transcripts(0, 8));
    for (const [size, kept] of [
      [3, [5, 6, 7]],
      [5, [3, 4, 5, 6, 7]],
      [9, [3, 4, 5, 6, 7]],
    ] as const) {
      const other = mixingReplay({ size, agents: 2 }, replay.resized(size).state());
      expect(new Set(drawn(other))).toEqual(new Set(kept));
      other.add(transcripts(8, 10));
      expect(new Set(drawn(other))).toEqual(new Set([...kept, 8, 9].slice(-size)));
    }
    expect(new Set(drawn(replay))).toEqual(new Set([3, 4, 5, 6, 7]));
  });

  it('refuses numbers that do not add up, or point beyond what they are of, with what to do', () => {
    const replay = mixingReplay({ size: 5, agents: 2 });
    replay.add(transcripts(0, 5));
    const state = replay.state();
    const damaged = (changed: Partial<typeof state>, message: RegExp, limits = { size: 5, agents: 2 }) => {
      const restore = () => mixingReplay(limits, { ...state, ...changed });
      expect(restore).toThrow(StorageError);
      expect(restore).toThrow(message);
      expect(restore).toThrow(/; start a new run with the same settings\.$/);
    };
    damaged({ facts: state.facts.slice(0, -1) }, /at least \d+ numbers, got/);
    damaged({ rewards: state.rewards.slice(1) }, /expected 4 rewards, got 3/);
    damaged({ rewards: Float64Array.of(...state.rewards, 1) }, /expected 4 rewards, got 5/);
    damaged({ rewards: state.rewards.map((_, i) => (i === 0 ? Number.NaN : 1)) }, /finite rewards/);
    damaged({ stored: 4 }, /expected 4 dialogues, got 5/);
    damaged({}, /expected 4 dialogues, got 5/, { size: 4, agents: 2 });
    damaged({}, /agent numbers below 0, got 0/, { size: 5, agents: 0 });
    // The numbers below describe dialogue 1: 3 tokens, then 1 round with the column of its state, then 1 message with 4
    // numbers.
    const at = (place: number, fact: number) => state.facts.map((old, i) => (i === 4 + place ? fact : old));
    expect([...state.facts.subarray(4, 14)]).toEqual([3, 10, 11, 12, 1, 0, 1, 0, 0, 0]);
    damaged({ facts: at(5, 3) }, /a state column below 3, got 3/);
    damaged({ facts: at(9, 3) }, /messages within 3 tokens, got columns 3 to 2/);
    damaged({ facts: at(10, 4) }, /messages within 3 tokens, got columns 0 to 4/);
  });

  it('of whatever numbers comes back whole or is refused', () => {
    const facts = fc.array(fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 65535 })), {
      maxLength: 40,
    });
    const rewards = fc.array(fc.double(), { maxLength: 5 });
    fc.assert(
      fc.property(facts, rewards, fc.nat({ max: 6 }), (packed, paid, stored) => {
        const state = { stored, facts: Uint16Array.from(packed), rewards: Float64Array.from(paid) };
        try {
          expect(mixingReplay({ size: 5, agents: 2 }, state).state()).toEqual(state);
        } catch (error) {
          expect(error).toBeInstanceOf(StorageError);
        }
      }),
    );
  });
});
