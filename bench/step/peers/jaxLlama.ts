// Runs the step in jax-js: one jitted function from weights, moments and tokens to the new weights, the new moments and
// the loss. Arrays in jax-js are reference-counted: each use consumes a reference, and `.ref` makes another one.
import { blockUntilReady, init, defaultDevice, jit, nn, numpy as np, valueAndGrad, type Device } from '@jax-js/jax';
import type { ModelShape } from '../../../src/config/sizes.ts';
import type { Taken } from '../contract.ts';
import { optimiser, type StepWork } from '../work.ts';

type Arrays = { [name: string]: np.Array };
type Outcome = { weights: Arrays; m: Arrays; v: Arrays; loss: np.Array };

/** Returns a function that performs one update, on a device of jax-js. Throws if jax-js has no such device here. */
export async function jaxStep(work: StepWork, device: string): Promise<() => Promise<Taken>> {
  const found = await init(device as Device);
  if (!found.includes(device as Device)) throw new Error(`jax-js has no device ${device} here`);
  defaultDevice(device as Device);
  const { shape, rows, length, weights: arrays } = work;
  const zeros = () => Object.fromEntries(arrays.map(({ name, shape: size }) => [name, np.zeros(size)]));
  let state = {
    weights: Object.fromEntries(
      arrays.map(({ name, shape: size, values }) => [name, np.array(values.slice()).reshape(size)]),
    ) as Arrays,
    m: zeros() as Arrays,
    v: zeros() as Arrays,
  };
  const update = jit((weights: Arrays, m: Arrays, v: Arrays, given: Arrays): Outcome => {
    const { rate, root, ...inputs } = given;
    const [loss, grads] = valueAndGrad((trained: Arrays) => meanLoss(trained, inputs, { shape, rows, length }))(
      weights,
    );
    return { ...adamW({ weights, m, v, grads: grads as Arrays }, { rate, root } as Arrays), loss: loss as np.Array };
  });
  const tables = rotaryTables(shape, length);
  const { beta1, beta2, learningRate } = optimiser;
  let step = 0;
  return async () => {
    step++;
    const given = {
      ids: np.array(work.ids.slice()),
      targets: np.array(work.targets.slice()),
      cos: tables.cos.ref,
      sin: tables.sin.ref,
      rate: np.array(learningRate / (1 - beta1 ** step)),
      root: np.array(1 / Math.sqrt(1 - beta2 ** step)),
    };
    const started = performance.now();
    const { loss, ...next } = update(state.weights, state.m, state.v, given) as Outcome;
    const submitMs = device === 'webgpu' ? performance.now() - started : null;
    state = next;
    await blockUntilReady(next);
    const [value] = await loss.data();
    return { loss: value as number, submitMs };
  };
}

interface Sizes {
  shape: ModelShape;
  rows: number;
  length: number;
}

/** Returns the mean cross-entropy. Consumes the inputs and keeps a reference to every weight. */
function meanLoss(weights: Arrays, { ids, targets, cos, sin }: Arrays, { shape, rows, length }: Sizes): np.Array {
  const weight = (name: string) => (weights[name] as np.Array).ref;
  const oneHot = (of: np.Array) => nn.oneHot(of, shape.vocabSize);
  const heads = (y: np.Array, count: number) => y.reshape([rows, length, count, shape.headSize]);
  let x = np.matmul(oneHot(ids as np.Array), weight('model.embed_tokens.weight'));
  for (let layer = 0; layer < shape.numLayers; layer++) {
    const at = (name: string) => weight(`model.layers.${layer}.${name}.weight`);
    const normed = rmsNorm(x.ref, at('input_layernorm'), shape.normEps);
    const by = (name: string, count: number) => heads(linear(normed.ref, at(name)), count);
    const q = rotate(by('self_attn.q_proj', shape.numHeads), cos as np.Array, sin as np.Array);
    const k = rotate(by('self_attn.k_proj', shape.numKvHeads), cos as np.Array, sin as np.Array);
    const mixed = attention({ q, k, v: by('self_attn.v_proj', shape.numKvHeads) });
    normed.dispose();
    x = x.add(linear(mixed, at('self_attn.o_proj')));
    const inner = rmsNorm(x.ref, at('post_attention_layernorm'), shape.normEps);
    const gated = nn.silu(linear(inner.ref, at('mlp.gate_proj'))).mul(linear(inner, at('mlp.up_proj')));
    x = x.add(linear(gated, at('mlp.down_proj')));
  }
  const hidden = rmsNorm(x, weight('model.norm.weight'), shape.normEps);
  const logits = linear(hidden, weight(shape.isTied ? 'model.embed_tokens.weight' : 'lm_head.weight'));
  const chosen = nn.logSoftmax(logits).mul(oneHot(targets as np.Array));
  return np.negative(np.sum(chosen).div(rows * length));
}

