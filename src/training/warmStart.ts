// The warm start: supervised cross-entropy on the action tokens of demonstrations. It teaches the
// protocol and some arithmetic; how often its plans follow the rule is the cold-start accuracy.
import * as tf from '@tensorflow/tfjs-core';
import { NumericsError } from '../base/errors.ts';
import type { Config } from '../config/schema.ts';
import { applyAdamW } from '../engine/ops/adamW.ts';
import { demonstrate } from './demonstrations.ts';
import { disposeRows, rowOutputs, uploadRows } from './forward.ts';
import type { Gate } from './gate.ts';
import { type Network } from './network.ts';
import { actionCount, buildRows, selectRows, type RowBatch } from './rows.ts';
import type { Team } from './team.ts';

/** Step size: 30 steps of rise, then a cosine down to a tenth. */
export function warmStartRate({ warmStart }: Config, step: number): number {
  const share = step / Math.max(1, warmStart.steps);
  const cosine = 0.1 + 0.45 * (1 + Math.cos(Math.PI * share));
  return warmStart.learningRate * Math.min(1, (step + 1) / 30) * cosine;
}

const microbatchTokens = 3072;

/** Mean cross-entropy over the action tokens and its gradient on one network; adds up over microbatches. */
async function imitationStep(
  network: Network,
  batch: RowBatch,
  gate: Gate,
): Promise<{ grads: tf.Tensor[]; loss: tf.Tensor }> {
  const total = actionCount(batch);
  const size = Math.max(1, Math.floor(microbatchTokens / batch.length));
  let grads: tf.Tensor[] = [];
  let loss: tf.Tensor = tf.scalar(0);
  for (let start = 0; start < batch.rows; start += size) {
    await gate.pass();
    const wanted = Array.from({ length: Math.min(size, batch.rows - start) }, (_, i) => start + i);
    const part = selectRows(batch, wanted, {}).batch;
    const rows = uploadRows(part, network.shape);
    const share = tf.tensor2d(
      part.actionMask.map((is) => is / total),
      rows.shape,
    );
    const result = tf.variableGrads(() => {
      const { logprobs } = rowOutputs({ tree: network.tree, shape: network.shape }, rows, 1);
      return tf.neg(tf.sum(tf.mul(logprobs, share)));
    }, [...network.tree.values()]);
    disposeRows(rows);
    share.dispose();
    const more = [...network.tree.values()].map(({ name }) => result.grads[name] as tf.Tensor);
    const sums = grads.length > 0 ? tf.tidy(() => grads.map((x, i) => tf.add(x, more[i] as tf.Tensor))) : more;
    if (grads.length > 0) tf.dispose([...grads, ...more]);
    grads = sums;
    const added = tf.tidy(() => tf.add(loss, result.value));
    tf.dispose([loss, result.value]);
    loss = added;
  }
  return { grads, loss };
}

/**
 * Trains the networks on demonstrations, in place; their optimiser moments start and end at zero.
 * `onStep` hears of every tenth step. Throws NumericsError when the loss is not finite.
 */
export async function trainWarmStart(
  team: Team,
  networks: readonly Network[],
  { gate, onStep }: { gate: Gate; onStep?: (step: number, loss: number) => void },
): Promise<void> {
  const { warmStart, optimiser } = team.config;
  for (let step = 0; step < warmStart.steps; step++) {
    const trajectories = demonstrate(team, step);
    for (const [n, network] of networks.entries()) {
      const batch = buildRows(trajectories, team.agentsOf[n] as number[], team.tokens);
      const { grads, loss } = await imitationStep(network, batch, gate);
      const trained = [...network.tree.values()];
      const state = { m: network.m.slice(0, trained.length), v: network.v.slice(0, trained.length) };
      const { gradNorm } = applyAdamW(trained, grads, state, {
        learningRate: warmStartRate(team.config, step),
        beta1: optimiser.beta1,
        beta2: 0.99,
        eps: 1e-8,
        weightDecay: trained.map(({ rank }) => (rank > 1 ? 0.01 : 0)),
        maxGradNorm: 1,
        step: step + 1,
      });
      tf.dispose([...grads, gradNorm]);
      if (step % 10 === 9 || step === warmStart.steps - 1) {
        const value = (await loss.data())[0] as number;
        if (!Number.isFinite(value)) {
          throw new NumericsError(
            `warm start: the loss at step ${step + 1} is ${value}; lower warmStart.learningRate.`,
          );
        }
        onStep?.(step + 1, value);
      }
      loss.dispose();
    }
  }
  for (const network of networks) {
    for (const moment of [...network.m, ...network.v]) tf.tidy(() => moment.assign(tf.zerosLike(moment)));
  }
}
