// Measures the time of a few very small training steps to find out how fast the current backend is. The first step is
// not counted, because it includes compilation.
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
 * stops after `limitMs`, even if the device is still working on a step. If only the first step, which includes
 * compilation, was finished by then, the result is the time waited for the next step.
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

/**
 * Whether the work finishes within `ms` milliseconds. If the work fails, the returned promise is rejected immediately.
 */
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
 * Frees a tensor as soon as its value has been read. This function is used if the value is no longer needed. Errors of
 * the read are ignored, because other code reports a failure of the device.
 */
function disposeOnceRead(value: tf.Tensor, read: Promise<unknown>): void {
  const free = () => value.dispose();
  void read.then(free, free);
}
