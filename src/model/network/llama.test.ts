import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { ShapeError } from '../../base/errors.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { differences, distance } from '../../engine/ops/testing/numbers.ts';
import { tokenLogprobs } from '../../engine/ops/tokens/tokenLogprobs.ts';
import { registerSimd, simdName } from '../../engine/simd.ts';
import { logits, rowHiddenStates } from './llama.ts';
import { unpackArrays } from './packing.ts';
import { disposeTree, uploadTree } from './parameters.ts';
import { testRotations } from '../testing/rotations.ts';
import { livelyWeights, rowLogitsReference, testShapes } from '../testing/reference.ts';

const length = 37;
const draws = new Draws(4, streams.control, 0);
const rows = Array.from({ length: 3 }, () => Array.from({ length }, () => draws.below(32)));
const hiddenAt = [[], [0, 5, 6, 7], [1, 20, 35]];
const isVisible = hiddenAt.map((hidden) => Array.from({ length }, (_, t) => !hidden.includes(t)));
const micro = testShapes['micro'] as ModelShape;

beforeAll(async () => {
  expect(await registerSimd(await readFile(new URL('../../engine/simd/kernels.wasm', import.meta.url)))).toBe(true);
});

/** The logits of each row, which is computed as a whole on this backend. */
async function onBackend(
  backend: string,
  shape: ModelShape,
  { ids, isMasked = false, seed = 7 }: { ids: number[][]; isMasked?: boolean; seed?: number },
): Promise<Float32Array[]> {
  await tf.setBackend(backend);
  const tree = uploadTree(livelyWeights(shape, seed), shape);
  const columns = (ids[0] as number[]).length;
  const all = tf.tidy(() => {
    const mask = isVisible.map((visible) => visible.map(Number));
    const hidden = rowHiddenStates(tf.tensor2d(ids, [ids.length, columns], 'int32'), {
      ...{ tree, shape, rotation: testRotations(shape, columns) },
      ...(isMasked && { keyMask: tf.tensor2d(mask) }),
    });
    return logits(hidden, tree, shape);
  });
  const values = await all.data<'float32'>();
  all.dispose();
  disposeTree(tree);
  const size = columns * shape.vocabSize;
  return ids.map((_, b) => values.slice(b * size, (b + 1) * size));
}

describe.each(['cpu', simdName])('the network on %s', (backend) => {
  it.each(Object.entries(testShapes))('of shape %s gives the logits of float64 to 1e-5', async (_, shape) => {
    const found = await onBackend(backend, shape, { ids: rows });
    rows.forEach((ids, b) => {
      const expected = rowLogitsReference(shape, livelyWeights(shape, 7), ids);
      expect(distance(found[b] as Float32Array, expected)).toBeLessThan(1e-5);
    });
  });

  it.each(['micro', 'grouped', 'gemma'])(
    'of shape %s hides the masked tokens and keeps all positions',
    async (name) => {
      const shape = testShapes[name] as ModelShape;
      const found = await onBackend(backend, shape, { ids: rows, isMasked: true });
      rows.forEach((ids, b) => {
        const expected = rowLogitsReference(shape, livelyWeights(shape, 7), ids, isVisible[b]);
        expect(distance(found[b] as Float32Array, expected)).toBeLessThan(1e-5);
      });
    },
  );

  it.each(['micro', 'grouped', 'gemma'])(
    'of shape %s gives the same logits for selected positions as for all',
    async (name) => {
      const shape = testShapes[name] as ModelShape;
      const all = await onBackend(backend, shape, { ids: rows });
      const places = [3, 36, 37, 80, 110];
      const tree = uploadTree(livelyWeights(shape, 7), shape);
      const asked = tf.tidy(() => {
        const ids = tf.tensor2d(rows, [rows.length, length], 'int32');
        const at = { tree, shape, rotation: testRotations(shape, length), places: tf.tensor1d(places, 'int32') };
        return logits(rowHiddenStates(ids, at), tree, shape);
      });
      const found = await asked.data<'float32'>();
      tf.dispose(asked);
      disposeTree(tree);
      places.forEach((place, i) => {
        const [row, at] = [Math.floor(place / length), (place % length) * shape.vocabSize];
        const expected = (all[row] as Float32Array).slice(at, at + shape.vocabSize);
        expect(distance(found.slice(i * shape.vocabSize, (i + 1) * shape.vocabSize), expected)).toBeLessThan(1e-5);
      });
    },
  );

  it('does not depend on hidden tokens, but on visible ones', async () => {
    const changed = rows.map((ids, b) => ids.map((id, t) => (hiddenAt[b]?.includes(t) ? (id + 5) % 32 : id)));
    const masked = await onBackend(backend, micro, { ids: rows, isMasked: true });
    const maskedChanged = await onBackend(backend, micro, { ids: changed, isMasked: true });
    const open = await onBackend(backend, micro, { ids: rows });
    const openChanged = await onBackend(backend, micro, { ids: changed });
    const vocabulary = micro.vocabSize;
    for (let t = 8; t < length; t++) {
      const column = (all: Float32Array[]) => all[1]?.slice(t * vocabulary, (t + 1) * vocabulary);
      expect(column(maskedChanged)).toEqual(column(masked));
      expect(column(openChanged)).not.toEqual(column(open));
    }
  });

  it('gives every column the same logits, whatever padding follows', async () => {
    const short = rows.map((ids) => ids.slice(0, 20));
    const alone = await onBackend(backend, micro, { ids: short });
    for (const filler of [0, 31]) {
      const padded = short.map((ids) => [...ids, ...new Array<number>(17).fill(filler)]);
      const found = await onBackend(backend, micro, { ids: padded });
      found.forEach((values, b) => expect(distance(values.slice(0, 20 * 32), alone[b] ?? [])).toBeLessThan(1e-6));
    }
  });
});

