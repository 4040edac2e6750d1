// Measures rollouts of 256 rows that are decoded with the KV cache, compared with the naive way: the whole row goes
// through the network for every token, logits are read back, and the token is drawn on the host. Both ways have the
// same weights and draws, and therefore the same tokens.
import * as tf from '@tensorflow/tfjs-core';
import { addressOf, Draws, streams, uniformAt } from '../../src/base/random.ts';
import { presetConfig } from '../../src/config/presets.ts';
import { parameterCount, type ModelShape } from '../../src/config/sizes.ts';
import { decodingPolicy } from '../../src/model/decoding/decoder.ts';
import { DecodingStates } from '../../src/model/decoding/decodingStates.ts';
import { logits, rowHiddenStates } from '../../src/model/network/llama.ts';
import { initialWeights, uploadTree, type ParameterTree } from '../../src/model/network/parameters.ts';
import { rotaryTables } from '../../src/model/network/positions.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import type { Engine } from './contract.ts';

const rows = 256;
const seed = 5;

/** A dialogue as one agent reads it: before each of its turns it reads this many tokens, then it fills its window. */
interface Script {
  shape: ModelShape;
  heard: number[];
  window: number;
}

interface Dialogue extends Script {
  tree: ParameterTree;
  rooms: DecodingStates;
  /** [turn][row] → tokens read before it */
  chunks: number[][][];
  /** [turn] → [rows · window] */
  addresses: Uint32Array[];
}

/** Returns the longest dialogue of the default preset, as its reasoner reads it. */
function defaultScript(): Script {
  const { shape, settings, world, protocol, config } = assembleTeam(presetConfig('default'));
  const { metaThinking, reasoning } = settings.windows;
  const message = metaThinking + 2; // both headers
  const { promptWindow } = world.limits(config.world.level, protocol);
  const heard = Array.from({ length: settings.roundLimit }, (_, round) => (round === 0 ? promptWindow : 0) + message);
  return { shape, heard, window: reasoning };
}

/** Returns one long turn of the same network. */
function longScript(): Script {
  return { shape: { ...defaultScript().shape, maxPositions: 96 }, heard: [32], window: 64 };
}

/** Opens `cothink` (cached) or `full forward` on a backend; a step is one whole dialogue of all rows. */
export async function openRollout(way: string, backend: string, isLong: boolean): Promise<Engine> {
  const adapter = await startBackend(backend, { ours: true });
  const script = isLong ? longScript() : defaultScript();
  const { shape, heard, window } = script;
  const draws = new Draws(seed, streams.demonstrations, 1);
  const row = (length: number) => Array.from({ length }, () => draws.below(shape.vocabSize));
  const dialogue: Dialogue = {
    ...script,
    tree: uploadTree(initialWeights(shape, seed), shape),
    rooms: new DecodingStates(true),
    chunks: heard.map((length) => Array.from({ length: rows }, () => row(length))),
    addresses: heard.map((_, turn) =>
      Uint32Array.from({ length: rows }, (__, b) => addressOf(seed, streams.sampling, turn, b * window)),
    ),
  };
  const reads = countReads();
  const tokens = rows * window * heard.length;
  return {
    backend: tf.getBackend(),
    adapter,
    parameters: parameterCount(shape),
    note: `${rows} rows, ${heard.length} turns of ${window} tokens, ${heard.join(' + ')} heard before them`,
    step: async () => {
      const before = reads.count;
      const ids = await (way === 'cothink' ? cachedDialogue : fullDialogue)(dialogue);
      const readbacks = (reads.count - before) / heard.length;
      return { loss: Number.NaN, submitMs: null, tokens, extra: { readbacks, checksum: checksum(ids) } };
    },
  };
}

/** Returns all generated tokens, [turn] → [rows · window]. */
async function cachedDialogue({ tree, shape, rooms, chunks, window, addresses }: Dialogue): Promise<Int32Array[]> {
  const session = decodingPolicy(tree, shape, rooms).open(rows);
  const isActive = Array.from({ length: rows }, () => true);
  const said: Int32Array[] = [];
  for (const [turn, chunk] of chunks.entries()) {
    session.append(chunk.map((tokens) => ({ tokens })));
    // The vocabulary has no token with this number, so every row fills its window.
    const endIds = [shape.vocabSize];
    said.push(
      (await session.sample({ window, isActive, addresses: addresses[turn] as Uint32Array, temperature: 1, endIds }))
        .ids,
    );
  }
  session.dispose();
  return said;
}

async function fullDialogue({ tree, shape, chunks, window, addresses }: Dialogue): Promise<Int32Array[]> {
  const texts: number[][] = Array.from({ length: rows }, () => []);
  const said: Int32Array[] = [];
  for (const [turn, chunk] of chunks.entries()) {
    chunk.forEach((tokens, b) => texts[b]?.push(...tokens));
    const ids = new Int32Array(rows * window);
    for (let t = 0; t < window; t++) {
      const values = await newestLogits(texts, tree, shape);
      texts.forEach((text, b) => {
        const row = values.subarray(b * shape.vocabSize, (b + 1) * shape.vocabSize);
        const id = drawn(row, uniformAt((addresses[turn] as Uint32Array)[b] as number, t));
        ids[b * window + t] = id;
        text.push(id);
      });
    }
    said.push(ids);
  }
  return said;
}

/** Runs whole rows of one length through the network and reads [rows · V] back. */
async function newestLogits(texts: number[][], tree: ParameterTree, shape: ModelShape): Promise<Float32Array> {
  const length = texts[0]?.length ?? 0;
  const last = tf.tidy(() => {
    const { cos, sin } = rotaryTables(length, shape);
    const table = (values: Float32Array) => tf.tensor3d(values, [1, length, shape.headSize]);
    const ids = tf.tensor2d(Int32Array.from(texts.flat()), [rows, length], 'int32');
    const hidden = rowHiddenStates(ids, { tree, shape, rotation: { cos: table(cos), sin: table(sin) } });
    const byRow = tf.reshape(hidden, [rows, length, shape.hiddenSize]);
    return logits(
      tf.reshape(tf.slice(byRow, [0, length - 1, 0], [rows, 1, -1]), [rows, -1]) as tf.Tensor2D,
      tree,
      shape,
    );
  });
  const values = await last.data<'float32'>();
  last.dispose();
  return values;
}

function checksum(said: readonly Int32Array[]): number {
  let sum = 0;
  for (const ids of said) for (const id of ids) sum = (sum * 33 + id + 1) % 1_000_003;
  return sum;
}

/** Draws a token by the inverse CDF of softmax(logits). */
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

/** Counts the reads from the backend from now on. A read that falls back to `readSync` counts once. */
function countReads(): { count: number } {
  const reads = { count: 0 };
  const backend = tf.backend();
  const { read, readSync } = backend;
  let isInside = false;
  backend.read = (dataId) => {
    reads.count++;
    isInside = true;
    const values = read.call(backend, dataId);
    isInside = false;
    return values;
  };
  backend.readSync = (dataId) => {
    if (!isInside) reads.count++;
    return readSync.call(backend, dataId);
  };
  return reads;
}
