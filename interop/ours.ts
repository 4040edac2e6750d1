// Computes the results of Cothink for given tokens, with which other tools are compared, and writes their files.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { unzipSync } from 'fflate';
import { ShapeError } from '../src/base/errors.ts';
import type { ModelShape } from '../src/config/sizes.ts';
import { lossAndGradients } from '../src/engine/gradients.ts';
import { picksRows } from '../src/engine/ops/embed/embed.ts';
import { adaptersByProjection } from '../src/model/network/adapter.ts';
import { sharesBeginnings } from '../src/model/network/beginnings.ts';
import { logits, rowHiddenStates } from '../src/model/network/llama.ts';
import { downloadVariable, type WeightTree } from '../src/model/network/parameters.ts';
import { disposeRows, rotationOf, rowOutputs, uploadRows } from '../src/training/rows/forward.ts';
import { layRows } from '../src/training/rows/rows.ts';
import { variables, type Network } from '../src/training/team/network.ts';

/** The number of likeliest tokens that another tool must reproduce. */
const greedyTokens = 64;

/** Returns the logits after each token of a row, [T][V]. */
export async function logitsOf(ids: readonly number[], tree: WeightTree, shape: ModelShape): Promise<number[][]> {
  const rows = tf.tidy(() => {
    const rotation = rotationOf(shape, ids.length);
    return logits(rowHiddenStates(tf.tensor2d([[...ids]], undefined, 'int32'), { tree, shape, rotation }), tree, shape);
  });
  const values = (await rows.array()) as number[][];
  rows.dispose();
  return values;
}

/**
 * Returns a row with the likeliest tokens after it. Throws ShapeError if the window of the model has no room for them.
 * @param leastLead the row ends before a token whose logit leads the next by less than this part of the largest logit
 */
export async function greedy(
  ids: readonly number[],
  tree: WeightTree,
  shape: ModelShape,
  leastLead = 0,
): Promise<number[]> {
  const wanted = ids.length + greedyTokens;
  if (wanted > shape.maxPositions)
    throw new ShapeError(
      `greedy: expected a window of ${wanted} tokens, got ${shape.maxPositions}; let turns be longer.`,
    );
  const row = [...ids];
  while (row.length < wanted) {
    const last = (await logitsOf(row, tree, shape)).at(-1) as number[];
    const [first = 0, second = 0] = last.toSorted((a, b) => b - a);
    if (row.length > ids.length && first - second < leastLead * Math.max(...last.map(Math.abs))) break;
    row.push(last.indexOf(first));
  }
  return row;
}

/** Rows for learning. All begin with the same context, and the first two also with the same tokens after it. */
export interface LearnedRows {
  rows: number[][];
  /** The position of the first learned token. */
  from: number;
  /** The weights of each row. */
  weights: number[];
  temperature: number;
}

/** Returns rows for a batch of gradients. They have different lengths, because padding must change nothing. */
export function learnedRows(ids: readonly number[], vocabSize: number): LearnedRows {
  const said = (seed: number, count: number) => Array.from({ length: count }, (_, i) => (seed + 37 * i) % vocabSize);
  const rows = [said(11, 9), [...said(11, 4), ...said(200, 8)], said(301, 3)].map((own) => [...ids, ...own]);
  return { rows, from: ids.length, weights: [1, -0.5, 0.75], temperature: 0.8 };
}

/** Returns the gradient of −Σ weight · log-probability for A and B of each projection, computed as in training. */
export async function adapterGradients(network: Network, { rows, from, weights, temperature }: LearnedRows) {
  const { tree, shape } = network;
  const views = rows.map((ids, index) => {
    const none = ids.map(() => 0);
    return { index, agent: 0, view: { ids, isAction: ids.map((_, t) => t >= from), turnIds: none, logprobs: none } };
  });
  const batch = layRows(views);
  const uploaded = uploadRows(batch, { isAsked: picksRows(), isShared: sharesBeginnings(shape) });
  const trained = variables(network);
  const weighed = batch.actionMask.map((is, at) => is * (weights[Math.floor(at / batch.length)] as number));
  const { value, grads } = lossAndGradients(
    () =>
      tf.tidy(() => {
        const { logprobs } = rowOutputs({ tree, shape }, uploaded, temperature);
        return tf.neg(tf.sum(tf.mul(logprobs, tf.tensor(weighed, logprobs.shape))));
      }) as tf.Scalar,
    trained,
  );
  const arrays = await Promise.all(trained.map(({ name }) => downloadVariable(name, grads[name] as tf.Tensor)));
  tf.dispose([value, grads]);
  disposeRows(uploaded);
  return adaptersByProjection(arrays, shape);
}

/** Unpacks a zip into a folder. */
export function unpack(folder: string, zip: Uint8Array): void {
  for (const [name, bytes] of Object.entries(unzipSync(zip))) write(path.join(folder, name), bytes);
}

export function write(file: string, content: Uint8Array | object): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content instanceof Uint8Array ? content : JSON.stringify(content));
}
