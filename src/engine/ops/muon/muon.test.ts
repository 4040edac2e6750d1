// Tests Muon on both engines of the CPU against results computed by hand and in float64.
import { readFile } from 'node:fs/promises';
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { registerSimd, simdName } from '../../simd.ts';
import { distance, normals } from '../testing/numbers.ts';
import { applyMuon, muonRates, orthogonal } from './muon.ts';
import { fourSteps, muonInFloat64, type MatrixRows } from './testing/reference.ts';

beforeAll(async () => {
  expect(await registerSimd(await readFile(new URL('../../simd/kernels.wasm', import.meta.url)))).toBe(true);
});

describe.each(['cpu', simdName])('on %s', (backend) => {
  beforeAll(() => tf.setBackend(backend));

  it('what is made orthogonal keeps its singular vectors; its values go through the quintic five times', () => {
    // The matrix is diag(3, 4), rotated on one side by 30 degrees and on the other by 60, so X/‖X‖ has the singular
    // values 0.6 and 0.8.
    const turn = (degrees: number) => {
      const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
      return tf.tensor2d([c, -s, s, c], [2, 2]);
    };
    const between = (values: [number, number]) =>
      tf.matMul(tf.matMul(turn(30), tf.diag(tf.tensor1d(values)) as tf.Tensor2D), turn(60), false, true);
    const found = orthogonal(tf.expandDims(between([3, 4])) as tf.Tensor3D);
    // Five steps of x ← 3.4445·x − 4.775·x³ + 2.0315·x⁵ give 0.6 → 1.19327 → 0.91192 → 0.80114 → 0.97470 → 0.72288, and
    // 0.8 → 0.97648 → 0.72112 → 1.08946 → 0.69604 → 1.11920.
    expect(distance(found.dataSync(), between([0.72288, 1.1192]).dataSync())).toBeLessThan(2e-5);
  });

  it('all directions of wide, tall and square matrices come out about alike', () => {
    for (const shape of [
      [2, 6, 20],
      [2, 20, 6],
      [1, 12, 12],
    ] as [number, number, number][]) {
      const x = tf.tensor3d(Float32Array.from(normals(tf.util.sizeFromShape(shape), 3)), shape);
      const y = orthogonal(x);
      const isTall = shape[1] > shape[2];
      const inner = tf.matMul(y, y, isTall, !isTall).arraySync() as number[][][];
      for (const matrix of inner)
        for (const [i, row] of matrix.entries()) {
          expect(row[i]).toBeGreaterThan(0.3);
          expect(row[i]).toBeLessThan(1.6);
        }
    }
  });

  it('four steps of matrices of two shapes are those of float64, and the norm is that of all gradients', () => {
    const [expected, norms] = muonInFloat64(fourSteps);
    const variables = fourSteps.start.map((values) => tf.variable(tf.tensor2d(values as number[][])));
    const m = variables.map((variable) => tf.variable(tf.zerosLike(variable)));
    const found = fourSteps.grads.map((grads, step) => {
      const given = { grads: grads.map((matrix) => tf.tensor2d(matrix as number[][])), m };
      const rates = tf.tensor1d(muonRates({ rate: 0.01 * (step + 1), weightDecay: 0.1 }));
      return applyMuon(variables, { ...given, rates }).dataSync()[0] as number;
    });
    expect(distance(found, norms)).toBeLessThan(1e-5);
    variables.forEach((variable, i) => {
      expect(distance(variable.dataSync(), (expected[i] as MatrixRows).flat())).toBeLessThan(1e-4);
    });
  });

  it('a matrix without a gradient decays and does not move, however long; its momentum goes on where one comes again', () => {
    // For a single number, the method is five steps of x ← 3.4445·x − 4.775·x³ + 2.0315·x⁵: 1 → 0.70100 → 1.11362 →
    // 0.72071 → 1.08997 → 0.69644.
    const matrices = [1, 1].map((value) => tf.variable(tf.tensor2d([[value]])));
    const m = matrices.map((variable) => tf.variable(tf.zerosLike(variable)));
    const numbers = (of: tf.Variable[]) => of.map((variable) => variable.dataSync()[0] as number);
    const step = (first: number, second: number) => {
      const rates = tf.tensor1d(muonRates({ rate: 0.1, weightDecay: 0.5 }));
      const grads = [first, second].map((value) => tf.tensor2d([[value]]));
      applyMuon(matrices, { grads, m, rates }).dispose();
      return numbers(matrices);
    };
    const move = 0.1 * 0.2 * 0.69644;
    expect(distance(step(2, 3), [0.95 - move, 0.95 - move])).toBeLessThan(2e-5);
    const still = [0.95 * (0.95 - move), 0.95 * (0.95 - move) - move];
    expect(distance(step(0, 1e-6), still)).toBeLessThan(2e-5);
    expect(distance(numbers(m), [0.1 * 0.95, 0.15 * 0.95])).toBeLessThan(1e-5);
    for (let times = 0; times < 10; times++) step(0, 0);
    const decayed = still.map((value) => value * 0.95 ** 10);
    expect(distance(numbers(matrices), decayed)).toBeLessThan(2e-5);
    // The momentum from earlier steps is larger than this small gradient with the opposite sign.
    expect(step(-1e-6, 0)[0]).toBeLessThan((decayed[0] as number) - 0.9 * move);
  });
});
