// Our own engine in the step bench: the model, ops and optimiser that training uses. On a backend without our kernels
// the ops are composed of stock ones.
import * as tf from '@tensorflow/tfjs-core';
import { applyAdamW } from '../src/engine/ops/adamW.ts';
import { disposeRows, rowOutputs, uploadRows } from '../src/training/forward.ts';
import { freshState, uploadNetwork, variables } from '../src/training/network.ts';
import type { RowBatch } from '../src/training/rows.ts';
import type { Taken } from './stepContract.ts';
import { optimiser, type StepWork } from './stepWork.ts';

/** One update of a fresh network over the work's rows at each call. */
export function ourStep({ shape, rows, length, weights, ids, targets }: StepWork): () => Promise<Taken> {
  const network = uploadNetwork(freshState(weights, shape, false), shape);
  const trained = variables(network);
  const weightDecay = trained.map(({ rank }) => (rank > 1 ? optimiser.weightDecay : 0));
  const none = new Float32Array(0);
  const noInts = new Int32Array(0);
  const batch: RowBatch = {
    rows,
    length,
    ids,
    targets,
    actionMask: none,
    turnIds: noInts,
    oldLogprobs: none,
    trajectoryIds: noInts,
    agentIds: noInts,
  };
  return async () => {
    const started = performance.now();
    const device = uploadRows(batch, shape);
    const { grads, value } = tf.variableGrads(
      () => tf.neg(tf.mean(rowOutputs(network, device, 1).logprobs)) as tf.Scalar,
      trained,
    );
    const { gradNorm } = applyAdamW(
      trained,
      trained.map(({ name }) => grads[name] as tf.Tensor),
      network,
      { ...optimiser, weightDecay, step: ++network.updates },
    );
    disposeRows(device);
    tf.dispose([grads, gradNorm]);
    const submitMs = tf.getBackend() === 'webgpu' ? performance.now() - started : null;
    const [loss] = await value.data();
    value.dispose();
    return { loss: loss as number, submitMs };
  };
}
