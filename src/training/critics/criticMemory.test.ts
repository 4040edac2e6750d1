// Tests the memory in which critics store tracks, and its conversion to plain data and back.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import type { RowBatch } from '../rows/rows.ts';
import type { Track } from '../rows/tracks.ts';
import { criticMemory, recalled, remembered, type Remembered } from './criticMemory.ts';

type Row = [ids: number[], columns: number[], steps: number[]];
const memoryOf = (rows: Row[], rewards: number[]): Remembered => ({
  rows: rows.map(([ids, columns, steps]) => ({
    ...{ ids: Uint16Array.from(ids), columns: Uint16Array.from(columns), steps: Uint16Array.from(steps) },
  })),
  rewards: Float64Array.from(rewards),
});
/** A stored track whose first token is `n`, so that tracks can be distinguished. */
const numbered = (n: number) =>
  memoryOf(
    [
      [
        [n, 65535, 3],
        [1, 2],
        [0, 1],
      ],
    ],
    [n / 7, -1 / 3],
  );

// Three rows written by hand: [5 6 7 8 9] and [5 6 7] belong to one trajectory, [4 3] to another.
const batch: RowBatch = {
  ...{ rows: 3, length: 5 },
  ids: Int32Array.of(5, 6, 7, 8, 9, 5, 6, 7, 0, 0, 4, 3, 0, 0, 0),
  targets: new Int32Array(15),
  actionMask: Float32Array.of(0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0),
  turnIds: Int32Array.of(-1, 0, -1, 0, 1, -1, -1, 2, -1, -1, 0, -1, -1, -1, -1),
  oldLogprobs: new Float32Array(15),
  trajectoryIds: Int32Array.of(0, 0, 1),
  agentIds: new Int32Array(3),
};
/**
 * The first step of the first track consists of two simultaneous turns. The last step of this track is in another row.
 */
const tracks: Track[] = [
  { places: [[1, 3], [4], [7]], rewards: [0.25, 0, 1] },
  { places: [[10]], rewards: [-2] },
];

describe('what a critic remembers of a track', () => {
  it('are its rows up to the last value of each, the step of each value, and what steps earned', () => {
    expect(tracks.map((track) => remembered(batch, track))).toEqual([
      memoryOf(
        [
          [
            [5, 6, 7, 8, 9],
            [1, 3, 4],
            [0, 0, 1],
          ],
          [[5, 6, 7], [2], [2]],
        ],
        [0.25, 0, 1],
      ),
      memoryOf([[[4], [0], [0]]], [-2]),
    ]);
  });

  it('comes back as it was, each track a trajectory of its own', () => {
    const back = recalled(tracks.map((track) => remembered(batch, track)));
    expect(back.tracks).toEqual(tracks.map(({ places, rewards }) => ({ places, rewards: Float64Array.from(rewards) })));
    expect(back.batch.ids).toEqual(Int32Array.of(5, 6, 7, 8, 9, 5, 6, 7, 0, 0, 4, 0, 0, 0, 0));
    expect(back.batch.actionMask).toEqual(batch.actionMask);
    expect(back.batch.trajectoryIds).toEqual(batch.trajectoryIds);
    const [one] = tracks.map((track) => remembered(batch, track)) as [Remembered];
    const twice = recalled([one, one]);
    expect([...twice.batch.trajectoryIds]).toEqual([0, 0, 1, 1]);
    expect(twice.tracks[1]?.places).toEqual([[11, 13], [14], [17]]);
    expect(recalled([]).batch.rows).toBe(0);
  });

  it('cannot be of rows longer than a memory counts', () => {
    expect(() => remembered({ ...batch, length: 2 ** 16 + 1 }, { places: [], rewards: [] })).toThrow(ShapeError);
  });
});

describe('the memory of a critic', () => {
  const memory = criticMemory(3);
  memory.add([1, 2, 3, 4].map(numbered));
  memory.add([memoryOf([], [])]);

  it('comes back from its packed state, and overwrites on where it stood', () => {
    const restored = criticMemory(3, structuredClone(memory.state()));
    for (const one of [memory, restored]) one.add([numbered(6)]);
    expect(restored.state()).toEqual(memory.state());
    const draw = (one: typeof memory) => one.sample(20, new Draws(9, streams.control, 2));
    expect(draw(restored)).toEqual(draw(memory));
    expect(memory.bytes).toBe(2 * (2 * (1 + 1 + 3 + 1 + 2 + 2) + 8 * 2) + 2); // one of the two tracks is empty
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
    refused({ facts: Uint16Array.of(1, 1, 5, 1, 1, 0) }, /columns below/);
    refused({ facts: Uint16Array.of(1, 1, 5, 1, 0, 1) }, /a value at each of 2 steps, got 1/);
    refused({ rewards: state.rewards.slice(0, 3) }, /4 rewards/);
    refused({ rewards: Float64Array.of(1, 2, 3, 4, 5) }, /4 rewards/);
    refused({ stored: 1 }, /1 dialogues/);
    refused({}, /criticMemory/, 1);
  });

  it('of whatever numbers comes back whole or is refused', () => {
    const facts = fc.array(fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 65535 })), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(facts, fc.array(fc.double(), { maxLength: 4 }), fc.nat({ max: 6 }), (packed, earned, stored) => {
        const state = { stored, facts: Uint16Array.from(packed), rewards: Float64Array.from(earned) };
        try {
          expect(criticMemory(5, state).state()).toEqual(state);
        } catch (error) {
          expect(error).toBeInstanceOf(ShapeError);
        }
      }),
    );
  });
});
