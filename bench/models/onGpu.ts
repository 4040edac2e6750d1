// A language model of real size on WebGPU, frozen as files store it, with adapters that learn: what is measured of it.
import * as tf from '@tensorflow/tfjs-core';
import { median } from '../../src/base/stats.ts';
import type { ModelShape } from '../../src/config/sizes.ts';
import { counters } from '../../src/engine/counters.ts';
import { flatVariables } from '../../src/engine/flat.ts';
import { lossAndGradients } from '../../src/engine/gradients.ts';
import { adamWRates, applyAdamW } from '../../src/engine/ops/adamW/adamW.ts';
import { type FrozenFormat, frozenFormats } from '../../src/engine/ops/frozen/frozenMatrix.ts';
import { frozenLinear } from '../../src/engine/ops/frozen/frozenLinear.ts';
import { linear } from '../../src/engine/ops/linear/linear.ts';
import { decodingPolicy } from '../../src/model/decoding/decoder.ts';
import { DecodingStates } from '../../src/model/decoding/decodingStates.ts';
import { adaptedTree, adapterOf, adapterVariables, initialAdapters } from '../../src/model/network/adapter.ts';
import { headLogprobs } from '../../src/model/network/headLogprobs.ts';
import { rowHiddenStates } from '../../src/model/network/llama.ts';
import { disposeTree, uploadFrozen, type WeightTree } from '../../src/model/network/parameters.ts';
import { rotaryTables } from '../../src/model/network/positions.ts';
import { parameterNames } from '../../src/records/parameters.ts';
import type { StoredMatrix } from '../../src/records/stored/storedMatrix.ts';
import { chanceBytes, heardTokens, noise, shape } from './work.ts';

export type BaseFormat = 'f32' | FrozenFormat;
const stored = { f32: 'F32', f16: 'F16', q8_0: 'Q8_0', q4_0: 'Q4_0', q4_1: 'Q4_1' } as const;
const isStored = (format: BaseFormat): format is FrozenFormat => (frozenFormats as readonly string[]).includes(format);
const rank = 8;

export interface Learner {
  tree: WeightTree;
  variables: tf.Variable[];
  shape: ModelShape;
  free: () => void;
}

/** A network with adapters on a base of chance; the caller frees it. */
export function learner(format: BaseFormat, of: Partial<ModelShape> = {}): Learner {
  const own = { ...shape, ...of };
  const matrices = parameterNames(own).map(({ name, shape: sizes }): StoredMatrix => {
    const [rows = 0, columns] = sizes;
    if (columns === undefined)
      return { name, shape: sizes, format: 'F32', bytes: new Uint8Array(new Float32Array(rows).fill(1).buffer) };
    const bytes = isStored(format)
      ? chanceBytes(format, rows, columns)
      : new Uint8Array(noise(rows * columns, 0.05).buffer);
    return { name, shape: sizes, format: stored[format], bytes };
  });
  const base = uploadFrozen(matrices, own);
  const adapter = adapterOf(flatVariables(initialAdapters(own, { rank, seed: 1 })), own, { base, scale: 2 });
  const variables = adapterVariables(adapter);
  const free = () => {
    tf.dispose(variables);
    disposeTree(base);
  };
  return { tree: adaptedTree(adapter), variables, shape: own, free };
}

/** The rows that are learned from: `next` are the tokens to be said, which lie there until the way back is over. */
interface Lesson {
  ids: number[];
  rows: number;
  next: tf.Tensor1D;
}

function lessonOf(rows: number, length: number, { vocabSize }: ModelShape): Lesson {
  const ids = heardTokens(rows * length).map((id) => id % vocabSize);
  return { ids, rows, next: tf.tensor1d([...ids.slice(1), 0], 'int32') };
}

/** Σ of the log-probabilities of so many rows. */
function loss({ tree, shape: own }: Learner, { ids, rows, next }: Lesson): tf.Scalar {
  const length = ids.length / rows;
  const { cos, sin } = rotaryTables(length, own);
  const table = (values: Float32Array) => tf.tensor3d(values, [1, length, own.headSize]);
  const rotation = { cos: table(cos), sin: table(sin) };
  const hidden = rowHiddenStates(tf.tensor2d(ids, [rows, length], 'int32'), { tree, shape: own, rotation });
  return tf.neg(tf.sum(headLogprobs(hidden, next, { tree, shape: own, temperature: 1 }).logprobs)) as tf.Scalar;
}

interface Gone {
  ms: number;
  dispatches: number;
}

/** Milliseconds until what `work` leaves is there, and the launches that it took. */
async function timed(work: () => tf.Tensor[]): Promise<Gone> {
  const [start, { dispatches }] = [performance.now(), counters()];
  const left = work();
  await (left[0] as tf.Tensor).data();
  tf.dispose(left);
  return { ms: performance.now() - start, dispatches: counters().dispatches - dispatches };
}

