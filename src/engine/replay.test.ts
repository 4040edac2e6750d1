// Tests the interface on a backend that cannot record: the program runs, and its inputs are freed.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { counters } from './counters.ts';
import { countersSince } from './testing/countersSince.ts';
import { flatVariables } from './flat.ts';
import { Replays } from './replay.ts';

beforeAll(async () => {
  await tf.setBackend('cpu');
});

const numbers = { values: Float32Array.of(1, 2, 3, 4), shape: [2, 2] };

it('every run computes from its own inputs, and nothing but the outputs stays', async () => {
  const replays = new Replays(true);
  const { numTensors } = tf.memory();
  for (let run = 0; run < 4; run++) {
    const uploads = { x: { values: numbers.values.map((value) => value + run), shape: [2, 2] } };
    const { outputs, release } = replays.run('sum', uploads, ({ x }) => [tf.sum(x as tf.Tensor), x as tf.Tensor]);
    expect((await outputs[0]?.data())?.[0]).toBe(10 + 4 * run);
    expect(outputs[1]?.shape).toEqual([2, 2]);
    expect(tf.memory().numTensors).toBe(numTensors + 2);
    release();
    release();
  }
  expect(tf.memory().numTensors).toBe(numTensors);
  expect([replays.note, replays.captures]).toEqual(['', 0]);
});

it('repeat computes as often as asked and gives the last outputs', async () => {
  const total = tf.variable(tf.scalar(0));
  const { outputs, release } = new Replays(true).repeat('add', { x: numbers }, 3, ({ x }) => {
    total.assign(tf.add(total, tf.sum(x as tf.Tensor)));
    return [tf.mul(total, 2)];
  });
  expect((await outputs[0]?.data())?.[0]).toBe(60);
  expect((await total.data())[0]).toBe(30);
  release();
  total.dispose();
});

it('integers stay integers', () => {
  const uploads = { ids: { values: Int32Array.of(1, 2), shape: [2] } };
  const { outputs, release } = new Replays(false).run('ids', uploads, ({ ids }) => [ids as tf.Tensor]);
  expect(outputs[0]?.dtype).toBe('int32');
  release();
});

it('an exception in the program frees the inputs and passes through', () => {
  const replays = new Replays(true);
  const { numTensors } = tf.memory();
  const fail = () => {
    throw new RangeError('no');
  };
  expect(() => replays.together(() => replays.run('fail', { x: numbers }, fail))).toThrow(RangeError);
  expect(tf.memory().numTensors).toBe(numTensors);
});

it('flat variables are ordinary ones here, with copies of their arrays', () => {
  const values = Float32Array.of(1, 2);
  const [variable] = flatVariables([{ shape: [2], values }]) as [tf.Variable];
  values[0] = 9;
  expect(Array.from(variable.dataSync())).toEqual([1, 2]);
  variable.dispose();
});

it('counters know the memory of a backend that has no meter', () => {
  const before = counters();
  const tensor = tf.zeros([256]);
  const work = countersSince(before);
  expect(work.usedBytes).toBe(before.usedBytes + 1024);
  expect(work.gpuMs).toBeNull();
  expect(work.dispatches).toBe(0);
  tensor.dispose();
});
