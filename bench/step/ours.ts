// The engine of Cothink in the step bench: one update as in training, with a microbatch that is recorded once and
// replayed if the backend can do this. On a backend without the kernels of Cothink, the operations are composed of
// stock ones.
import * as tf from '@tensorflow/tfjs-core';
import { counters } from '../../src/engine/counters.ts';
import { weightedSum } from '../../src/engine/ops/loss/weightedSum.ts';
import { rowOutputs } from '../../src/training/rows/forward.ts';
import { Gate } from '../../src/training/team/gate.ts';
import { freshState, uploadNetwork, variables, type Network } from '../../src/training/team/network.ts';
import { metricCount, optimiserStep, StepMetrics, type Microbatch } from '../../src/training/update/optimiserStep.ts';
import { submitClock } from '../gpu/counts.ts';
import type { Taken } from './contract.ts';
import { optimiser, type StepWork } from './work.ts';

export interface Way {
  /** Whether the backend may record the step and replay it. */
  isReplayed?: boolean;
  /** The number of updates between two reads. Training reads its metrics once per iteration. */
  updates?: number;
}

/** Returns a function that performs updates of a newly initialised network on the rows of the workload. */
export function ourStep(work: StepWork, { isReplayed = true, updates = 1 }: Way = {}): () => Promise<Taken> {
  const network = uploadNetwork(freshState(work.weights, work.shape, false), work.shape, isReplayed);
  const trained = variables(network);
  const weightDecay = trained.map(({ rank }) => (rank > 1 ? optimiser.weightDecay : 0));
  const microbatch = crossEntropy(network, work);
  const gate = new Gate();
  return async () => {
    const [held, before] = [gate.waits, counters()];
    const stop = submitClock(tf.getBackend());
    const metrics = new StepMetrics();
    for (let i = 0; i < updates; i++) {
      const options = { ...optimiser, weightDecay, step: ++network.updates };
      const onTaken = (taken: tf.Tensor1D) => metrics.add(taken, i === updates - 1);
      await optimiserStep(network, [microbatch], { trained, options, gate, onTaken });
    }
    const { yieldedMs, heldMs } = gate.waits;
    const submitting = stop(yieldedMs - held.yieldedMs + heldMs - held.heldMs);
    const [loss] = (await metrics.read()).at(-1) as number[];
    metrics.dispose();
    const gpuMs = (counters().gpuMs ?? 0) - (before.gpuMs ?? 0);
    // The times of the device arrive with the reads, and there may be fewer of them than updates between two reads.
    const extra: Record<string, number> = gpuMs && updates === 1 ? { gpuMs } : {};
    return { loss: loss as number, ...submitting, updates, extra };
  };
}

/** Returns a microbatch whose first metric is the mean cross-entropy of all tokens. */
function crossEntropy(network: Network, { rows, length, ids, targets }: StepWork): Microbatch {
  const shape: [number, number] = [rows, length];
  const trained = variables(network);
  return {
    key: `cross-entropy ${shape.join(' ')}`,
    uploads: {
      ids: { values: ids, shape },
      targets: { values: targets, shape: [rows * length] },
      weight: { values: new Float32Array(rows * length).fill(-1 / (rows * length)), shape },
    },
    gradient: (inputs) => {
      const device = { shape, ids: inputs['ids'] as tf.Tensor2D, targets: inputs['targets'] as tf.Tensor1D };
      const { grads, value } = tf.variableGrads(
        () => weightedSum(rowOutputs(network, device, 1).logprobs, inputs['weight'] as tf.Tensor),
        trained,
      );
      const metrics = tf.tidy(() => tf.pad(tf.reshape(value, [1]) as tf.Tensor1D, [[0, metricCount - 1]]));
      value.dispose();
      return [metrics, ...trained.map(({ name }) => grads[name] as tf.Tensor)];
    },
  };
}
