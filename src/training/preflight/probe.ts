// Times a few training steps of the smallest size, to see how fast the current backend is. The first step compiles, so
// only later steps count.
import * as tf from '@tensorflow/tfjs-core';
import { median } from '../../base/stats.ts';
import { parseConfig } from '../../config/parse.ts';
import { lossAndGradients } from '../../engine/gradients.ts';
import { initialWeights } from '../../model/network/parameters.ts';
import { demonstrate } from '../imitation/demonstrations.ts';
import { disposeRows, rowOutputs, uploadRows } from '../rows/forward.ts';
import { disposeNetwork, freshState, uploadNetwork, variables } from '../team/network.ts';
import { buildRows } from '../rows/rows.ts';
import { assembleTeam } from '../team/team.ts';

/**
 * The median time in milliseconds of a forward and backward pass of the tiny model over 16 dialogues. The measurement
 * stops after `limitMs`, even if the device is still working on a step. If only the first step, which compiles, was
 * finished by then, the result is the longest wait instead.
 */
export async function probeStep(limitMs = 1000): Promise<number> {
  const team = assembleTeam(parseConfig({ warmStart: { batchSize: 16 } }));
  const network = uploadNetwork(freshState(initialWeights(team.shape, 0), team.shape, false), team.shape);
  const batch = buildRows(demonstrate(team, 0), [0, 1], team.tokens);
  const times: number[] = [];
  const started = performance.now();
  const leftMs = () => limitMs - (performance.now() - started);
  let isAbandoned = false;
  while (times.length < 4 && leftMs() > 0 && !isAbandoned) {
    const from = performance.now();
    const rows = uploadRows(batch);
    const { value, grads } = lossAndGradients(
      () => tf.neg(tf.mean(rowOutputs(network, rows, 1).logprobs)) as tf.Scalar,
      variables(network),
    );
    const read = value.data();
    isAbandoned = !(await isDoneWithin(leftMs(), read));
    tf.dispose(Object.values(grads));
    disposeRows(rows);
    if (isAbandoned) disposeOnceRead(value, read);
    else value.dispose();
    times.push(performance.now() - from);
  }
  disposeNetwork(network);
  const warm = times.slice(1, isAbandoned ? -1 : undefined);
  return warm.length > 0 ? median(warm) : Math.max(...times);
}

/** Resolves with whether the work finishes within `ms` milliseconds. Rejects at once if the work fails. */
async function isDoneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, ms));
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Frees a tensor whose value is no longer awaited. If the device fails in the meantime, the device reports the failure
 * itself.
 */
function disposeOnceRead(value: tf.Tensor, read: Promise<unknown>): void {
  const free = () => value.dispose();
  void read.then(free, free);
}
