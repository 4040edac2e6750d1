// What must be known of the rows before the first update: the critic's values and the reference's
// log-probabilities. One pass without gradients, in microbatches.
import * as tf from '@tensorflow/tfjs-core';
import type { ParameterTree } from '../../model/network/parameters.ts';
import { disposeRows, readOnce, rowOutputs, uploadRows } from './forward.ts';
import type { Gate } from '../team/gate.ts';
import { scoringTokens } from './microbatchTokens.ts';
import type { Network } from '../team/network.ts';
import { selectRows, type RowBatch } from './rows.ts';

export interface OldFacts {
  /** [B·T]; empty without a critic. */
  values: Float32Array;
  /** [B·T]; empty unless asked for. */
  refLogprobs: Float32Array;
}

/** [B·T] log-probabilities under a network as it is now. */
export async function rowLogprobs(
  batch: RowBatch,
  { network, temperature, gate }: { network: Network; temperature: number; gate: Gate },
): Promise<Float32Array> {
  const headless = { ...network, head: null };
  const { refLogprobs } = await oldFacts(batch, { network: headless, reference: network.tree, temperature, gate });
  return refLogprobs;
}

/** Runs the given rows through the network and, if wanted, through its reference. */
export async function oldFacts(
  batch: RowBatch,
  {
    network,
    reference,
    temperature,
    gate,
  }: { network: Network; reference: ParameterTree | null; temperature: number; gate: Gate },
): Promise<OldFacts> {
  const values = new Float32Array(network.head ? batch.ids.length : 0);
  const refLogprobs = new Float32Array(reference ? batch.ids.length : 0);
  if (values.length === 0 && refLogprobs.length === 0) return { values, refLogprobs };
  const size = Math.max(1, Math.floor(scoringTokens(network, batch.length) / batch.length));
  for (let start = 0; start < batch.rows; start += size) {
    await gate.pass();
    const wanted = Array.from({ length: Math.min(size, batch.rows - start) }, (_, i) => start + i);
    const cut = selectRows(batch, wanted, {}).batch;
    const rows = uploadRows(cut);
    const place = async (output: () => tf.Tensor, to: Float32Array) => {
      const read = await readOnce(tf.tidy(output));
      wanted.forEach((b, i) => to.set(read.subarray(i * cut.length, (i + 1) * cut.length), b * batch.length));
    };
    try {
      if (network.head) await place(() => rowOutputs(network, rows, temperature).values as tf.Tensor, values);
      if (reference) {
        const frozen = { tree: reference, shape: network.shape };
        await place(() => rowOutputs(frozen, rows, temperature).logprobs, refLogprobs);
      }
    } finally {
      disposeRows(rows);
    }
  }
  return { values, refLogprobs };
}
