// Rollouts: one turn of 256 rows, decoded over the KV cache, against the plain way: the whole row through the network
// for every token, logits read back, the token drawn on the host. Same weights, same draws, so the same tokens.
import * as tf from '@tensorflow/tfjs-core';
import { Draws, streams, uniform } from '../src/base/random.ts';
import { presetConfig } from '../src/config/presets.ts';
import { parameterCount, type ModelShape } from '../src/config/sizes.ts';
import { decodingPolicy } from '../src/model/decoder.ts';
import { logits, rowHiddenStates } from '../src/model/llama.ts';
import { initialWeights, uploadTree, type ParameterTree } from '../src/model/parameters.ts';
import { rotaryTables } from '../src/model/positions.ts';
import { assembleTeam } from '../src/training/team.ts';
import { startBackend } from './nodeBackend.ts';
import type { Engine } from './stepEngine.ts';

const rows = 256;
const seed = 5;
/** Tokens each row has heard when its turn begins: a problem and some turns. */
const heard = 48;

interface Turn {
  tree: ParameterTree;
  shape: ModelShape;
  /** [rows][heard] */
  contexts: number[][];
  window: number;
  /** [rows · window] */
  uniforms: Float32Array;
}

/** Opens `cothink` (cached) or `full forward` on a backend; a step is one turn of all rows. */
export async function openRollout(way: string, backend: string): Promise<Engine> {
  const adapter = await startBackend(backend, { ours: true });
  const { shape, settings } = assembleTeam(presetConfig('default'));
  const window = Math.max(...Object.values(settings.windows));
  const draws = new Draws(seed, streams.demonstrations, 1);
  const turn: Turn = {
    tree: uploadTree(initialWeights(shape, seed), shape),
    shape,
    contexts: Array.from({ length: rows }, () => Array.from({ length: heard }, () => draws.below(shape.vocabSize))),
    window,
    uniforms: Float32Array.from({ length: rows * window }, (_, i) => uniform(seed, streams.sampling, 0, i)),
  };
  const reads = countReads();
  return {
    backend: tf.getBackend(),
    adapter,
    parameters: parameterCount(shape),
    note: `${rows} rows, ${heard} tokens heard, ${window} sampled`,
    step: async () => {
      const before = reads.count;
      const ids = await (way === 'cothink' ? cachedTurn : fullTurn)(turn);
      const checksum = ids.reduce((sum, id, i) => (sum + (id + 1) * ((i % 97) + 1)) % 1_000_003, 0);
      return {
        loss: Number.NaN,
        submitMs: null,
        tokens: rows * window,
        extra: { readbacks: reads.count - before, checksum },
      };
    },
  };
}

async function cachedTurn({ tree, shape, contexts, window, uniforms }: Turn): Promise<Int32Array> {
  const session = decodingPolicy(tree, shape).open(rows);
  session.append(contexts.map((tokens) => ({ tokens })));
  const isActive = contexts.map(() => true);
  // No token of this number is in the vocabulary: every row fills its window.
  const { ids } = await session.sample({ window, isActive, uniforms, temperature: 1, endIds: [shape.vocabSize] });
  session.dispose();
  return ids;
}

async function fullTurn({ tree, shape, contexts, window, uniforms }: Turn): Promise<Int32Array> {
  const said = new Int32Array(rows * window);
  for (let t = 0; t < window; t++) {
    const length = heard + t;
    const ids = new Int32Array(rows * length);
    contexts.forEach((tokens, b) => {
      ids.set(tokens, b * length);
      ids.set(said.subarray(b * window, b * window + t), b * length + heard);
    });
    const last = tf.tidy(() => {
      const { cos, sin } = rotaryTables(length, shape.headSize, shape.ropeTheta);
      const table = (values: Float32Array) => tf.tensor3d(values, [1, length, shape.headSize]);
      const rotation = { cos: table(cos), sin: table(sin) };
      const hidden = rowHiddenStates(tf.tensor2d(ids, [rows, length], 'int32'), { tree, shape, rotation });
      const byRow = tf.reshape(hidden, [rows, length, shape.hiddenSize]);
      const newest = tf.reshape(tf.slice(byRow, [0, length - 1, 0], [rows, 1, -1]), [rows, -1]) as tf.Tensor2D;
      return logits(newest, tree, shape);
    });
    const values = await last.data<'float32'>();
    last.dispose();
    for (let b = 0; b < rows; b++) {
      const row = values.subarray(b * shape.vocabSize, (b + 1) * shape.vocabSize);
      said[b * window + t] = drawn(row, uniforms[b * window + t] as number);
    }
  }
  return said;
}

/** Inverse CDF of softmax(logits). */
function drawn(row: Float32Array, at: number): number {
  const top = Math.max(...row);
  const shares = row.map((x) => Math.exp(x - top));
  const total = shares.reduce((sum, share) => sum + share, 0);
  let passed = 0;
  for (let id = 0; id < shares.length; id++) {
    passed += (shares[id] as number) / total;
    if (at < passed) return id;
  }
  return shares.length - 1;
}

/** Counts what is read from the backend, from now on. */
function countReads(): { count: number } {
  const reads = { count: 0 };
  const backend = tf.backend();
  const { read, readSync } = backend;
  backend.read = (dataId) => (reads.count++, read.call(backend, dataId));
  backend.readSync = (dataId) => (reads.count++, readSync.call(backend, dataId));
  return reads;
}