it('the network depends on positions: two swapped tokens change all that follow', async () => {
  const swapped = rows.map((ids) => [ids[1], ids[0], ...ids.slice(2)] as number[]);
  const found = await onBackend(simdName, micro, { ids: rows });
  const other = await onBackend(simdName, micro, { ids: swapped });
  expect(distance(other[0]?.slice(2 * 32) ?? [], found[0]?.slice(2 * 32) ?? [])).toBeGreaterThan(1e-3);
});

const narrow = { vocabSize: 7, hiddenSize: 4, intermediateSize: 6, headSize: 4, isTied: false };
const gradientShapes: [string, ModelShape][] = [
  ['Llama', { ...micro, ...narrow }],
  [
    'Gemma',
    { ...(testShapes['gemma'] as ModelShape), ...narrow, numHeads: 2, local: { window: 3, ropeTheta: 20, period: 2 } },
  ],
];

it.each(gradientShapes)('every gradient of a cross-entropy of %s equals finite differences', async (_, shape) => {
  await tf.setBackend(simdName);
  const weights = livelyWeights(shape, 3);
  const ids = [1, 4, 6, 2, 0, 3];
  const targets = [4, 6, 2, 0, 3, 5];
  const tree = uploadTree(weights, shape);
  const { value, grads } = tf.variableGrads(() => {
    const rotation = testRotations(shape, ids.length);
    const hidden = rowHiddenStates(tf.tensor2d([ids], [1, 6], 'int32'), { tree, shape, rotation });
    const { logprobs } = tokenLogprobs(logits(hidden, tree, shape), tf.tensor1d(targets, 'int32'), 1);
    return tf.neg(tf.sum(logprobs)) as tf.Scalar;
  });
  const loss = (changed: typeof weights) => {
    const all = rowLogitsReference(shape, changed, ids);
    return targets.reduce((sum, target, t) => {
      const row = all.slice(t * 7, (t + 1) * 7);
      return sum + Math.log(row.reduce((total, z) => total + Math.exp(z), 0)) - (row[target] as number);
    }, 0);
  };
  const packed = await Promise.all([...tree.values()].map(({ name }) => (grads[name] as tf.Tensor).data<'float32'>()));
  const gradients = unpackArrays(packed, shape);
  for (const [i, { name, values }] of weights.entries()) {
    const moved = (x: Float64Array) => {
      const other = { ...(weights[i] as (typeof weights)[number]), values: x as unknown as Float32Array };
      return Float64Array.of(loss(weights.with(i, other)));
    };
    const expected = differences(moved, Float64Array.from(values), Float64Array.of(1));
    expect(gradients[i]?.name).toBe(name);
    expect(distance(gradients[i]?.values ?? [], expected), name).toBeLessThan(1e-4);
  }
  tf.dispose([value, grads]);
  disposeTree(tree);
});

it('rotary tables of another length are refused by name', async () => {
  await tf.setBackend(simdName);
  const tree = uploadTree(livelyWeights(micro, 1), micro);
  const run = () =>
    tf.tidy(() =>
      rowHiddenStates(tf.tensor2d(rows, undefined, 'int32'), {
        tree,
        shape: micro,
        rotation: testRotations(micro, 36),
      }),
    );
  expect(run).toThrow(ShapeError);
  expect(run).toThrow('rotation must cover 37 positions, got 36');
  disposeTree(tree);
});
