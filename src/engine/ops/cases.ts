// One small random case of every differentiable op, for the tests: how to run it as shipped, composed and in
// float64. Odd sizes on purpose: a kernel that only works on multiples of its tile fails here.
import * as tf from '@tensorflow/tfjs-core';
import { Draws } from '../../base/random.ts';
import { causalAttention, causalAttentionComposed } from './causalAttention.ts';
import { embed, embedComposed } from './embed.ts';
import { linear } from './linear.ts';
import {
  attentionReference,
  embedReference,
  linearReference,
  type Numbers,
  rmsNormReference,
  ropeReference,
  swiGluReference,
  tokenLogprobsReference,
} from './reference.ts';
import { rmsNorm, rmsNormComposed } from './rmsNorm.ts';
import { rope, ropeComposed } from './rope.ts';
import { swiGlu, swiGluComposed } from './swiGlu.ts';
import { tokenLogprobs, type TokenLogprobs, tokenLogprobsComposed } from './tokenLogprobs.ts';

export interface OpCase {
  title: string;
  /** Shapes of the differentiable inputs. */
  shapes: number[][];
  shipped: (inputs: tf.Tensor[]) => tf.Tensor;
  composed: (inputs: tf.Tensor[]) => tf.Tensor;
  reference: (inputs: Numbers[]) => Numbers;
}

/** Standard normal numbers, exactly representable in float32. */
export function normals(count: number, seed: number): Numbers {
  const draws = new Draws(seed, 0, 0);
  return Float64Array.from({ length: count }, () => Math.fround(draws.normal()));
}

export function opCases(): OpCase[] {
  return [
    linearCase(1, 5, 3),
    linearCase(13, 7, 11),
    linearCase(9, 48, 21),
    linearCase(33, 16, 32),
    rmsNormCase(7, 13),
    rmsNormCase(3, 48),
    rmsNormCase(5, 3),
    swiGluCase(5, 7),
    swiGluCase(4, 12),
    ropeCase([2, 5, 3, 6], 1),
    ropeCase([3, 4, 2, 12], 3),
    ropeCase([2, 3, 4, 16], 2),
    ...[false, true].flatMap((isMasked) => [
      attentionCase([2, 5, 4, 2, 6], isMasked),
      attentionCase([3, 9, 4, 4, 12], isMasked),
      attentionCase([2, 7, 4, 1, 16], isMasked),
      attentionCase([1, 1, 2, 2, 3], isMasked),
    ]),
    embedCase(11, 9, 13),
    embedCase(5, 32, 8),
    logprobsCase(7, 13, 1),
    logprobsCase(6, 32, 0.7),
  ];
}

function linearCase(rows: number, inner: number, outs: number): OpCase {
  const run = ([x, w]: tf.Tensor[]) => linear(x as tf.Tensor2D, w as tf.Tensor2D);
  return {
    title: `linear [${[rows, inner, outs].join(', ')}]`,
    shapes: [
      [rows, inner],
      [outs, inner],
    ],
    shipped: run,
    composed: run,
    reference: ([x, w]) => linearReference(x as Numbers, w as Numbers, inner),
  };
}

function rmsNormCase(rows: number, width: number): OpCase {
  const eps = 1e-5;
  return {
    title: `rmsNorm [${[rows, width].join(', ')}]`,
    shapes: [[rows, width], [width]],
    shipped: ([x, gain]) => rmsNorm(x as tf.Tensor2D, gain as tf.Tensor1D, eps),
    composed: ([x, gain]) => rmsNormComposed(x as tf.Tensor2D, gain as tf.Tensor1D, eps),
    reference: ([x, gain]) => rmsNormReference(x as Numbers, gain as Numbers, eps),
  };
}

function swiGluCase(rows: number, width: number): OpCase {
  return {
    title: `swiGlu [${[rows, width].join(', ')}]`,
    shapes: [
      [rows, width],
      [rows, width],
    ],
    shipped: ([gate, up]) => swiGlu(gate as tf.Tensor2D, up as tf.Tensor2D),
    composed: ([gate, up]) => swiGluComposed(gate as tf.Tensor2D, up as tf.Tensor2D),
    reference: ([gate, up]) => swiGluReference(gate as Numbers, up as Numbers),
  };
}

