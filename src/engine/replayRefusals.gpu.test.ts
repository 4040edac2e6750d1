// Tests runs whose replay could give wrong numbers: they are not replayed, but the program runs each time, and its
// numbers are right.
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DeviceLostError } from '../base/errors.ts';
import { flatVariables } from './flat.ts';
import { adamWRates, applyAdamW } from './ops/adamW/adamW.ts';
import { Replays, type Compute } from './replay.ts';
import { startOwnDevice } from './testing/ownDevice.ts';
import { ramp, read, severalRuns, upload } from './testing/replayRuns.ts';

let replays = new Replays(true);

beforeAll(() => startOwnDevice());

afterEach(() => {
  replays.dispose();
  replays = new Replays(true);
});

describe('a run that cannot be recorded', () => {
  it.each<[string, Compute<tf.Tensor[]>, RegExp]>([
    ['uploads', ({ x }) => [tf.mul(x as tf.Tensor, tf.tensor1d([1, 2, 3, 4]))], /uploads 4 numbers/],
    ['uploads a scalar', ({ x }) => [tf.mul(x as tf.Tensor, tf.scalar(1))], /uploads 1 numbers/],
    [
      'reads',
      ({ x }) => {
        void tf.square(x as tf.Tensor).data();
        return [tf.square(x as tf.Tensor)];
      },
      /reads numbers back/,
    ],
    ['keeps', ({ x }) => [tf.sum(tf.keep(tf.square(x as tf.Tensor)))], /keeps a tensor \[12, 4\]/],
  ])('that %s still computes, and the note says why', async (_, compute, why) => {
    const plain = await severalRuns(new Replays(false), compute);
    expect(await severalRuns(replays, compute)).toEqual(plain);
    expect(replays.captures).toBe(0);
    expect(replays.note).toMatch(why);
  });

  it('that frees a tensor made before still computes', async () => {
    let carried = tf.keep(tf.zeros([12, 4]));
    const compute: Compute<tf.Tensor[]> = ({ x }) => {
      const next = tf.keep(tf.add(carried, x as tf.Tensor));
      carried.dispose();
      carried = next as tf.Tensor2D;
      return [tf.sum(next)];
    };
    await severalRuns(replays, compute);
    expect(replays.note).toMatch(/frees a tensor|keeps a tensor/);
    const expected = Array.from(ramp(48), (_, i) => [0, 1, 2, 3, 4].reduce((sum, run) => sum + Math.sin(run + i), 0));
    (await carried.data()).forEach((value, i) => expect(value).toBeCloseTo(expected[i] as number, 5));
    carried.dispose();
  });

  it('because it throws leaves nothing behind', async () => {
    let calls = 0;
    const compute: Compute<tf.Tensor[]> = ({ x }) => {
      const squares = tf.square(x as tf.Tensor);
      if (++calls === 2) throw new RangeError('no');
      return [tf.sum(squares)];
    };
    const take = (value: number) => replays.run('throws', { x: upload(Float32Array.of(value)) }, compute);
    take(1).release();
    const { numTensors } = tf.memory();
    expect(() => take(2)).toThrow(RangeError);
    expect(tf.memory().numTensors).toBe(numTensors);
    for (const value of [3, 4, 5]) expect(await read(take(value).outputs)).toEqual([[value * value]]);
    expect(replays.captures).toBe(1);
  });

  it('because its shapes are new each time runs plainly, and old ones make room', async () => {
    const compute: Compute<tf.Tensor[]> = ({ x }) => [tf.sum(x as tf.Tensor)];
    const { numTensors } = tf.memory();
    for (let size = 1; size <= 30; size++) {
      const { outputs, release } = replays.run('sum', { x: upload(new Float32Array(size).fill(2)) }, compute);
      expect((await read(outputs))[0]).toEqual([2 * size]);
      release();
    }
    expect(replays.captures).toBe(0);
    expect(replays.note).toBe('');
    expect(tf.memory().numTensors).toBeLessThanOrEqual(numTensors + 25);
  });

  it('because more shapes come again and again than are kept runs plainly, and the note says so', async () => {
    const compute: Compute<tf.Tensor[]> = ({ x }) => [tf.sum(x as tf.Tensor)];
    const round = async (shapes: number) => {
      for (let size = 1; size <= shapes; size++) {
        const { outputs, release } = replays.run('sum', { x: upload(new Float32Array(size).fill(2)) }, compute);
        expect((await read(outputs))[0]).toEqual([2 * size]);
        release();
      }
    };
    for (let i = 0; i < 3; i++) await round(24);
    expect([replays.captures, replays.note]).toEqual([24, '']);
    for (let i = 0; i < 3; i++) await round(25);
    expect(replays.note).toBe(
      '“sum (with some input shapes)” runs without replay: more recordings are needed than can be kept (at most 24 in 1 GiB).',
    );
  });
});

