// Tests that rows whose common prefixes are computed only once have the same hidden states and gradients as rows that
// are computed as a whole.
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { ModelShape } from '../../config/sizes.ts';
import { lossAndGradients } from '../../engine/gradients.ts';
import { distance } from '../../engine/ops/testing/numbers.ts';
import { registerSimd, simdName } from '../../engine/simd.ts';
import { testRotations } from '../testing/rotations.ts';
import { livelyWeights, testShapes } from '../testing/reference.ts';
import { beginningsOf, sharedStates, sharedUploads } from './beginnings.ts';
import type { Uploads } from '../../engine/replay.ts';
import { rowHiddenStates, type SharedStates } from './llama.ts';
import { disposeTree, uploadTree } from './parameters.ts';

beforeAll(async () => {
  await registerSimd(await readFile(new URL('../../engine/simd/kernels.wasm', import.meta.url)));
});

const someRows = fc.integer({ min: 1, max: 5 }).chain((rows) =>
  fc.integer({ min: 1, max: 7 }).chain((length) =>
    fc.record({
      rows: fc.constant(rows),
      length: fc.constant(length),
      ids: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: rows * length, maxLength: rows * length }),
      visible: fc.array(fc.constantFrom(0, 1), { minLength: rows * length, maxLength: rows * length }),
      spans: fc.array(fc.tuple(fc.nat(length), fc.nat(length)), { minLength: rows, maxLength: rows }),
    }),
  ),
);

it('two positions have the same number if and only if the tokens up to them are the same', () => {
  fc.assert(
    fc.property(someRows, ({ rows, length, ids, visible, spans }) => {
      const from = (row: number) => Math.min(...(spans[row] as [number, number]));
      const to = (row: number) => Math.max(...(spans[row] as [number, number]));
      const { places, numbers } = beginningsOf({ ids: Int32Array.from(ids), rows, length, from, to, visible });
      // Finds the distinct prefixes by a simpler method, which compares whole prefixes.
      const written = new Map<string, number>();
      for (let row = 0; row < rows; row++)
        for (let t = from(row); t < to(row); t++) {
          const columns = Array.from({ length: t - from(row) + 1 }, (_, i) => row * length + from(row) + i);
          const beginning = columns.map((at) => `${ids[at]}${visible[at]}`).join();
          if (!written.has(beginning)) written.set(beginning, row * length + t);
          expect(places[numbers[row * length + t] as number]).toBe(written.get(beginning));
        }
      expect(places).toHaveLength(Math.max(1, written.size));
    }),
  );
});

it('sharing is worthwhile for a group with one prompt, but not for rows without common tokens', () => {
  const ids = Int32Array.of(1, 2, 3, 4, 1, 2, 3, 5);
  const whole = { rows: 2, length: 4, from: () => 0, to: () => 4 };
  const shared = beginningsOf({ ...whole, ids });
  expect([[...shared.places], [...shared.numbers]]).toEqual([
    [0, 1, 2, 3, 7],
    [0, 1, 2, 3, 0, 1, 2, 4],
  ]);
  expect(sharedUploads({ ...whole, ids }, [3, 7])).toMatchObject({
    beginningIds: { values: Int32Array.of(1, 2, 3, 4, 5) },
    askedBeginnings: { values: Int32Array.of(3, 4) },
  });
  expect(sharedUploads({ ...whole, ids: Int32Array.of(1, 2, 3, 4, 5, 6, 7, 8) }, [3, 7])).toEqual({});
});

it.each([
  ['micro', 'cpu'],
  ['micro', simdName],
  ['gemma', simdName],
])('states and gradients of %s are those of whole rows on %s', async (name, backend) => {
  await tf.setBackend(backend);
  const shape = { ...testShapes[name], maxPositions: 16 } as ModelShape;
  const [rows, length] = [5, 11];
  const ids = Int32Array.from({ length: rows * length }, (_, at) => (at % length < 7 ? at % length : (at * 7) % 32));
  const mask = Float32Array.from(ids, (_, at) => (at % length === 2 ? 0 : 1));
  const ends = [11, 9, 11, 8, 10];
  const asked = ends.flatMap((end, row) => [6, end - 1].map((t) => row * length + t));
  const laid = { ids, rows, length, visible: mask, from: () => 0, to: (row: number) => ends[row] as number };
  const uploads = sharedUploads(laid, asked);
  expect(uploads['beginnings']?.values.length).toBeLessThan(25);
  const tree = uploadTree(livelyWeights(shape, 3), shape);
  const trained = [...tree.values()].filter((one): one is tf.Variable => one instanceof tf.Variable);
  expect(trained.length).toBeGreaterThan(5);
  const pass = (isShared: boolean) => {
    const { value, grads } = lossAndGradients(() => {
      const states = rowHiddenStates(tf.tensor2d(ids, [rows, length], 'int32'), {
        ...{ tree, shape, rotation: testRotations(shape, length) },
        ...{ keyMask: tf.tensor2d(mask, [rows, length]), places: tf.tensor1d(asked, 'int32') },
        ...(isShared && { shared: sharedStates(tensorsOf(uploads)) as SharedStates }),
      });
      const weights = tf.tensor2d(
        Float32Array.from({ length: states.size }, (_, i) => Math.sin(i)),
        states.shape,
      );
      return tf.sum(tf.mul(tf.tanh(states), weights)) as tf.Scalar;
    }, trained);
    const read = [value, ...trained.map(({ name }) => grads[name] as tf.Tensor)].map((x) => x.dataSync<'float32'>());
    tf.dispose([value, grads]);
    return read;
  };
  const [whole, shared] = [pass(false), pass(true)];
  whole.forEach((values, i) => expect(distance(shared[i] as Float32Array, values)).toBeLessThan(1e-5));
  disposeTree(tree);
});

const tensorsOf = (uploads: Uploads) =>
  Object.fromEntries(
    Object.entries(uploads).map(([name, { values, shape }]) => [name, tf.tensor(values, [...shape], 'int32')]),
  );
