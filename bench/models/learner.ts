// A language model of real size with adapters that learn, on a frozen base of random weights in a file format; and its
// training steps.
import * as tf from '@tensorflow/tfjs-core';
import type { ModelShape } from '../../src/config/sizes.ts';
import { flatVariables } from '../../src/engine/flat.ts';
import { lossAndGradients } from '../../src/engine/gradients.ts';
import { adamWRates, applyAdamW } from '../../src/engine/ops/adamW/adamW.ts';
import { type FrozenFormat, frozenFormats } from '../../src/engine/ops/frozen/frozenMatrix.ts';
import { adaptedTree, adapterOf, adapterVariables, initialAdapters } from '../../src/model/network/adapter.ts';
import { disposeTree, uploadFrozen, type WeightTree } from '../../src/model/network/parameters.ts';
import { parameterNames } from '../../src/records/parameters.ts';
import type { StoredMatrix } from '../../src/records/stored/storedMatrix.ts';
import { disposeRows, rowOutputs, uploadRows, type DeviceRows } from '../../src/training/rows/forward.ts';
import type { RowBatch } from '../../src/training/rows/rows.ts';
import { adapterRank, chanceBytes, noise, shape } from './work.ts';

export type BaseFormat = 'f32' | FrozenFormat;
const stored = { f32: 'F32', f16: 'F16', q8_0: 'Q8_0', q4_0: 'Q4_0', q4_1: 'Q4_1' } as const;
export const isStored = (format: BaseFormat): format is FrozenFormat =>
  (frozenFormats as readonly string[]).includes(format);

export interface Learner {
  /** The weights without the adapters. */
  base: WeightTree;
  tree: WeightTree;
  variables: tf.Variable[];
  shape: ModelShape;
  free: () => void;
}

/** The usual files store the embeddings in eight bits and everything else in four. */
const formatOf = (name: string, format: BaseFormat): BaseFormat =>
  isStored(format) && format !== 'f16' && name.includes('embed_tokens') ? 'q8_0' : format;

/** Returns random weights under Hugging Face's names, in the format of the file. */
export function chanceMatrices(format: BaseFormat, of: ModelShape): StoredMatrix[] {
  return parameterNames(of).map(({ name, shape: sizes }): StoredMatrix => {
    const [rows = 0, columns] = sizes;
    if (columns === undefined)
      return { name, shape: sizes, format: 'F32', bytes: new Uint8Array(new Float32Array(rows).fill(1).buffer) };
    const own = formatOf(name, format);
    const bytes = isStored(own) ? chanceBytes(own, rows, columns) : new Uint8Array(noise(rows * columns, 0.05).buffer);
    return { name, shape: sizes, format: stored[own], bytes };
  });
}

/** Returns a network with adapters on a base of random weights; the caller frees it. */
export function learner(format: BaseFormat, of: Partial<ModelShape> = {}): Learner {
  const own = { ...shape, ...of };
  const base = uploadFrozen(chanceMatrices(format, own), own);
  const adapter = adapterOf(flatVariables(initialAdapters(own, { rank: adapterRank, seed: 1 })), own, {
    base,
    scale: 2,
  });
  const variables = adapterVariables(adapter);
  const free = () => {
    tf.dispose(variables);
    disposeTree(base);
  };
  return { base, tree: adaptedTree(adapter), variables, shape: own, free };
}

/** Rows of one learning step: the caller frees `rows` and `weights`. */
export interface Lesson {
  rows: DeviceRows;
  /** [B, T] of each predicted token. */
  weights: tf.Tensor2D;
}

/** Returns rows of equal length. The last `said` tokens of each are learned, with a weight for each row. */
export function lessonOf(
  rows: readonly (readonly number[])[],
  { said = Infinity, weightOf = () => 1 }: { said?: number; weightOf?: (row: number) => number } = {},
): Lesson {
  const length = (rows[0] as number[]).length - 1;
  const column = (of: (row: readonly number[], t: number, b: number) => number) =>
    rows.flatMap((row, b) => Array.from({ length }, (_, t) => of(row, t, b)));
  const isSaid = (t: number) => (t >= length - said ? 1 : 0);
  const none = new Float32Array(rows.length * length);
  const batch: RowBatch = {
    ...{ rows: rows.length, length },
    ids: Int32Array.from(column((row, t) => row[t] as number)),
    targets: Int32Array.from(column((row, t) => row[t + 1] as number)),
    actionMask: Float32Array.from(column((_, t) => isSaid(t))),
    ...{ turnIds: new Int32Array(none.length), oldLogprobs: none },
    ...{ trajectoryIds: new Int32Array(rows.length), agentIds: new Int32Array(rows.length) },
  };
  return {
    rows: uploadRows(batch, { isAsked: Number.isFinite(said) }),
    weights: tf.tensor2d(
      column((_, t, b) => isSaid(t) * weightOf(b)),
      [rows.length, length],
    ),
  };
}

export function disposeLesson({ rows, weights }: Lesson): void {
  disposeRows(rows);
  weights.dispose();
}

/** Returns −Σ weight · log-probability. */
export const loss = (one: Learner, { rows, weights }: Lesson): tf.Scalar =>
  tf.neg(tf.sum(tf.mul(weights, rowOutputs({ ...one, head: null }, rows, 1).logprobs))) as tf.Scalar;

/** Takes AdamW steps; the caller frees it. */
export class Teacher {
  readonly #one: Learner;
  readonly #state: { m: tf.Variable[]; v: tf.Variable[] };
  #step = 0;

  constructor(one: Learner) {
    const zeros = () => one.variables.map((variable) => tf.tidy(() => tf.variable(tf.zerosLike(variable))));
    this.#one = one;
    this.#state = { m: zeros(), v: zeros() };
  }

  /** One step with the summed gradients of all lessons, computed one after the other; returns the gradient norm. */
  step(lessons: readonly (() => Lesson)[]): tf.Tensor {
    const { variables } = this.#one;
    let sums: tf.Tensor[] = [];
    for (const given of lessons) {
      const lesson = given();
      const { value, grads } = lossAndGradients(() => tf.tidy(() => loss(this.#one, lesson)), variables);
      const own = variables.map(({ name }) => grads[name] as tf.Tensor);
      const before = sums;
      sums = before.length === 0 ? own : own.map((grad, i) => tf.add(before[i] as tf.Tensor, grad));
      if (before.length > 0) tf.dispose([before, own]);
      value.dispose();
      disposeLesson(lesson);
    }
    const options = {
      ...{ learningRate: 1e-4, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: variables.map(() => 0) },
      ...{ maxGradNorm: 1, step: ++this.#step },
    };
    const rates = tf.tensor1d(adamWRates(options));
    const { gradNorm } = applyAdamW(variables, sums, this.#state, { ...options, rates });
    tf.dispose([sums, rates]);
    return gradNorm;
  }

  free(): void {
    tf.dispose([this.#state.m, this.#state.v]);
  }
}
