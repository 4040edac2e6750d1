import { sampleProblem } from '../records/testing/arbitrary.ts';
import fc from 'fast-check';
import { gzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../base/errors.ts';
import { trajectories } from '../records/testing/arbitrary.ts';
import type { Trajectory } from '../records/trajectory.ts';
import { packTrajectories, unpackTrajectories } from './pack.ts';
import { asTrajectories } from './validate.ts';

const lists = fc.array(trajectories, { maxLength: 4 });

describe('packed trajectories', () => {
  it('are unzipped no further than rows can need', () => {
    const zipped = gzipSync(new Uint8Array(200_000_000).fill(32));
    const bomb = new Uint8Array(8 + zipped.length);
    new DataView(bomb.buffer).setUint32(0, 1, true);
    new DataView(bomb.buffer).setUint32(4, zipped.length, true);
    bomb.set(zipped, 8);
    expect(() => unpackTrajectories(bomb)).toThrow(
      'packed trajectories: expected rows of at most 64000000 bytes, got more',
    );
  });

  it('come back as they went in, log-probabilities bit for bit', () => {
    fc.assert(
      fc.property(lists, (list) => {
        expect(asTrajectories(unpackTrajectories(packTrajectories(list)), 'pack')).toEqual(list);
      }),
      { numRuns: 60 },
    );
  });

  it('come back from a view into a larger buffer', () => {
    const [list] = fc.sample(lists, { numRuns: 1, seed: 3 });
    const packed = packTrajectories(list as Trajectory[]);
    const large = new Uint8Array(packed.length + 9);
    large.set(packed, 5);
    expect(unpackTrajectories(large.subarray(5, 5 + packed.length))).toEqual(list);
  });

  it('are the same bytes each time', () => {
    const [list] = fc.sample(lists, { numRuns: 1, seed: 3 });
    expect(packTrajectories(list as Trajectory[])).toEqual(packTrajectories(list as Trajectory[]));
  });

  it('take less than 128 bytes a trajectory of five turns of four tokens', () => {
    const [turn] = fc.sample(trajectories, { numRuns: 50, seed: 1 }).flatMap((trajectory) => trajectory.turns);
    const made = Array.from({ length: 256 }, (_, index): Trajectory => {
      const turns = Array.from({ length: 5 }, (_, i) => ({
        ...turn!,
        index: i,
        text: '4*2',
        ...{ reason: [], reward: 0 },
        tokens: [13, 21, (index * 7 + i) % 32, 2],
        logprobs: [0, 1, 2, 3].map((j) => Math.fround(-1 / (1 + index + 7 * i + j))),
      }));
      const problem = { ...sampleProblem, id: `7+4*${index}` };
      return {
        index,
        group: index >> 3,
        problem,
        prompts: [[1, 8], [1]],
        turns,
        finishCode: 0,
        answer: '5',
        isRight: true,
        reward: 1,
      };
    });
    expect(packTrajectories(made).length).toBeLessThan(256 * 128);
  });

  it('refuse any blob that is cut short', () => {
    fc.assert(
      fc.property(lists, fc.nat(), (list, cut) => {
        const packed = packTrajectories(list);
        expect(() => unpackTrajectories(packed.slice(0, cut % packed.length))).toThrow(StorageError);
      }),
      { numRuns: 60 },
    );
  });

  it('answer garbled bytes with a StorageError or trajectories, never otherwise', () => {
    const isFine = (bytes: Uint8Array) => {
      try {
        return asTrajectories(unpackTrajectories(bytes), 'pack').length >= 0;
      } catch (error) {
        return error instanceof StorageError;
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), isFine));
    fc.assert(
      fc.property(
        lists,
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 3 }),
        (list, flips) => {
          const packed = packTrajectories(list);
          for (const [at, value] of flips) packed[at % packed.length] = value;
          return isFine(packed);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('refuse to pack a turn whose log-probabilities do not match its tokens', () => {
    const [found] = fc.sample(trajectories, { numRuns: 50, seed: 1 }).filter((item) => item.turns.length > 0);
    const broken = { ...found!, turns: [{ ...found!.turns[0]!, tokens: [1, 2], logprobs: [0] }] };
    expect(() => packTrajectories([broken])).toThrow(/expected 2 logprobs/);
  });
});
