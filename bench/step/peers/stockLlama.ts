// Runs the step in stock TensorFlow.js, written as well as its users can: 2-D products, reused scalars and masks,
// tables and moments created once, stock gradients, AdamW after a clip. No operation of Cothink is used. The embedding
// is a one-hot product, because the gradient of gather is missing on wasm. Matrices are [in, out] and tables are
// transposed in advance, because wasm multiplies fast only without transpose flags (its gradients use them
// nevertheless).
import * as tf from '@tensorflow/tfjs-core';
import type { ModelShape } from '../../../src/config/sizes.ts';
import { submitClock } from '../../gpu/counts.ts';
import type { Taken } from '../contract.ts';
import { optimiser, type StepWork } from '../work.ts';

interface Kept {
  cos: tf.Tensor;
  sin: tf.Tensor;
  /** [T, T]: 0 or −1e9. */
  bias: tf.Tensor;
  scale: tf.Scalar;
  eps: tf.Scalar;
}

type Weights = Map<string, tf.Variable>;

/** Returns a function that performs one update of the workload's network. */
export function stockStep({ shape, rows, length, weights: arrays, ids, targets }: StepWork): () => Promise<Taken> {
  const weights: Weights = new Map(
    arrays.map(({ name, shape: size, values }) => [
      name,
      tf.tidy(() => {
        const given = tf.tensor(values.slice(), size, 'float32');
        return tf.variable(name.endsWith('proj.weight') ? tf.transpose(given) : given);
      }),
    ]),
  );
  const trained = [...weights.values()];
  const update = adamW(trained);
  const kept = keptFor(shape, length);
  return async () => {
    const stop = submitClock(tf.getBackend());
    const loss = tf.tidy(() => {
      const oneHot = (values: Int32Array) => tf.oneHot(tf.tensor1d(values, 'int32'), shape.vocabSize);
      const tokens = tf.cast(oneHot(ids), 'float32') as tf.Tensor2D;
      const wanted = tf.cast(oneHot(targets), 'float32');
      const { value, grads } = tf.variableGrads(() => {
        const logits = llama(tokens, { weights, shape, kept, rows, length });
        return tf.neg(tf.mean(tf.sum(tf.mul(tf.logSoftmax(logits), wanted), 1))) as tf.Scalar;
      }, trained);
      update(trained.map(({ name }) => grads[name] as tf.Tensor));
      return value;
    });
    const reading = loss.data();
    const submitting = stop();
    const [read] = await reading;
    loss.dispose();
    return { loss: read as number, ...submitting };
  };
}

interface Sizes {
  weights: Weights;
  shape: ModelShape;
  kept: Kept;
  rows: number;
  length: number;
}

/** One-hot tokens [N, V] → logits [N, V]. */
function llama(tokens: tf.Tensor2D, sizes: Sizes): tf.Tensor2D {
  const { weights, shape, kept } = sizes;
  const table = weights.get('model.embed_tokens.weight') as tf.Variable<tf.Rank.R2>;
  let x: tf.Tensor2D = tf.matMul(tokens, table);
  for (let layer = 0; layer < shape.numLayers; layer++) {
    const at = (name: string) => weights.get(`model.layers.${layer}.${name}.weight`) as tf.Variable<tf.Rank.R2>;
    const by = (y: tf.Tensor2D, name: string) => tf.matMul(y, at(name)) as tf.Tensor2D;
    const normed = rmsNorm(x, at('input_layernorm'), kept);
    const q = by(normed, 'self_attn.q_proj');
    const k = by(normed, 'self_attn.k_proj');
    const v = by(normed, 'self_attn.v_proj');
    x = tf.add(x, by(attention({ q, k, v }, sizes), 'self_attn.o_proj'));
    const inner = rmsNorm(x, at('post_attention_layernorm'), kept);
    const gate = by(inner, 'mlp.gate_proj');
    const gated = tf.mul(tf.mul(gate, tf.sigmoid(gate)), by(inner, 'mlp.up_proj')) as tf.Tensor2D;
    x = tf.add(x, by(gated, 'mlp.down_proj'));
  }
  const head = shape.isTied ? table : (weights.get('lm_head.weight') as tf.Variable<tf.Rank.R2>);
  return tf.matMul(rmsNorm(x, weights.get('model.norm.weight') as tf.Variable, kept), tf.transpose(head));
}

function rmsNorm(x: tf.Tensor2D, gain: tf.Tensor, { eps }: Kept): tf.Tensor2D {
  return tf.mul(tf.mul(x, tf.rsqrt(tf.add(tf.mean(tf.square(x), 1, true), eps))), gain);
}

