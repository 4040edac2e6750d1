// What critics learn from again and again: what a ring keeps, what it draws, and that it comes back from plain data as it was.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShapeError, StorageError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { criticMemory, recallRows, rememberedRows, type Remembered } from './jointCritic.ts';
import { mixingReplay, type MixingReplay, type Transcript } from './mixingRows.ts';
import type { RowBatch } from '../rows/rows.ts';

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
    expect(restored.sample(20, new Draws(2, streams.replay, 1))).toEqual(replay.sample(20, new Draws(2, streams.replay, 1))); // prettier-ignore
    for (const of of [replay, restored]) of.add(transcripts(8, 10));
    expect(restored.state()).toEqual(replay.state());
    expect(new Set(drawn(restored))).toEqual(new Set([5, 6, 7, 8, 9]));
  });

  it('refuses numbers that do not add up, or point beyond what they are of, with what to do', () => {
    const replay = mixingReplay({ size: 5, agents: 2 });
    replay.add(transcripts(0, 5));
    const state = replay.state();
    const damaged = (changed: Partial<typeof state>, message: RegExp, limits = { size: 5, agents: 2 }) => {
      const restore = () => mixingReplay(limits, { ...state, ...changed });
      expect(restore).toThrow(StorageError);
      expect(restore).toThrow(message);
      expect(restore).toThrow(/; start a new run with its settings\.$/);
    };
    damaged({ facts: state.facts.slice(0, -1) }, /numbers or more, got/);
    damaged({ rewards: state.rewards.slice(1) }, /expected 4 rewards, got 3/);
    damaged({ rewards: Float64Array.of(...state.rewards, 1) }, /expected 4 rewards, got 5/);
    damaged({ rewards: state.rewards.map((_, i) => (i === 0 ? Number.NaN : 1)) }, /finite rewards/);
    damaged({ stored: 4 }, /expected 4 dialogues, got 5/);
    damaged({}, /expected 4 dialogues, got 5/, { size: 4, agents: 2 });
    damaged({}, /agents below 0, got 0/, { size: 5, agents: 0 });
    // Dialogue 1 lies from 3 on: 3 tokens, 1 round, its state, 1 message of 4 numbers.
    const at = (place: number, fact: number) => state.facts.map((old, i) => (i === 4 + place ? fact : old));
    expect([...state.facts.subarray(4, 14)]).toEqual([3, 10, 11, 12, 1, 0, 1, 0, 0, 0]);
    damaged({ facts: at(5, 3) }, /a state within 3 tokens, got column 3/);
    damaged({ facts: at(9, 3) }, /messages within 3 tokens, got columns 3 to 2/);
    damaged({ facts: at(10, 4) }, /messages within 3 tokens, got columns 0 to 4/);
  });

  it('of whatever numbers comes back whole or is refused', () => {
    const facts = fc.array(fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 65535 })), { maxLength: 40 }); // prettier-ignore
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

const remembered = (ids: number[], columns: number[], returns: number[]): Remembered => ({
  ...{ ids: Uint16Array.from(ids), columns: Uint16Array.from(columns), returns: Float64Array.from(returns) },
});
/** Told apart by their first token. */
const numbered = (n: number) => remembered([n, 65535, 3], [1, 2], [n / 7, -1 / 3]);

// Two joint rows by hand: [5 6 7 8 9] with values of turns 0 and 1 at columns 1 and 4, [5 6 7] of turn 0 at 2.
const batch: RowBatch = {
  ...{ rows: 2, length: 5 },
  ids: Int32Array.of(5, 6, 7, 8, 9, 5, 6, 7, 0, 0),
  targets: Int32Array.of(6, 7, 8, 9, 0, 6, 7, 0, 0, 0),
  actionMask: Float32Array.of(0, 1, 0, 0, 1, 0, 0, 1, 0, 0),
  turnIds: Int32Array.of(-1, 0, -1, -1, 1, -1, -1, 0, -1, -1),
  oldLogprobs: new Float32Array(10),
  trajectoryIds: Int32Array.of(0, 1),
  agentIds: new Int32Array(2),
};
const returns = [Float64Array.of(0.25, 1), Float64Array.of(-2)];

describe('rows that a joint critic remembers', () => {
  it('are kept up to their last value, with the return of each turn', () => {
    expect(rememberedRows(batch, returns)).toEqual([
      remembered([5, 6, 7, 8, 9], [1, 4], [0.25, 1]),
      remembered([5, 6, 7], [2], [-2]),
    ]);
  });

  it('come back as they were, each return at its column', () => {
    const recalled = recallRows(rememberedRows(batch, returns));
    expect(recalled.batch).toEqual(batch);
    expect([...recalled.returns]).toEqual([0, 0.25, 0, 0, 1, 0, 0, -2, 0, 0]);
  });

  it('drawn twice are two trajectories', () => {
    const [one] = rememberedRows(batch, returns) as [Remembered];
    const { batch: twice, returns: targets } = recallRows([one, one]);
    expect([...twice.trajectoryIds]).toEqual([0, 1]);
    expect([...targets.subarray(0, 5)]).toEqual([...targets.subarray(5)]);
  });

  it('of nothing are no rows', () => {
    expect(recallRows([]).batch.rows).toBe(0);
  });
});

describe('the memory of a joint critic', () => {
  const memory = criticMemory(3);
  memory.add([1, 2, 3, 4].map(numbered));
  memory.add([remembered([], [], [])]);

  it('comes back from its packed state, and overwrites on where it stood', () => {
    const restored = criticMemory(3, structuredClone(memory.state()));
    for (const one of [memory, restored]) one.add([numbered(6)]);
    expect(restored.state()).toEqual(memory.state());
    const draw = (one: typeof memory) => one.sample(20, new Draws(9, streams.control, 2));
    expect(draw(restored)).toEqual(draw(memory));
    expect(memory.bytes).toBe(2 * (2 * (1 + 3 + 1 + 2) + 8 * 2) + 2 * 2); // one of them is empty
  });

  it('refuses a state that does not add up', () => {
    const two = criticMemory(3);
    two.add([1, 2].map(numbered));
    const state = two.state();
    const refused = (changed: object, message: RegExp, size = 3) => {
      expect(() => criticMemory(size, { ...state, ...changed })).toThrow(ShapeError);
      expect(() => criticMemory(size, { ...state, ...changed })).toThrow(message);
    };
    refused({ facts: state.facts.slice(0, -1) }, /facts/);
    refused({ facts: Uint16Array.of(1, 5, 1, 1) }, /columns within/);
    refused({ returns: state.returns.slice(0, 3) }, /4 returns/);
    refused({ returns: Float64Array.of(1, 2, 3, 4, 5) }, /4 returns/);
    refused({ stored: 1 }, /1 dialogues/);
    refused({}, /criticMemory/, 1);
  });
});