function ropeCase(shape: [number, number, number, number], tableBatch: number): OpCase {
  const [, length, , size] = shape;
  const angles = normals((tableBatch * length * size) / 2, 91);
  const table = (f: (x: number) => number) =>
    Float64Array.from({ length: angles.length * 2 }, (_, at) => {
      const row = Math.floor(at / size);
      return Math.fround(f(angles[(row * size) / 2 + (at % (size / 2))] as number));
    });
  const [cos, sin] = [table(Math.cos), table(Math.sin)];
  const tensor = (values: Numbers) => tf.tensor3d(Float32Array.from(values), [tableBatch, length, size]);
  return {
    title: `rope [${shape.join(', ')}], ${String(tableBatch)} tables`,
    shapes: [shape],
    shipped: ([x]) => rope(x as tf.Tensor4D, tensor(cos), tensor(sin)),
    composed: ([x]) => ropeComposed(x as tf.Tensor4D, tensor(cos), tensor(sin)),
    reference: ([x]) => ropeReference(x as Numbers, cos, sin, shape),
  };
}

function attentionCase(sizes: [number, number, number, number, number], isMasked: boolean): OpCase {
  const [batch, length, heads, keyHeads, size] = sizes;
  const mask = Float32Array.from(normals(batch * length, 17), (x) => (x > 0.3 ? 0 : 1));
  const inputs = (tensors: tf.Tensor[]) => {
    const [q, k, v] = tensors as [tf.Tensor4D, tf.Tensor4D, tf.Tensor4D];
    return { q, k, v, keyMask: isMasked ? tf.tensor2d(mask, [batch, length]) : undefined };
  };
  const isVisible = (b: number, query: number, key: number) =>
    key === query || (key < query && (!isMasked || mask[b * length + key] === 1));
  return {
    title: `causalAttention [${sizes.join(', ')}] ${isMasked ? 'masked' : 'unmasked'}`,
    shapes: [heads, keyHeads, keyHeads].map((count) => [batch, length, count, size]),
    shipped: (tensors) => causalAttention(inputs(tensors)),
    composed: (tensors) => causalAttentionComposed(inputs(tensors)),
    reference: ([q, k, v]) =>
      attentionReference(q as Numbers, k as Numbers, v as Numbers, {
        ...{ batch, queries: length, keys: length, heads, keyHeads, size },
        isVisible,
      }),
  };
}

function embedCase(count: number, vocabulary: number, width: number): OpCase {
  const ids = Int32Array.from({ length: count }, (_, i) => (i * 5 + 3) % vocabulary);
  return {
    title: `embed [${[count, vocabulary, width].join(', ')}]`,
    shapes: [[vocabulary, width]],
    shipped: ([table]) => embed(tf.tensor1d(ids, 'int32'), table as tf.Tensor2D),
    composed: ([table]) => embedComposed(tf.tensor1d(ids, 'int32'), table as tf.Tensor2D),
    reference: ([table]) => embedReference(ids, table as Numbers, width),
  };
}

function logprobsCase(rows: number, vocabulary: number, temperature: number): OpCase {
  const ids = Int32Array.from({ length: rows }, (_, i) => (i * 5 + 3) % vocabulary);
  const both = ({ logprobs, entropy }: TokenLogprobs) => tf.concat([logprobs, entropy], 0);
  return {
    title: `tokenLogprobs [${[rows, vocabulary].join(', ')}] at ${String(temperature)}`,
    shapes: [[rows, vocabulary]],
    shipped: ([x]) => both(tokenLogprobs(x as tf.Tensor2D, tf.tensor1d(ids, 'int32'), temperature)),
    composed: ([x]) => both(tokenLogprobsComposed(x as tf.Tensor2D, tf.tensor1d(ids, 'int32'), temperature)),
    reference: ([x]) => tokenLogprobsReference(x as Numbers, ids, vocabulary, temperature),
  };
}

/** Output and gradients of Σ weights·f on the current backend, weights as `normals(size, 5)`. */
export async function evaluate(
  run: (inputs: tf.Tensor[]) => tf.Tensor,
  shapes: number[][],
  values: Numbers[],
): Promise<{ output: Float32Array; gradients: Float32Array[] }> {
  const tensors = tf.tidy(() => {
    const inputs = values.map((array, i) => tf.tensor(Float32Array.from(array), shapes[i]));
    const output = run(inputs);
    const weights = tf.tensor(Float32Array.from(normals(output.size, 5)), output.shape);
    return [output, ...tf.grads((...args: tf.Tensor[]) => tf.sum(tf.mul(run(args), weights)))(inputs)];
  });
  const [output, ...gradients] = await Promise.all(tensors.map((tensor) => tensor.data<'float32'>()));
  tf.dispose(tensors);
  return { output: output as Float32Array, gradients };
}