/** q [N, H·D], k and v [N, KV·D] → [N, H·D]; query heads of one key head are stacked, so no key is repeated. */
function attention({ q, k, v }: Record<'q' | 'k' | 'v', tf.Tensor2D>, { shape, kept, rows, length }: Sizes) {
  const { numHeads, numKvHeads, headSize } = shape;
  const split = (y: tf.Tensor2D, heads: number) =>
    tf.transpose(tf.reshape(y, [rows, length, heads, headSize]), [0, 2, 1, 3]) as tf.Tensor4D; // [B, H, T, D]
  const stacked = (y: tf.Tensor) => tf.reshape(y, [rows * numKvHeads, -1, headSize]) as tf.Tensor3D;
  const scores = tf.matMul(
    stacked(tf.mul(rotate(split(q, numHeads), kept), kept.scale)),
    stacked(rotate(split(k, numKvHeads), kept)),
    false,
    true,
  );
  const shares = tf.softmax(tf.add(tf.reshape(scores, [rows * numHeads, length, length]), kept.bias));
  const grouped = tf.reshape(shares, [rows * numKvHeads, -1, length]) as tf.Tensor3D;
  const mixed = tf.reshape(tf.matMul(grouped, stacked(split(v, numKvHeads))), [rows, numHeads, length, headSize]);
  return tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [rows * length, numHeads * headSize]) as tf.Tensor2D;
}

/** RoPE of [B, H, T, D], on pairs from the two halves. */
function rotate(x: tf.Tensor4D, { cos, sin }: Kept): tf.Tensor4D {
  const [left, right] = tf.split(x, 2, 3) as [tf.Tensor4D, tf.Tensor4D];
  return tf.add(tf.mul(x, cos), tf.mul(tf.concat([tf.neg(right), left], 3), sin));
}

function keptFor(shape: ModelShape, length: number): Kept {
  const { headSize, ropeTheta } = shape;
  const table = (f: (angle: number) => number) =>
    tf.tensor2d(
      Array.from({ length }, (_, p) =>
        Array.from({ length: headSize }, (__, i) => f(p * ropeTheta ** ((-2 * (i % (headSize / 2))) / headSize))),
      ),
    );
  const triangle = Array.from({ length }, (_, query) => Array.from({ length }, (__, key) => (key > query ? -1e9 : 0)));
  return {
    cos: table(Math.cos),
    sin: table(Math.sin),
    bias: tf.tensor2d(triangle),
    scale: tf.scalar(1 / Math.sqrt(headSize)),
    eps: tf.scalar(shape.normEps),
  };
}

/** AdamW after a clip by the global norm; only two scalars change from step to step. */
function adamW(trained: tf.Variable[]): (grads: tf.Tensor[]) => void {
  const { learningRate, beta1, beta2, eps, weightDecay, maxGradNorm } = optimiser;
  const zeros = () => trained.map((variable) => tf.variable(tf.zerosLike(variable), false));
  const [m, v] = [zeros(), zeros()];
  const [b1, b2, rest1, rest2] = [beta1, beta2, 1 - beta1, 1 - beta2].map((x) => tf.scalar(x)) as [
    tf.Scalar,
    tf.Scalar,
    tf.Scalar,
    tf.Scalar,
  ];
  const [one, limit, tiny, small] = [1, maxGradNorm, 1e-6, eps].map((x) => tf.scalar(x)) as [
    tf.Scalar,
    tf.Scalar,
    tf.Scalar,
    tf.Scalar,
  ];
  const shrink = tf.scalar(1 - learningRate * weightDecay);
  let step = 0;
  return (grads) => {
    step++;
    // tf.addN binds all inputs at once: too many for a WebGPU device.
    const norm = tf.sqrt(tf.sum(tf.stack(grads.map((grad) => tf.sum(tf.square(grad))))));
    const scale = tf.minimum(one, tf.div(limit, tf.add(norm, tiny)));
    const rate = tf.scalar(learningRate / (1 - beta1 ** step));
    const root = tf.scalar(1 / Math.sqrt(1 - beta2 ** step));
    trained.forEach((variable, i) => {
      const grad = tf.mul(grads[i] as tf.Tensor, scale);
      const first = tf.add(tf.mul(m[i] as tf.Variable, b1), tf.mul(grad, rest1));
      const second = tf.add(tf.mul(v[i] as tf.Variable, b2), tf.mul(tf.square(grad), rest2));
      (m[i] as tf.Variable).assign(first);
      (v[i] as tf.Variable).assign(second);
      const moved = tf.div(tf.mul(first, rate), tf.add(tf.mul(tf.sqrt(second), root), small));
      variable.assign(tf.sub(variable.rank > 1 ? tf.mul(variable, shrink) : variable, moved));
    });
  };
}
