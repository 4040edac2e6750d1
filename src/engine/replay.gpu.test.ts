// Tests recorded runs on a real device: they give the same numbers as runs without recording, in one submission.
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { counters, restartPeak } from './counters.ts';
import { countersSince } from './testing/countersSince.ts';
import { keptConstant, scalar } from './ops/constants.ts';
import { addInto } from './ops/inPlace/inPlace.ts';
import { linear } from './ops/linear/linear.ts';
import { copyOf, readTogether, Replays, type Compute } from './replay.ts';
import type { CapturingBackend } from './webgpu/device/capturingBackend.ts';
import { startOwnDevice } from './testing/ownDevice.ts';
import { ramp, read, severalRuns, upload } from './testing/replayRuns.ts';

let replays = new Replays(true);

beforeAll(() => startOwnDevice());

afterEach(() => {
  replays.dispose();
  replays = new Replays(true);
});

describe('a recorded run', () => {
  const gradient: Compute<tf.Tensor[]> = ({ x }) => {
    const weights = tf.tensor2d(new Float32Array(16), [4, 4]);
    const { value, grad } = tf.valueAndGrad((y: tf.Tensor) =>
      tf.sum(tf.square(linear(y as tf.Tensor2D, tf.add(weights, scalar(0.5))))),
    )(x as tf.Tensor);
    return [value, grad, tf.softmax(tf.mul(x as tf.Tensor, scalar(3)))];
  };

  it('gives the numbers of a plain run bit by bit, in one submission', async () => {
    const plain = await severalRuns(new Replays(false), gradient);
    expect(await severalRuns(replays, gradient)).toEqual(plain);
    expect(replays.note).toBe('');
    expect(replays.captures).toBe(1);
    const before = counters();
    const { outputs, release } = replays.run('step', { x: upload(ramp(48, 1), [12, 4]) }, gradient);
    const work = countersSince(before);
    expect(work).toMatchObject({ submits: 1, readbacks: 0, uploadedBytes: 256 });
    expect(work.dispatches).toBeGreaterThan(5);
    expect(await read(outputs)).toEqual(plain[1]);
    release();
  });

  it('adds to a tensor in place at every run, several times where asked', async () => {
    const sum = tf.keep(tf.zeros([3]));
    const step: Compute<tf.Tensor[]> = ({ x }) => {
      addInto(sum, x as tf.Tensor);
      return [tf.mul(sum, scalar(2))];
    };
    const totals: number[][] = [];
    for (const count of [1, 2, 3, 4]) {
      const { outputs, release } = replays.repeat('add', { x: upload(Float32Array.of(1, 2, 3)) }, count, step);
      totals.push(...(await read(outputs)));
      release();
    }
    expect(totals).toEqual([1, 3, 6, 10].map((times) => [2 * times, 4 * times, 6 * times]));
    expect(Array.from(await sum.data())).toEqual([10, 20, 30]);
    expect(replays.captures).toBe(1);
    sum.dispose();
  });

  it('sees the inputs of its own place where several leave together', async () => {
    const size = 30_000; // three of them do not fit into the first block of uploads
    const sum = tf.keep(tf.zeros([size]));
    const add = (value: number) =>
      replays
        .run('add', { x: upload(new Float32Array(size).fill(value)) }, ({ x }) => {
          addInto(sum, x as tf.Tensor);
          return [];
        })
        .release();
    add(1);
    add(10);
    const before = counters();
    replays.together(() => {
      add(100);
      add(1000);
      add(10000);
    });
    expect(countersSince(before)).toMatchObject({ submits: 1, dispatches: 3 });
    expect(new Set(await sum.data())).toEqual(new Set([11111]));
    sum.dispose();
  });

  it('finds zeros that it uploads, and constants that it makes, as they were', async () => {
    let calls = 0;
    const compute: Compute<tf.Tensor[]> = ({ x }) => {
      calls++;
      const isRecorded = calls % 4 === 2;
      const first = tf.tidy(() => tf.add(x as tf.Tensor, tf.zeros([12, 4])));
      // If the buffer of `tf.zeros` were already free, `second` would use this buffer.
      const second = tf.square(x as tf.Tensor);
      const constants = isRecorded
        ? [
            scalar(41),
            keptConstant('four zeros', () => tf.zeros([4])),
            keptConstant('one two', () => tf.tensor1d([1, 2])),
          ]
        : [scalar(41)];
      for (const constant of constants) tf.neg(constant);
      return [first, second];
    };
    const plain = await severalRuns(new Replays(false), compute);
    calls = 0;
    expect(await severalRuns(replays, compute)).toEqual(plain);
    expect([replays.note, replays.captures]).toEqual(['', 1]);
    replays.dispose();
    await severalRuns(replays, compute);
    const kept = [scalar(41), ...['four zeros', 'one two'].map((name) => keptConstant(name, () => scalar(9)))];
    expect(await read(kept.map((constant) => tf.add(constant, scalar(1))))).toEqual([[42], [1, 1, 1, 1], [2, 3]]);
  });

  it('is timed by the device where the device can, and one that is not timed counts as much as the newest was', async () => {
    await severalRuns(replays, gradient);
    const { gpuMs } = counters();
    if (!(tf.backend() as CapturingBackend).device.features.has('timestamp-query')) {
      expect(gpuMs).toBeNull();
      return;
    }
    expect(gpuMs).toBeGreaterThan(0);
    const grown: number[] = [];
    for (let i = 0; i < 3; i++) {
      const before = counters();
      replays.run('step', { x: upload(ramp(48, 1), [12, 4]) }, gradient).release();
      grown.push(countersSince(before).gpuMs as number);
    }
    expect(grown[0]).toBeGreaterThan(0);
    for (const more of grown) expect(more).toBeCloseTo(grown[0] as number, 9);
  });

  it('has its outputs set aside and read in its own submission', async () => {
    const take = (value: number) =>
      replays.together(() => {
        const { outputs, release } = replays.run('step', { x: upload(ramp(48, value), [12, 4]) }, gradient);
        const [loss, slopes] = outputs.slice(0, 2).map((output) => copyOf(output)) as [tf.Tensor, tf.Tensor];
        const live = Promise.all(outputs.slice(0, 2).map((output) => output.data()));
        release();
        return { kept: [loss, slopes], live };
      });
    take(2).kept.forEach((tensor) => tensor.dispose());
    take(3).kept.forEach((tensor) => tensor.dispose());
    const first = take(1);
    const wanted = (await first.live).flatMap((values) => Array.from(values));
    const before = counters();
    const reading = replays.together(() => {
      const next = replays.run('step', { x: upload(ramp(48, 4), [12, 4]) }, gradient);
      next.release();
      return readTogether(first.kept);
    });
    expect(countersSince(before).submits).toBe(1);
    expect(Array.from(await reading)).toEqual(wanted);
    expect(countersSince(before)).toMatchObject({ submits: 1, readbacks: 1, readBytes: 4 * wanted.length });
    expect(wanted[0]).not.toBe(0);
    tf.dispose(first.kept);
  });

  it('leaves tensors and memory as they were when it is disposed', async () => {
    const tensors = tf.memory().numTensors;
    await severalRuns(replays, gradient, 2);
    replays.dispose();
    const { usedBytes } = counters();
    await severalRuns(replays, gradient, 4);
    restartPeak();
    expect(counters().peakBytes).toBeGreaterThan(usedBytes);
    replays.dispose();
    expect(counters().usedBytes).toBe(usedBytes);
    expect(tf.memory().numTensors).toBe(tensors);
  });

  it('keeps outputs apart from those of other keys, and they outlive it', async () => {
    const double: Compute<tf.Tensor[]> = ({ x }) => [tf.mul(x as tf.Tensor, scalar(2))];
    const take = (key: string, value: number) => replays.run(key, { x: upload(Float32Array.of(value)) }, double);
    for (const key of ['a', 'b', 'a', 'b']) take(key, 1).release();
    const [a, b] = [take('a', 3), take('b', 4)];
    expect(replays.captures).toBe(2);
    replays.dispose();
    take('c', 9).release();
    expect(await read([...a.outputs, ...b.outputs])).toEqual([[6], [8]]);
    a.release();
    b.release();
  });
});
