// What a joint critic remembers: the same rows come out that went in, the oldest give way, and packing loses nothing.
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { CriticMemory, recallRows, rememberedRows, type Remembered } from './criticMemory.ts';
import type { RowBatch } from '../rows/rows.ts';

const dialogue = (ids: number[], columns: number[], returns: number[]): Remembered => ({
  ...{ ids: Uint16Array.from(ids), columns: Uint16Array.from(columns), returns: Float64Array.from(returns) },
});
/** Told apart by their first token. */
const numbered = (n: number) => dialogue([n, 65535, 3], [1, 2], [n / 7, -1 / 3]);

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

describe('rows', () => {
  it('are kept up to their last value, with the return of each turn', () => {
    expect(rememberedRows(batch, returns)).toEqual([
      dialogue([5, 6, 7, 8, 9], [1, 4], [0.25, 1]),
      dialogue([5, 6, 7], [2], [-2]),
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

describe('the memory', () => {
  const firsts = (memory: CriticMemory) => {
    const drawn = memory.sample(500, new Draws(1, streams.control, 0));
    return [...new Set(drawn.map(({ ids }) => ids[0]))].sort((a, b) => Number(a) - Number(b));
  };

  it('holds the newest dialogues and draws from all of them', () => {
    const memory = new CriticMemory(3);
    expect(memory.sample(4, new Draws(1, streams.control, 0))).toEqual([]);
    memory.add([1, 2].map(numbered));
    expect(firsts(memory)).toEqual([1, 2]);
    memory.add([3, 4, 5].map(numbered));
    expect(memory.count).toBe(3);
    expect(firsts(memory)).toEqual([3, 4, 5]);
    expect(memory.bytes).toBe(3 * (6 + 4 + 16));
  });

  it('goes on from its packed state as if nothing had happened', () => {
    const memory = new CriticMemory(3);
    memory.add([1, 2, 3, 4].map(numbered));
    memory.add([dialogue([], [], [])]);
    const restored = CriticMemory.of(structuredClone(memory.state()), 3);
    for (const one of [memory, restored]) one.add([numbered(6)]);
    expect(restored.state()).toEqual(memory.state());
    const draw = (one: CriticMemory) => one.sample(20, new Draws(9, streams.control, 2));
    expect(draw(restored)).toEqual(draw(memory));
  });

  it('refuses a state that does not add up', () => {
    const memory = new CriticMemory(3);
    memory.add([1, 2].map(numbered));
    const state = memory.state();
    const refused = (changed: object, message: RegExp) => {
      expect(() => CriticMemory.of({ ...state, ...changed }, 3)).toThrow(message);
    };
    refused({ facts: state.facts.slice(0, -1) }, /facts/);
    refused({ facts: Uint16Array.of(1, 5, 1, 1) }, /columns within/);
    refused({ returns: state.returns.slice(0, 3) }, /4 returns/);
    refused({ returns: Float64Array.of(1, 2, 3, 4, 5) }, /4 returns/);
    refused({ stored: 1 }, /1 dialogues/);
    expect(() => CriticMemory.of(state, 1)).toThrow(/criticMemory/);
  });
});
