// What this project itself makes of tokens: the numbers that other tools are held against, and where they lie.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { unzipSync } from 'fflate';
import { ShapeError } from '../src/base/errors.ts';
import type { ModelShape } from '../src/config/sizes.ts';
import { logits, rowHiddenStates } from '../src/model/network/llama.ts';
import type { WeightTree } from '../src/model/network/parameters.ts';
import { rotaryTables } from '../src/model/network/positions.ts';

/** How many of the likeliest tokens another tool must say too. */
const greedyTokens = 64;

/** Logits after each token of a row, [T][V]. */
export async function logitsOf(ids: readonly number[], tree: WeightTree, shape: ModelShape): Promise<number[][]> {
  const { cos, sin } = rotaryTables(ids.length, shape);
  const table = (values: Float32Array) => tf.tensor3d(values, [1, ids.length, shape.headSize]);
  const rows = tf.tidy(() => {
    const rotation = { cos: table(cos), sin: table(sin) };
    return logits(rowHiddenStates(tf.tensor2d([[...ids]], undefined, 'int32'), { tree, shape, rotation }), tree, shape);
  });
  const values = (await rows.array()) as number[][];
  rows.dispose();
  return values;
}

/**
 * A row and the likeliest tokens after it. Throws ShapeError where the window of the model has no room for them.
 * @param leastLead ends the row before a token that leads the next likeliest by less than this part of the largest logit
 */
export async function greedy(
  ids: readonly number[],
  tree: WeightTree,
  shape: ModelShape,
  leastLead = 0,
): Promise<number[]> {
  const wanted = ids.length + greedyTokens;
  if (wanted > shape.maxPositions)
    throw new ShapeError(`greedy: expected a window of ${wanted} tokens, got ${shape.maxPositions}; let turns be longer.`); // prettier-ignore
  const row = [...ids];
  while (row.length < wanted) {
    const last = (await logitsOf(row, tree, shape)).at(-1) as number[];
    const [first = 0, second = 0] = last.toSorted((a, b) => b - a);
    if (row.length > ids.length && first - second < leastLead * Math.max(...last.map(Math.abs))) break;
    row.push(last.indexOf(first));
  }
  return row;
}

/** Unpacks a zip into a folder. */
export function unpack(folder: string, zip: Uint8Array): void {
  for (const [name, bytes] of Object.entries(unzipSync(zip))) write(path.join(folder, name), bytes);
}

export function write(file: string, content: Uint8Array | object): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content instanceof Uint8Array ? content : JSON.stringify(content));
}
