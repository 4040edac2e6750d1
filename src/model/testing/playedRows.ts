// Runs a decoding session with given contexts and records each row, so that tests can compute the same rows as a whole.
import * as tf from '@tensorflow/tfjs-core';
import { addressOf, uniformAt } from '../../base/random.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { tokenLogprobs } from '../../engine/ops/tokens/tokenLogprobs.ts';
import type { ContextChunk, Policy, TokenLimits } from '../../records/policy.ts';
import { logits, rowHiddenStates } from '../network/llama.ts';
import type { WeightTree } from '../network/parameters.ts';
import { testRotations } from './rotations.ts';

/**
 * The context that each row receives before a turn (null if the row pauses), and the maximum number of tokens that it
 * may sample.
 */
export interface ScriptedRound {
  chunks: (ContextChunk | null)[];
  window: number;
  /** After the round, row b is replaced by a copy of row `takes[b]`. */
  takes?: number[];
}

export interface PlayedRow {
  ids: number[];
  isVisible: boolean[];
  /** Log-probability of each sampled token; null for context. */
  logprobs: (number | null)[];
  /** The random number with which each token was sampled; 0 for context. */
  uniforms: number[];
}

interface Play {
  seed: number;
  temperature: number;
  endIds: readonly number[];
  /** If present, the turn is sampled token by token on the host, with these limits. */
  limits?: TokenLimits;
}

/**
 * Runs all rounds and disposes the session. If the turn of a row was truncated, the row's next chunk begins with
 * `endIds[0]`.
 */
export async function playRounds(policy: Policy, rounds: readonly ScriptedRound[], play: Play): Promise<PlayedRow[]> {
  const count = (rounds[0] as ScriptedRound).chunks.length;
  const rows = Array.from({ length: count }, (): PlayedRow => ({ ids: [], isVisible: [], logprobs: [], uniforms: [] }));
  const session = policy.open(count);
  const isCut = rows.map(() => false);
  for (const [round, { chunks, window, takes }] of rounds.entries()) {
    const closed = chunks.map((chunk, b): ContextChunk => {
      if (!chunk || !isCut[b]) return chunk ?? { tokens: [] };
      isCut[b] = false;
      const visible = chunk.visible ?? chunk.tokens.map(() => true);
      return { tokens: [play.endIds[0] as number, ...chunk.tokens], visible: [true, ...visible] };
    });
    closed.forEach(({ tokens, visible }, b) => {
      const row = rows[b] as PlayedRow;
      tokens.forEach((token, t) => extend(row, token, visible?.[t] !== false));
    });
    session.append(closed);
    const addresses = Uint32Array.from({ length: count }, (_, b) => addressOf(play.seed, 3, round, b * window));
    const isActive = chunks.map((chunk) => chunk !== null);
    const { temperature, endIds, limits } = play;
    const hear = () => Promise.resolve(rows.map(() => true));
    const stepwise = limits && { limits, hear };
    const said = await session.sample({
      window,
      isActive,
      addresses,
      temperature,
      endIds,
      turn: round,
      ...(stepwise && { stepwise }),
    });
    rows.forEach((row, b) => {
      const length = said.lengths[b] as number;
      for (let i = b * window; i < b * window + length; i++) {
        extend(row, said.ids[i] as number, true);
        row.logprobs[row.ids.length - 1] = said.logprobs[i] as number;
        row.uniforms[row.ids.length - 1] = uniformAt(addresses[b] as number, i - b * window);
      }
      if (length > 0) isCut[b] = !endIds.includes(row.ids.at(-1) as number);
    });
    if (!takes) continue;
    session.takeRows(takes);
    const [before, wasCut] = [structuredClone(rows), [...isCut]];
    takes.forEach((source, b) => {
      rows[b] = structuredClone(before[source] as PlayedRow);
      isCut[b] = wasCut[source] as boolean;
    });
  }
  session.dispose();
  return rows;
}

function extend(row: PlayedRow, token: number, isVisible: boolean): void {
  row.ids.push(token);
  row.isVisible.push(isVisible);
  row.logprobs.push(null);
  row.uniforms.push(0);
}

/**
 * The log-probability of every token after the first, if whole rows are computed with causal attention, by row. Entry t
 * belongs to token t + 1.
 */
export async function wholeRowLogprobs(
  rows: readonly Pick<PlayedRow, 'ids' | 'isVisible'>[],
  { tree, shape, temperature }: { tree: WeightTree; shape: ModelShape; temperature: number },
): Promise<Float32Array[]> {
  const length = Math.max(...rows.map(({ ids }) => ids.length));
  const padded = rows.map(({ ids }) => [...ids, ...new Array<number>(length - ids.length).fill(0)]);
  const result = tf.tidy(() => {
    const hidden = rowHiddenStates(tf.tensor2d(padded, [rows.length, length], 'int32'), {
      tree,
      shape,
      rotation: testRotations(shape, length),
      keyMask: tf.tensor2d(padded.map((ids, b) => ids.map((_, t) => (rows[b]?.isVisible[t] === false ? 0 : 1)))),
    });
    const targets = padded.flatMap((ids) => [...ids.slice(1), 0]);
    return tokenLogprobs(logits(hidden, tree, shape), tf.tensor1d(targets, 'int32'), temperature).logprobs;
  });
  const values = await result.data<'float32'>();
  result.dispose();
  return rows.map(({ ids }, b) => values.slice(b * length, b * length + ids.length - 1));
}