/** Shortest time of a block's forward and backward pass: SmolLM2's, between few words and a norm. */
export async function block(format: BaseFormat, { tokens, rounds }: { tokens: number; rounds: number }): Promise<Gone> {
  const one = learner(format, { numLayers: 1, vocabSize: 64 });
  const lesson = lessonOf(1, tokens, one.shape);
  const pass = () => {
    const { value, grads } = lossAndGradients(() => tf.tidy(() => loss(one, lesson)), one.variables);
    return [Object.values(grads)[0] as tf.Tensor, value, ...Object.values(grads).slice(1)];
  };
  await timed(pass);
  const gone: Gone[] = [];
  for (let round = 0; round < rounds; round++) gone.push(await timed(pass));
  lesson.next.dispose();
  one.free();
  return gone.reduce((best, other) => (other.ms < best.ms ? other : best));
}

/** TFLOP/s of [rows × 576]·[1536 × 576]ᵀ, so often that one read in the end weighs little. */
export async function product(format: BaseFormat, { rows, count }: { rows: number; count: number }): Promise<number> {
  const [lines, columns] = [1536, 576];
  const x = tf.tensor2d(noise(rows * columns, 1), [rows, columns]);
  const w = isStored(format)
    ? { words: tf.tensor1d(new Int32Array(chanceBytes(format, lines, columns).buffer), 'int32'), format, rows: lines, columns } // prettier-ignore
    : tf.tensor2d(noise(lines * columns, 1), [lines, columns]);
  const once = () => ('words' in w ? frozenLinear(x, w) : linear(x, w, true));
  const take = async (times: number) => {
    const { ms } = await timed(() => {
      for (let i = 1; i < times; i++) once().dispose();
      return [tf.tidy(() => tf.slice(once(), [0, 0], [1, 1]))];
    });
    return ms;
  };
  await take(2);
  const rounds: number[] = [];
  for (let round = 0; round < 5; round++) rounds.push((await take(count + 1)) - (await take(1)));
  tf.dispose([x, 'words' in w ? w.words : w]);
  return (2 * rows * lines * columns * count) / (median(rounds) / 1000) / 1e12;
}

/** Seconds in which so many rows hear and then say tokens; sampling as every rollout does it. */
export async function spoken(one: Learner, { rows, heard, said }: { rows: number; heard: number; said: number }) {
  const rooms = new DecodingStates(true);
  const policy = decodingPolicy(one.tree, one.shape, rooms);
  const talk = async () => {
    const session = policy.open(rows);
    session.append(
      Array.from({ length: rows }, (_, row) => ({
        tokens: heardTokens(heard + row)
          .slice(row)
          .map((id) => id % one.shape.vocabSize),
      })),
    );
    const start = performance.now();
    await session.sample({
      window: said,
      isActive: Array.from({ length: rows }, () => true),
      addresses: Uint32Array.from({ length: rows }, (_, row) => row),
      ...{ temperature: 1, endIds: [] },
    });
    session.dispose();
    return (performance.now() - start) / 1000;
  };
  await talk(); // compiles and records
  const { readbacks } = counters();
  const seconds = await talk();
  const reads = counters().readbacks - readbacks;
  rooms.dispose();
  return { seconds, reads };
}

/** Seconds of one update of all adapters on so many rows, a few of them at a time. */
export async function updated(
  one: Learner,
  { rows, length, perPass }: { rows: number; length: number; perPass: number },
) {
  const zeros = () => one.variables.map((variable) => tf.tidy(() => tf.variable(tf.zerosLike(variable))));
  const state = { m: zeros(), v: zeros() };
  const lesson = lessonOf(perPass, length, one.shape);
  let step = 0;
  const update = () => {
    let sums: tf.Tensor[] = [];
    for (let from = 0; from < rows; from += perPass) {
      const { value, grads } = lossAndGradients(() => tf.tidy(() => loss(one, lesson)), one.variables);
      const own = one.variables.map(({ name }) => grads[name] as tf.Tensor);
      const before = sums;
      sums = before.length === 0 ? own : own.map((grad, i) => tf.add(before[i] as tf.Tensor, grad));
      if (before.length > 0) tf.dispose([before, own]);
      value.dispose();
    }
    const options = {
      ...{ learningRate: 1e-4, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: one.variables.map(() => 0) },
      ...{ maxGradNorm: 1, step: ++step },
    };
    const rates = tf.tensor1d(adamWRates(options));
    const { gradNorm } = applyAdamW(one.variables, sums, state, { ...options, rates });
    tf.dispose([sums, rates]);
    return [gradNorm];
  };
  await timed(update); // compiles
  const { ms } = await timed(update);
  tf.dispose([state.m, state.v, lesson.next]);
  return ms / 1000;
}
