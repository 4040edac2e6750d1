import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { startCpuEngine } from '../testing/cpuEngine.ts';
import { costLine, costOf, recordedBytes } from './trial.ts';

const trial = (rows: number, ms: number, bytes: number) => ({ rows, ms, transientBytes: bytes, keptBytes: 10 * rows });

describe('a cost line', () => {
  it('goes through both trials: 4 rows take 10 ms and 8 take 14, so 20 take 26', () => {
    const cost = costLine(trial(4, 10, 500), trial(8, 14, 900));
    expect(cost(20)).toEqual({ ms: 26, transientBytes: 2100, keptBytes: 200 });
    expect(cost(4).ms).toBe(10);
  });

  it('never forecasts less for more rows, and never less than 0 for none', () => {
    expect(costLine(trial(4, 10, 500), trial(8, 9, 500))(80).ms).toBe(9);
    expect(costLine(trial(4, 1, 1), trial(8, 9, 500))(80)).toMatchObject({ ms: 90, transientBytes: 5000 });
  });

  it('is proportional where there was only one number of rows', () => {
    const one = trial(4, 10, 500);
    expect(costLine(one, one)(8)).toEqual({ ms: 20, transientBytes: 1000, keptBytes: 80 });
  });
});

describe('the cost of work', () => {
  beforeAll(startCpuEngine);

  it('is the most it needs at once, and what it leaves behind', async () => {
    const weight = tf.tensor2d(new Float32Array(64 * 64), [64, 64]);
    const left: tf.Tensor[] = [];
    tf.dispose(tf.add(weight, weight)); // the result is kept in the engine's memory
    const { transientBytes, keptBytes } = await costOf(async () => {
      const made = tf.add(weight, weight);
      left.push(tf.add(weight, weight));
      made.dispose();
      return Promise.resolve();
    });
    expect(keptBytes).toBe(2 * 64 * 64 * 4); // one buffer for each run, except for runs that only measure the time
    expect(transientBytes).toBe(64 * 64 * 4);
    tf.dispose([weight, ...left]);
  });
});

const recording = (shape: number[], bytes: number) => ({ shape, bytes });

it('recordings will be there for all lengths between the shortest and the longest, of each number of rows', () => {
  const tried = [recording([16, 32], 100), recording([16, 48], 200), recording([32, 32], 70), recording([], 9)];
  // Rows of three lengths are expected for 16 rows, with at most 150 bytes each. For 32 rows, there is one length with
  // 70 bytes. The recording without rows has 9 bytes.
  expect(recordedBytes(tried, { columns: 8 })).toBe(3 * 150 + 70 + 9);
  // Two computations with the same shape need two recordings.
  expect(recordedBytes([...tried, recording([32, 32], 30)], { columns: 8 })).toBe(3 * 150 + 100 + 9);
  expect(recordedBytes([recording([16, 32], 2 ** 29), recording([16, 64], 2 ** 30)], { columns: 8 })).toBe(2 ** 30);
  expect(recordedBytes([], { columns: 8 })).toBe(0);
});
