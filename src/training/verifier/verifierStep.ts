// One step of a verifier and one look: a forward pass of its trunk and head over rows of answers, with the gradient of
// its cross-entropy or without. The step is a function of fixed shapes and uploaded numbers, so it may be replayed.
import * as tf from '@tensorflow/tfjs-core';
import type { Config } from '../../config/schema.ts';
import { lossAndGradients } from '../../engine/gradients.ts';
import { bucketOf, padRows } from '../rows/buckets.ts';
import { disposeRows, readOnce, rowOutputs, uploadRows, type DeviceRows } from '../rows/forward.ts';
import type { Gate } from '../team/gate.ts';
import { scoringTokens, updateTokens } from '../rows/microbatchTokens.ts';
import { variables, type Network } from '../team/network.ts';
import { metricCount, optimiserStep, type Microbatch } from '../update/optimiserStep.ts';
import { actionCount, selectRows } from '../rows/rows.ts';
import { learningRate } from '../update/update.ts';
import { verifierLoss, verifierScores } from './verifier.ts';
import { buildAnswerRows, type AnswerRow } from './verifierRows.ts';

/** Scores [N] in [0, 1] of answers, in microbatches that are as long as their longest row. */
export async function scoreAnswers(network: Network, answers: readonly AnswerRow[], gate: Gate): Promise<Float64Array> {
  const scores = new Float64Array(answers.length);
  const batch = buildAnswerRows(answers);
  const size = Math.max(1, Math.floor(scoringTokens(network, batch.length) / batch.length));
  for (let start = 0; start < batch.rows; start += size) {
    await gate.pass();
    const cut = selectRows(batch, rowRange(start, Math.min(batch.rows, start + size)), {}).batch;
    const rows = uploadRows(cut);
    try {
      const read = await readOnce(tf.tidy(() => rowOutputs(network, rows, 1).values as tf.Tensor2D));
      scores.set(verifierScores(read, cut.actionMask, [cut.rows, cut.length]), start);
    } finally {
      disposeRows(rows);
    }
  }
  return scores;
}

/**
 * One optimiser step towards the truth about some answers, in place. Returns the metrics of the step, the mean
 * cross-entropy before it first, in nats; the caller disposes them.
 */
export async function verifierStep(
  network: Network,
  answers: readonly (AnswerRow & { isRight: boolean })[],
  { config, gate }: { config: Config; gate: Gate },
): Promise<tf.Tensor1D> {
  const { optimiser, verifier } = config;
  const trained = variables(network);
  const metrics = await optimiserStep(network, microbatches(network, answers), {
    trained,
    gate,
    options: {
      learningRate: learningRate(
        { ...config, optimiser: { ...optimiser, learningRate: verifier.learningRate } },
        network.updates,
      ),
      beta1: optimiser.beta1,
      beta2: optimiser.beta2,
      eps: 1e-8,
      weightDecay: trained.map(({ rank }) => (rank > 1 ? optimiser.weightDecay : 0)),
      maxGradNorm: optimiser.maxGradNorm,
      step: network.updates + 1,
    },
  });
  network.updates++;
  return metrics;
}

function microbatches(network: Network, answers: readonly (AnswerRow & { isRight: boolean })[]): Microbatch[] {
  const batch = buildAnswerRows(answers);
  const total = actionCount(batch);
  const size = Math.max(1, Math.floor(updateTokens(network, batch.length) / batch.length));
  const bucket = bucketOf(tf.getBackend());
  return Array.from({ length: Math.ceil(batch.rows / size) }, (_, i): Microbatch => {
    const wanted = rowRange(i * size, Math.min(batch.rows, (i + 1) * size));
    const part = padRows(selectRows(batch, wanted, {}).batch, {}, bucket).batch;
    const shape: [number, number] = [part.rows, part.length];
    return {
      key: `verifier ${shape.join(' ')}`,
      uploads: {
        ids: { values: part.ids, shape },
        targets: { values: part.targets, shape: [part.ids.length] },
        responseMask: { values: part.actionMask, shape },
        isRight: {
          values: Float32Array.from({ length: part.rows }, (_, b) =>
            Number(answers[wanted[b] ?? -1]?.isRight ?? false),
          ),
          shape: [part.rows],
        },
        share: { values: Float32Array.of(actionCount(part) / total), shape: [1] },
      },
      gradient: (inputs) => verifierGradient(network, shape, inputs),
    };
  });
}

function verifierGradient(network: Network, shape: [number, number], inputs: Record<string, tf.Tensor>): tf.Tensor[] {
  const trained = variables(network);
  const rows: DeviceRows = { shape, ids: inputs['ids'] as tf.Tensor2D, targets: inputs['targets'] as tf.Tensor1D };
  const { grads, value } = lossAndGradients(() => {
    const loss = verifierLoss({
      logits: rowOutputs(network, rows, 1).values as tf.Tensor2D,
      isRight: inputs['isRight'] as tf.Tensor1D,
      responseMask: inputs['responseMask'] as tf.Tensor2D,
    });
    return tf.mul(loss, tf.reshape(inputs['share'] as tf.Tensor1D, [])) as tf.Scalar;
  }, trained);
  const metrics = tf.tidy(() => tf.pad(tf.reshape(value, [1]) as tf.Tensor1D, [[0, metricCount - 1]]));
  value.dispose();
  // A head of the vocabulary that is not tied has no part in the score.
  return [metrics, ...trained.map((variable) => grads[variable.name] ?? tf.zerosLike(variable))];
}

const rowRange = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
