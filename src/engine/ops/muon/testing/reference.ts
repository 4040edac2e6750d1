// Muon in float64 by plain loops, and matrices and gradients for its tests.
import { normals } from '../../testing/numbers.ts';

export type MatrixRows = readonly (readonly number[])[];

export interface MuonCase {
  start: readonly MatrixRows[];
  /**
   * For each step, the gradients of all matrices. The learning rate of step s is 0.01·(s + 1), and the decay is 0.1.
   */
  grads: readonly (readonly MatrixRows[])[];
}

const map = (x: MatrixRows, of: (value: number, i: number, j: number) => number): MatrixRows =>
  x.map((row, i) => row.map((value, j) => of(value, i, j)));
const random = ([rows, columns]: readonly [number, number], seed: number): MatrixRows => {
  const values = normals(rows * columns, seed);
  return Array.from({ length: rows }, (_, i) => Array.from(values.subarray(i * columns, (i + 1) * columns)));
};
const shapes = [
  [5, 9],
  [7, 4],
  [5, 9],
] as const;

/** In the third step, one of two matrices with the same shape has no gradient. */
export const fourSteps: MuonCase = {
  start: shapes.map(random),
  grads: [1, 2, 3, 4].map((step) =>
    shapes.map((shape, i) => (step === 3 && i === 2 ? map(random(shape, 1), () => 0) : random(shape, 10 * step + i))),
  ),
};

const at = (x: MatrixRows, i: number, j: number) => x[i]?.[j] as number;
const times = (x: MatrixRows, y: MatrixRows): MatrixRows =>
  x.map((row) => (y[0] as number[]).map((_, j) => row.reduce((sum, value, k) => sum + value * at(y, k, j), 0)));
const turned = (x: MatrixRows): MatrixRows => (x[0] as number[]).map((_, j) => x.map((row) => row[j] as number));
const squares = (x: MatrixRows) => x.flat().reduce((sum, value) => sum + value * value, 0);

function orthogonal(x: MatrixRows): MatrixRows {
  let y = map(x, (value) => value / (Math.sqrt(squares(x)) + 1e-7));
  for (let step = 0; step < 5; step++) {
    const inner = times(y, turned(y));
    const twice = times(inner, inner);
    const higher = times(
      map(inner, (value, i, j) => -4.775 * value + 2.0315 * at(twice, i, j)),
      y,
    );
    const old = y;
    y = map(old, (value, i, j) => 3.4445 * value + at(higher, i, j));
  }
  return y;
}

/** The matrices after all steps, and for each step the sum of the squared norms of its gradients. */
export function muonInFloat64({ start, grads }: MuonCase): [MatrixRows[], number[]] {
  const matrices = [...start];
  const momenta = start.map((matrix) => map(matrix, () => 0));
  const norms = grads.map((ofStep, step) => {
    const rate = 0.01 * (step + 1);
    ofStep.forEach((grad, n) => {
      const mean = map(grad, (value, i, j) => 0.95 * at(momenta[n] as MatrixRows, i, j) + 0.05 * value);
      momenta[n] = mean;
      const move = orthogonal(map(grad, (value, i, j) => 0.95 * at(mean, i, j) + 0.05 * value));
      const isMoved = squares(grad) > 0;
      const length = isMoved ? rate * 0.2 * Math.sqrt(Math.max(grad.length, (grad[0] as number[]).length)) : 0;
      matrices[n] = map(matrices[n] as MatrixRows, (value, i, j) => value * (1 - rate * 0.1) - length * at(move, i, j));
    });
    return ofStep.reduce((sum, grad) => sum + squares(grad), 0);
  });
  return [matrices, norms];
}