describe('a replay that would be wrong', () => {
  it('is not given when a tensor it reads has gone: the run is recorded again', async () => {
    let factor = tf.keep(tf.scalar(2));
    const compute: Compute<tf.Tensor[]> = ({ x }) => [tf.mul(x as tf.Tensor, factor)];
    const take = async () => {
      const { outputs, release } = replays.run('scale', { x: upload(Float32Array.of(1, 10)) }, compute);
      const [values] = await read(outputs);
      release();
      return values;
    };
    for (let run = 0; run < 3; run++) expect(await take()).toEqual([2, 20]);
    factor.dispose();
    factor = tf.keep(tf.scalar(3));
    for (let run = 0; run < 3; run++) expect(await take()).toEqual([3, 30]);
    expect(replays.captures).toBe(1);
    factor.dispose();
  });

  it('is not given while somebody holds a copy of a variable that it changes in place', async () => {
    const [p, m, v] = [1, 0, 0].map((value) => flatVariables([{ shape: [1], values: Float32Array.of(value) }])) as [
      tf.Variable[],
      tf.Variable[],
      tf.Variable[],
    ];
    const rates = { learningRate: 0.1, beta1: 0.9, beta2: 0.95, eps: 1e-8, maxGradNorm: 1 };
    let step = 0;
    const take = () => {
      const options = { ...rates, weightDecay: [0], step: ++step };
      const uploads = { x: upload(Float32Array.of(1)), rates: upload(adamWRates(options)) };
      const update: Compute<tf.Tensor[]> = ({ x, rates: numbers }) => [
        applyAdamW(p, [x as tf.Tensor], { m, v }, { ...options, rates: numbers as tf.Tensor1D }).gradNorm,
      ];
      replays.run('update', uploads, update).release();
    };
    for (let run = 0; run < 3; run++) take();
    expect(replays.captures).toBe(1);
    const copy = tf.clone(p[0] as tf.Variable);
    for (let run = 0; run < 5; run++) take();
    expect((await copy.data())[0]).toBeCloseTo(0.7, 5);
    expect((await (p[0] as tf.Variable).data())[0]).toBeCloseTo(0.2, 5);
    expect(replays.captures).toBe(1);
    tf.dispose([copy, p, m, v]);
  });
});

it('a device that goes away in the middle of a recording gives DeviceLostError and no numbers', async () => {
  const { device } = await startOwnDevice();
  const compute: Compute<tf.Tensor[]> = ({ x }) => {
    const squares = tf.square(x as tf.Tensor);
    if (isDoomed) device.destroy();
    return [tf.sum(squares)];
  };
  let isDoomed = false;
  const take = () => replays.run('sum', { x: upload(Float32Array.of(1, 2)) }, compute);
  take().release();
  isDoomed = true;
  await expect(read(take().outputs)).rejects.toThrow(DeviceLostError);
  await device.lost;
  expect(take).toThrow(DeviceLostError);
  globalThis.refusals.splice(0);
  replays.dispose();
  await startOwnDevice();
  isDoomed = false;
  for (let run = 0; run < 3; run++) expect(await read(take().outputs)).toEqual([[5]]);
});