/** x [N, in], w [out, in] → [N, out]. */
function linear(x: np.Array, w: np.Array): np.Array {
  return np.matmul(x, w.transpose());
}

function rmsNorm(x: np.Array, gain: np.Array, eps: number): np.Array {
  const square = np.mean(np.square(x.ref), -1, { keepdims: true });
  return x.div(np.sqrt(square.add(eps))).mul(gain);
}

/**
 * Causal attention: q [B, T, H, D], k and v [B, T, KV, D] → [B·T, H·D]. Query heads of one key head are stacked.
 * (`nn.dotProductAttention` uses einsum, which requires a newer Node.)
 */
function attention({ q, k, v }: Record<'q' | 'k' | 'v', np.Array>): np.Array {
  const [rows, length, heads, size] = q.shape as [number, number, number, number];
  const keyHeads = rows * (k.shape[2] as number);
  const stacked = (y: np.Array) => y.transpose([0, 2, 1, 3]).reshape([keyHeads, -1, size]);
  const scaled = stacked(q).mul(1 / Math.sqrt(size));
  const scores = np.matmul(scaled, stacked(k).transpose([0, 2, 1])).reshape([rows * heads, length, length]);
  const shares = nn.softmax(np.where(np.tri(length, length, 0, { dtype: np.bool }), scores, -1e9), -1);
  const mixed = np.matmul(shares.reshape([keyHeads, -1, length]), stacked(v));
  return mixed
    .reshape([rows, heads, length, size])
    .transpose([0, 2, 1, 3])
    .reshape([rows * length, heads * size]);
}

/** Applies RoPE to [B, T, H, D], on pairs from the two halves. The caller keeps the tables. */
function rotate(x: np.Array, cos: np.Array, sin: np.Array): np.Array {
  const [left, right] = np.split(x.ref, 2, -1) as [np.Array, np.Array];
  return x.mul(cos.ref).add(np.concatenate([np.negative(right), left], -1).mul(sin.ref));
}

/** Returns cos and sin as [T, 1, D]. */
function rotaryTables({ headSize, ropeTheta }: ModelShape, length: number): { cos: np.Array; sin: np.Array } {
  const table = (f: (angle: number) => number) =>
    np
      .array(
        Float32Array.from({ length: length * headSize }, (_, at) =>
          f(Math.floor(at / headSize) * ropeTheta ** ((-2 * (at % (headSize / 2))) / headSize)),
        ),
      )
      .reshape([length, 1, headSize]);
  return { cos: table(Math.cos), sin: table(Math.sin) };
}

/** AdamW after a clip by the global norm; consumes everything. */
function adamW(
  { weights, m, v, grads }: Record<'weights' | 'm' | 'v' | 'grads', Arrays>,
  { rate, root }: Arrays,
): Omit<Outcome, 'loss'> {
  const { learningRate, beta1, beta2, eps, weightDecay, maxGradNorm } = optimiser;
  const names = Object.keys(weights);
  const squares = names.map((name) => np.sum(np.square((grads[name] as np.Array).ref)));
  const norm = np.sqrt(squares.reduce((sum, square) => sum.add(square)));
  const scale = np.minimum(1, np.array(maxGradNorm).div(norm.add(1e-6)));
  const next: Omit<Outcome, 'loss'> = { weights: {}, m: {}, v: {} };
  for (const name of names) {
    const grad = (grads[name] as np.Array).mul(scale.ref);
    const first = (m[name] as np.Array).mul(beta1).add(grad.ref.mul(1 - beta1));
    const second = (v[name] as np.Array).mul(beta2).add(np.square(grad).mul(1 - beta2));
    const below = np
      .sqrt(second.ref)
      .mul((root as np.Array).ref)
      .add(eps);
    const decay = (weights[name] as np.Array).ndim > 1 ? 1 - learningRate * weightDecay : 1;
    next.weights[name] = (weights[name] as np.Array).mul(decay).sub(first.ref.mul((rate as np.Array).ref).div(below));
    next.m[name] = first;
    next.v[name] = second;
  }
  scale.dispose();
  (rate as np.Array).dispose();
  (root as np.Array).dispose();
  return next;
}
