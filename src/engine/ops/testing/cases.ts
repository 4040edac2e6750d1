// One small random case of every differentiable op, for the tests: how to run it as shipped, composed and in
// float64. Odd sizes on purpose: a kernel that only works on multiples of its tile fails here.
import * as tf from '@tensorflow/tfjs-core';
import { Draws } from '../../../base/random.ts';
import { causalAttention, causalAttentionComposed } from '../attention/causalAttention.ts';
import { embed, embedComposed } from '../embed/embed.ts';
import { linear } from '../linear/linear.ts';
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
import { addNorm, addNormComposed, rmsNorm, rmsNormComposed } from '../norm/rmsNorm.ts';
import { swiGlu, swiGluComposed } from '../swiGlu/swiGlu.ts';
import { tokenLogprobs, type TokenLogprobs, tokenLogprobsComposed } from '../tokens/tokenLogprobs.ts';
import { weightedSum } from '../loss/weightedSum.ts';

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
    addNormCase(7, 13, false),
    addNormCase(3, 48, false),
    addNormCase(5, 12, true),
    weightedSumCase(4, 7),
    ...[false, true].flatMap((isMasked) => [
      attentionCase([2, 5, 4, 2, 6], { isMasked, tables: 1 }),
      attentionCase([3, 5, 2, 2, 12], { isMasked, tables: 3 }),
      attentionCase([2, 7, 4, 1, 16], { isMasked, tables: 1 }),
      attentionCase([2, 19, 2, 1, 4], { isMasked, tables: 2 }),
      attentionCase([1, 1, 2, 2, 2], { isMasked, tables: 1 }),
    ]),
    embedCase(11, 9, 13),
    embedCase(5, 32, 8),
    logprobsCase(7, 13, 1),
    logprobsCase(6, 32, 0.7),
  ];
}

