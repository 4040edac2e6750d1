import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { beforeAll, describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { initialMixer, mixingWeights, type Mixer, type MixerShape } from './mixer.ts';
import { qmixTotal } from '../maths/mixing.ts';
import { finiteDifferences, largestGap } from '../reference/batches.ts';
import type { Matrix } from '../reference/policy.ts';
import { referenceMixer, referenceQmix } from '../reference/team.ts';

beforeAll(() => tf.setBackend('cpu'));

const upload = (shape: MixerShape, seed: number): Mixer =>
  new Map(initialMixer(shape, seed).map(({ name, shape: of, values }) => [name, tf.tensor(values, of)]));

interface Drawn {
  shape: MixerShape;
  states: Matrix;
  q: Matrix;
}
function drawn(seed: number): Drawn {
  const draws = new Draws(seed, streams.control, 32);
  const shape = { stateSize: 1 + draws.below(6), agents: 2 + draws.below(3), hidden: 1 + draws.below(5) };
  const count = 1 + draws.below(4);
  const matrix = (columns: number): Matrix =>
    Array.from({ length: count }, () => Array.from({ length: columns }, () => draws.normal()));
  return { shape, states: matrix(shape.stateSize), q: matrix(shape.agents) };
}

type Arrays = ReturnType<typeof initialMixer>;

/** Computes the output of the mixer in float64 with these arrays. One of the arrays can be replaced. */
function reference({ shape, states, q }: Drawn, arrays: Arrays, replaced: { name: string; values: Matrix } | null) {
  const rows = (name: string): Matrix => {
    if (replaced?.name === name) return replaced.values;
    const { shape: of, values } = arrays.find((array) => array.name === name) as Arrays[number];
    const columns = of[1] ?? 1;
    return Array.from({ length: of[0] as number }, (_, r) => Array.from(values.slice(r * columns, (r + 1) * columns)));
  };
  const layer = (name: string) => ({ weight: rows(`${name}.weight`), bias: rows(`${name}.bias`).flat() });
  const of = states.map((state, n) => {
    const mixing = referenceMixer(state, layer, shape.agents);
    const { total, margin } = referenceQmix(q[n] as number[], mixing);
    return { total, margin: Math.min(margin, mixing.margin) };
  });
  return { rows, totals: of.map(({ total }) => total), margin: Math.min(...of.map(({ margin }) => margin)) };
}

describe('mixingWeights', () => {
  it('with the mixer give Q_tot and the gradient of every parameter as float64 does, on 200 batches', () => {
    let compared = 0;
    for (let seed = 0; seed < 200; seed++) {
      const given = drawn(seed);
      const arrays = initialMixer(given.shape, seed);
      const names = arrays.map(({ name }) => name);
      const name = names[seed % names.length] as string;
      const expected = reference(given, arrays, null);
      const { totals, gradient } = tf.tidy(() => {
        const mixer = upload(given.shape, seed);
        const states = tf.tensor2d(given.states);
        const of = (parameter: tf.Tensor) => {
          const changed = new Map([...mixer, [name, parameter]]);
          return qmixTotal(tf.tensor2d(given.q), mixingWeights(states, changed, given.shape));
        };
        const own = mixer.get(name) as tf.Tensor;
        const grad = tf.grad((x) => tf.sum(of(x)))(own);
        return {
          totals: Array.from(of(own).dataSync()),
          gradient: tf.reshape(grad, [own.shape[0] as number, -1]).arraySync() as Matrix,
        };
      });
      const scale = Math.max(1, ...expected.totals.map(Math.abs));
      expect(largestGap([totals], [expected.totals]) / scale, `seed ${seed}`).toBeLessThan(1e-5);
      if (expected.margin < 1e-4) continue;
      compared++;
      const sum = (values: Matrix) => reference(given, arrays, { name, values }).totals.reduce((a, b) => a + b, 0);
      const differences = finiteDifferences(sum, expected.rows(name));
      const size = Math.max(1, ...differences.flat().map(Math.abs));
      expect(largestGap(gradient, differences) / size, `seed ${seed} ${name}`).toBeLessThan(1e-4);
    }
    expect(compared).toBeGreaterThan(150);
  });
  it('start near a sum of the agents: every agent hears of the error', () => {
    const shape = { stateSize: 8, agents: 3, hidden: 16 };
    const gradient = tf.tidy(() => {
      const mixer = upload(shape, 5);
      const states = tf.tensor2d(
        Array.from({ length: 4 }, (_, n) => Array.from({ length: 8 }, (_x, i) => Math.sin(n + i))),
      );
      return tf
        .grad((q) => tf.sum(qmixTotal(q, mixingWeights(states, mixer, shape))))(tf.ones([4, 3]))
        .dataSync();
    });
    expect(Math.min(...gradient)).toBeGreaterThan(0.1);
  });
  it('are the same for the same seed, and refuse a mixer made for other agents', () => {
    const shape = { stateSize: 3, agents: 2, hidden: 4 };
    expect(initialMixer(shape, 9)).toEqual(initialMixer(shape, 9));
    expect(initialMixer(shape, 9)).not.toEqual(initialMixer(shape, 10));
    const states = tf.zeros([1, 3]) as tf.Tensor2D;
    expect(() => mixingWeights(states, upload(shape, 9), { ...shape, agents: 3 })).toThrow(
      /mixer\.w1 must be \[12, 3\]/,
    );
    expect(() => mixingWeights(states, new Map(), shape)).toThrow(ShapeError);
  });
});
