// Muon (Jordan 2024, kellerjordan.github.io/posts/muon): the momentum of a matrix is made orthogonal before it is
// added to the matrix. Therefore a matrix moves equally far in all directions, including those in which the gradient
// is small.
//   m ← β·m + (1 − β)·g
//   u = β·m + (1 − β)·g
//   p ← p·(1 − rate·decay) − rate·0.2·√max(rows, columns)·orthogonal(u)
// The factor 0.2·√max(rows, columns) is that of Moonlight (2502.16982). It makes a step about as long as a step of
// AdamW at the same rate. There are two deviations:
// 1. Projections that read the same input are one matrix here (model/network/packing.ts) and are made orthogonal
//    together.
// 2. A matrix without a gradient decays but does not move. Otherwise its fading momentum, made orthogonal, would always
//    move it by a whole step.
import * as tf from '@tensorflow/tfjs-core';
import { placesByKey } from '../../../base/groups.ts';
import { scalar } from '../constants.ts';
import { copyInto } from '../inPlace/inPlace.ts';
import { hasKernel } from '../kernel.ts';

const momentum = 0.95;
const steps = 5;
/** Squared norms of gradients below this number count as zero. */
const none = 1e-30;
/** a·x + b·x³ + c·x⁵, applied five times, maps singular values in (0, 1] to about 1, unless they are very small. */
const [a, b, c] = [3.4445, -4.775, 2.0315];

export interface MuonOptions {
  /** > 0 */
  rate: number;
  weightDecay: number;
}

/**
 * The numbers that change from step to step, [2]: the learning rate, and the factor by which weights shrink in the
 * decay.
 */
export const muonRates = ({ rate, weightDecay }: MuonOptions): Float32Array =>
  Float32Array.of(rate, 1 - rate * weightDecay);

/**
 * Updates matrices and their momenta, which start at zero, by one step. The gradients are not disposed, and nothing is
 * uploaded.
 * @param rates [2], as `muonRates` returns them
 * @returns the sum of the squared norms of all gradients; the caller disposes it
 */
export function applyMuon(
  matrices: readonly tf.Variable[],
  { grads, m, rates }: { grads: readonly tf.Tensor[]; m: readonly tf.Variable[]; rates: tf.Tensor1D },
): tf.Scalar {
  return tf.tidy(() => {
    const [rate, kept] = [0, 1].map((at) => tf.reshape(tf.slice(rates, [at], [1]), [])) as [tf.Scalar, tf.Scalar];
    const squares: tf.Tensor[] = [];
    // Matrices of the same shape are stacked, so that their products are computed together.
    for (const places of placesByKey(matrices.map(({ shape }) => shape.join())).values()) {
      const together = (from: readonly tf.Tensor[]) =>
        tf.stack(places.map((at) => from[at] as tf.Tensor)) as tf.Tensor3D;
      const fresh = together(grads);
      const norms = tf.sum(tf.square(fresh), [1, 2], true); // [N, 1, 1]
      squares.push(tf.sum(norms));
      const isMoved = tf.div(norms, tf.maximum(norms, scalar(none))); // 1, and 0 where the gradient is
      const part = tf.mul(fresh, scalar(1 - momentum));
      const mean = tf.add(tf.mul(together(m), scalar(momentum)), part);
      const step = orthogonal(tf.add(tf.mul(mean, scalar(momentum)), part));
      const [, rows, columns] = step.shape;
      const move = tf.mul(tf.mul(step, scalar(0.2 * Math.sqrt(Math.max(rows, columns)))), tf.mul(isMoved, rate));
      const next = tf.sub(tf.mul(together(matrices), kept), move);
      const means = tf.unstack(mean);
      tf.unstack(next).forEach((matrix, i) => {
        const at = places[i] as number;
        write(matrices[at] as tf.Variable, matrix);
        write(m[at] as tf.Variable, means[i] as tf.Tensor);
      });
    }
    return tf.addN(squares) as tf.Scalar;
  });
}

/**
 * Approximates U·Vᵀ of each matrix U·S·Vᵀ in x [N, R, C]: all singular values that are not much smaller than the norm
 * of the matrix become about 0.7 to 1.2.
 */
export function orthogonal(x: tf.Tensor3D): tf.Tensor3D {
  return tf.tidy(() => {
    const [, rows, columns] = x.shape;
    const isTall = rows > columns;
    const norms = tf.sqrt(tf.sum(tf.square(x), [1, 2], true));
    let y = tf.div(x, tf.add(norms, scalar(1e-7)));
    // y·yᵀ or yᵀ·y, whichever is smaller.
    const square = (of: tf.Tensor) => tf.matMul(of, of, isTall, !isTall);
    for (let step = 0; step < steps; step++) {
      const inner = square(y);
      const higher = tf.add(tf.mul(inner, scalar(b)), tf.mul(tf.matMul(inner, inner), scalar(c)));
      const turned = isTall ? tf.matMul(y, higher) : tf.matMul(higher, y);
      y = tf.add(tf.mul(y, scalar(a)), turned);
    }
    return y as tf.Tensor3D;
  });
}

/** Writes a tensor to a variable, in place if the backend supports this, so that a recorded step keeps its buffers. */
function write(to: tf.Variable, from: tf.Tensor): void {
  if (hasKernel('CopyInto')) copyInto(to, from);
  else to.assign(from);
}