export function linearCase(rows: number, inner: number, outs: number): OpCase {
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

export function rmsNormCase(rows: number, width: number): OpCase {
  const eps = 1e-5;
  return {
    title: `rmsNorm [${[rows, width].join(', ')}]`,
    shapes: [[rows, width], [width]],
    shipped: ([x, gain]) => rmsNorm(x as tf.Tensor2D, gain as tf.Tensor1D, eps),
    composed: ([x, gain]) => rmsNormComposed(x as tf.Tensor2D, gain as tf.Tensor1D, eps),
    reference: ([x, gain]) => rmsNormReference(x as Numbers, gain as Numbers, eps),
  };
}

/** Both outputs, each with weights of its own, so that either gradient can be wrong alone. */
export function addNormCase(rows: number, width: number, isLast: boolean): OpCase {
  const eps = 1e-5;
  const run = (op: typeof addNorm) => (inputs: tf.Tensor[]) => {
    const [x, delta, gain] = inputs as [tf.Tensor2D, tf.Tensor2D, tf.Tensor1D];
    const { sum, normed } = op({ x, delta, gain, eps, isLast });
    return isLast ? normed : tf.concat([sum, normed], 0);
  };
  return {
    title: `addNorm [${[rows, width].join(', ')}]${isLast ? ', the last' : ''}`,
    shapes: [[rows, width], [rows, width], [width]],
    shipped: run(addNorm),
    composed: run(addNormComposed),
    reference: ([x, delta, gain]) => {
      const sum = (x as Numbers).map((value, i) => value + ((delta as Numbers)[i] as number));
      const normed = rmsNormReference(sum, gain as Numbers, eps);
      return isLast ? normed : Float64Array.from([...sum, ...normed]);
    },
  };
}

export function weightedSumCase(rows: number, width: number): OpCase {
  const weights = normals(rows * width, 19);
  const run = ([x]: tf.Tensor[]) => weightedSum(x as tf.Tensor, tf.tensor2d(Float32Array.from(weights), [rows, width]));
  return {
    title: `weightedSum [${[rows, width].join(', ')}]`,
    shapes: [[rows, width]],
    shipped: run,
    composed: run,
    reference: ([x]) => Float64Array.of((x as Numbers).reduce((sum, v, i) => sum + v * (weights[i] as number), 0)),
  };
}

export function swiGluCase(rows: number, width: number): OpCase {
  return {
    title: `swiGlu [${[rows, width].join(', ')}]`,
    shapes: [[rows, 2 * width]],
    shipped: ([x]) => swiGlu(x as tf.Tensor2D),
    composed: ([x]) => swiGluComposed(x as tf.Tensor2D),
    reference: ([x]) => {
      const half = (from: number) =>
        Float64Array.from(
          { length: rows * width },
          (_, at) => (x as Numbers)[Math.floor(at / width) * 2 * width + from + (at % width)] as number,
        );
      return swiGluReference(half(0), half(width));
    },
  };
}

export function attentionCase(
  sizes: [number, number, number, number, number],
  { isMasked, tables }: { isMasked: boolean; tables: number },
): OpCase {
  const [batch, length, heads, keyHeads, size] = sizes;
  const columns = (heads + 2 * keyHeads) * size;
  const mask = Float32Array.from(normals(batch * length, 17), (x) => (x > 0.3 ? 0 : 1));
  const { cos, sin } = rotaryCase(tables, length, size);
  const table = (values: Numbers) => tf.tensor3d(Float32Array.from(values), [tables, length, size]);
  const inputs = ([qkv]: tf.Tensor[]) => ({
    ...{ qkv: qkv as tf.Tensor2D, heads, keyHeads, cos: table(cos), sin: table(sin) },
    keyMask: isMasked ? tf.tensor2d(mask, [batch, length]) : undefined,
  });
  const isVisible = (b: number, query: number, key: number) =>
    key === query || (key < query && (!isMasked || mask[b * length + key] === 1));
  return {
    title: `causalAttention [${sizes.join(', ')}] ${isMasked ? 'masked' : 'unmasked'}, ${String(tables)} tables`,
    shapes: [[batch * length, columns]],
    shipped: (tensors) => causalAttention(inputs(tensors)),
    composed: (tensors) => causalAttentionComposed(inputs(tensors)),
    reference: ([qkv]) => {
      const part = (from: number, count: number) =>
        Float64Array.from({ length: batch * length * count * size }, (_, at) => {
          const row = Math.floor(at / (count * size));
          return (qkv as Numbers)[row * columns + from * size + (at % (count * size))] as number;
        });
      const turned = (x: Numbers, count: number) => ropeReference(x, cos, sin, [batch, length, count, size]);
      return attentionReference(
        turned(part(0, heads), heads),
        turned(part(heads, keyHeads), keyHeads),
        part(heads + keyHeads, keyHeads),
        { ...{ batch, queries: length, keys: length, heads, keyHeads, size }, isVisible },
      );
    },
  };
}

/** cos and sin of random angles, [tables, length, size], both halves of the last axis equal. */
function rotaryCase(tables: number, length: number, size: number): { cos: Numbers; sin: Numbers } {
  const angles = normals((tables * length * size) / 2, 91);
  const table = (f: (x: number) => number) =>
    Float64Array.from({ length: angles.length * 2 }, (_, at) => {
      const row = Math.floor(at / size);
      return Math.fround(f(angles[(row * size) / 2 + (at % (size / 2))] as number));
    });
  return { cos: table(Math.cos), sin: table(Math.sin) };
}

export function embedCase(count: number, vocabulary: number, width: number): OpCase {
  const ids = Int32Array.from({ length: count }, (_, i) => (i * 5 + 3) % vocabulary);
  return {
    title: `embed [${[count, vocabulary, width].join(', ')}]`,
    shapes: [[vocabulary, width]],
    shipped: ([table]) => embed(tf.tensor1d(ids, 'int32'), table as tf.Tensor2D),
    composed: ([table]) => embedComposed(tf.tensor1d(ids, 'int32'), table as tf.Tensor2D),
    reference: ([table]) => embedReference(ids, table as Numbers, width),
  };
}

export function logprobsCase(rows: number, vocabulary: number, temperature: number): OpCase {
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
