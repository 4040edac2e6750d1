// Computes the critic's values and the reference's log-probabilities for rows before their first update. The
// computation is one forward pass without gradients, in microbatches.
import * as tf from '@tensorflow/tfjs-core';
import { picksRows } from '../../engine/ops/embed/embed.ts';
import { sharesBeginnings } from '../../model/network/beginnings.ts';
import type { WeightTree } from '../../model/network/parameters.ts';
import { disposeRows, readOnce, rowOutputs, uploadRows, type DeviceRows } from './forward.ts';
import type { Gate } from '../team/gate.ts';
import { rowParts, scoringTokens } from './microbatches.ts';
import type { Network } from '../team/network.ts';
import { selectRows, type RowBatch } from './rows.ts';

export interface OldFacts {
  /** [B·T] the critic's values; empty if there is no critic. */
  values: Float32Array;
  /** [B·T] the reference's log-probabilities; empty if not requested. */
  refLogprobs: Float32Array;
}

/** [B·T] log-probabilities under the current network. */
export async function rowLogprobs(
  batch: RowBatch,
  { network, temperature, gate }: { network: Network; temperature: number; gate: Gate },
): Promise<Float32Array> {
  const headless = { ...network, head: null };
  const { refLogprobs } = await oldFacts(batch, { network: headless, reference: network.tree, temperature, gate });
  return refLogprobs;
}

/**
 * Computes the values that the network's critic predicts and, if there is a reference, the log-probabilities under the
 * reference.
 */
export async function oldFacts(
  batch: RowBatch,
  {
    network,
    reference,
    temperature,
    gate,
  }: { network: Network; reference: WeightTree | null; temperature: number; gate: Gate },
): Promise<OldFacts> {
  const { head, shape } = network;
  const values = (rows: DeviceRows) => rowOutputs(network, rows, temperature).values as tf.Tensor;
  const ofReference = (tree: WeightTree) => (rows: DeviceRows) =>
    rowOutputs({ tree, shape }, rows, temperature).logprobs;
  const outputs = [...(head ? [values] : []), ...(reference ? [ofReference(reference)] : [])];
  const found = await scoreRows(batch, outputs, { network, gate });
  const none = new Float32Array(0);
  return { values: (head && found[0]) || none, refLogprobs: (reference && found.at(-1)) || none };
}

/**
 * Scores rows in microbatches without gradients. Each output is [B·T], and 0 at positions without an action token. An
 * entry 0 of `visible` [B·T] hides the token from all later tokens.
 */
export async function scoreRows(
  batch: RowBatch,
  outputs: readonly ((rows: DeviceRows) => tf.Tensor)[],
  { network, gate, visible }: { network: Network; gate: Gate; visible?: Float32Array },
): Promise<Float32Array[]> {
  const found = outputs.map(() => new Float32Array(batch.ids.length));
  if (outputs.length === 0) return found;
  const isAsked = picksRows();
  const isShared = sharesBeginnings(network.shape);
  for (const wanted of rowParts(batch, scoringTokens(network, batch.length))) {
    await gate.pass();
    const { batch: cut, columns } = selectRows(batch, wanted, visible ? { visible } : {});
    const rows = uploadRows(cut, { visible: columns.visible, isAsked, isShared });
    try {
      for (const [o, output] of outputs.entries()) {
        const read = await readOnce(tf.tidy(() => output(rows)));
        const said = read.map((value, at) => (cut.actionMask[at] === 0 ? 0 : value));
        wanted.forEach((b, i) => found[o]?.set(said.subarray(i * cut.length, (i + 1) * cut.length), b * batch.length));
      }
    } finally {
      disposeRows(rows);
    }
  }
  return found;
}
