// Computes the value of a round for the team from the values of single messages. VDN (1706.05296) adds them up; QMIX
// (1803.11485) mixes them by a network whose weights depend on the state. The absolute values of the weights are used,
// so that a higher value of one agent's message never lowers the team's value. A mixing step is one round, in which
// silent agents are masked.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';
import { recordedConstant, scalar } from '../../engine/ops/constants.ts';
import { addInto } from '../../engine/ops/inPlace/inPlace.ts';
import { hasKernel } from '../../engine/ops/kernel.ts';

/** The weights of the mixing network in N states, with A agents and H hidden units. The weights may be negative. */
export interface MixingWeights {
  /** [N, H, A] */
  w1: tf.Tensor;
  /** [N, H] */
  b1: tf.Tensor;
  /** [N, H] */
  w2: tf.Tensor;
  /** [N] */
  v: tf.Tensor;
}

/** The sum of the agents' values: Σ_i Q_i. q [N, A], 0 for a silent agent; returns [N]. */
export function vdnTotal(q: tf.Tensor): tf.Tensor {
  return tf.sum(q, -1);
}

/**
 * The value of the mixing network: Q_tot = |w2|ᵀ·ELU(|w1|·q + b1) + v. q [N, A], w1 [N, H, A], b1 and w2 [N, H], v [N];
 * returns [N]. For a single state, N may be omitted in all arguments. Differentiable in all arguments; ∂Q_tot/∂q_i ≥ 0.
 * The caller sets a silent agent's q to 0. Throws ShapeError if the shapes do not match, and if there is only one
 * agent, because then there are no values to mix.
 */
export function qmixTotal(q: tf.Tensor, { w1, b1, w2, v }: MixingWeights): tf.Tensor {
  const isOne = q.rank === 1;
  const states = isOne ? 1 : (q.shape[0] as number);
  const agents = q.shape.at(-1) as number;
  const hidden = w1.shape.at(-2) as number;
  const leading = isOne ? [] : [states];
  const expected = { w1: [...leading, hidden, agents], b1: [...leading, hidden], w2: [...leading, hidden], v: leading };
  for (const [name, shape] of Object.entries(expected) as [keyof MixingWeights, number[]][]) {
    const got = { w1, b1, w2, v }[name].shape;
    if (!tf.util.arraysEqual(got, shape))
      throw new ShapeError(
        `qmixTotal: ${name} must be [${shape.join(', ')}] for q [${q.shape.join(', ')}], got [${got.join(', ')}].`,
      );
  }
  if (agents < 2)
    throw new ShapeError(
      `qmixTotal: expected the values of two agents or more, got ${agents}; one agent needs no mixing.`,
    );
  return tf.tidy(() => {
    const column = tf.reshape(q, [states, agents, 1]);
    const mixed = tf.reshape(tf.matMul(tf.abs(tf.reshape(w1, [states, hidden, agents])), column), [states, hidden]);
    const units = elu(tf.add(mixed, tf.reshape(b1, [states, hidden])));
    const total = tf.add(tf.sum(tf.mul(tf.abs(tf.reshape(w2, [states, hidden])), units), 1), tf.reshape(v, [states]));
    return isOne ? tf.reshape(total, []) : total;
  });
}

// ELU, composed of kernels that every backend has. For x below and above 0, the same operations give the right
// gradient.
function elu(x: tf.Tensor): tf.Tensor {
  return tf.add(tf.relu(x), tf.expm1(tf.minimum(x, scalar(0))));
}

/** The weights of the mixing network in one state as plain numbers; w1 is stored row by row. */
export interface MixingNumbers {
  /** [H·A] */
  w1: ArrayLike<number>;
  /** [H] */
  b1: ArrayLike<number>;
  /** [H] */
  w2: ArrayLike<number>;
  v: number;
}

/**
 * The values of the messages of one trajectory for the team. Each array is [turn], with 0 for a turn without tokens.
 */
export interface MessageWorth {
  /** Q_tot of the message's round. */
  total: Float64Array;
  /** Q_tot of the round if the Q of the message is replaced by its baseline. */
  without: Float64Array;
  /** The part of the return that the critic did not predict, multiplied by the weight `mixingResidual`. */
  missed: Float64Array;
}

/**
 * Q_tot of one round in float64. Without weights, the result is the sum of q; with weights, the result is the same as
 * that of `qmixTotal`. q [A], 0 for a silent agent.
 */
export function totalOf(q: readonly number[], weights: MixingNumbers | null): number {
  if (!weights) return q.reduce((sum, own) => sum + own, 0);
  const { w1, b1, w2, v } = weights;
  const mixed = (unit: number) =>
    q.reduce((sum, own, agent) => sum + Math.abs(w1[unit * q.length + agent] as number) * own, b1[unit] as number);
  return Array.from(b1, (_, unit) => {
    const x = mixed(unit);
    return Math.abs(w2[unit] as number) * (x > 0 ? x : Math.expm1(x));
  }).reduce((sum, part) => sum + part, v);
}

/**
 * For each agent, Q_tot of the round if only this agent's Q is replaced by its baseline. The difference from the actual
 * Q_tot is the contribution of the agent's message, in units of the reward. q and baselines [A]; returns [A]. The
 * product ∂Q_tot/∂Q_i·Q_i is not used as the contribution: if a constant is added to Q_i, the mixer's b1 can compensate
 * it, so an agent would get credit for an arbitrary constant.
 */
export const totalsWithout = (q: readonly number[], baselines: readonly number[], weights: MixingNumbers | null) =>
  q.map((_, agent) => totalOf(q.with(agent, baselines[agent] as number), weights));

/**
 * The targets r_k + gammaTurn·Q_tot⁻_{k+1}·(1 − done) of the mixing steps of one trajectory; `done` is 1 for the last
 * step. rewards [K] are the team rewards of the rounds. totals [K] are the Q_tot⁻ of the rounds, computed for the
 * stored messages by the slowly updated copy of the critic. The result is [K]. Throws ShapeError if the lengths differ.
 */
export function mixingTargets(
  rewards: ArrayLike<number>,
  totals: ArrayLike<number>,
  { gammaTurn }: { gammaTurn: number },
): Float64Array {
  if (totals.length !== rewards.length)
    throw new ShapeError(
      `mixingTargets: totals must have ${rewards.length} entries, as rewards has, got ${totals.length}.`,
    );
  return Float64Array.from(
    { length: rewards.length },
    (_, k) => (rewards[k] as number) + (k + 1 < rewards.length ? gammaTurn * (totals[k + 1] as number) : 0),
  );
}

/** Half the sum of the squared errors of Q_tot [N] relative to fixed targets [N], weighted by `weights` [N]. */
export function mixingLoss(totals: tf.Tensor, targets: tf.Tensor, weights: tf.Tensor): tf.Scalar {
  return tf.tidy(() => {
    const error = tf.sub(totals, targets);
    return tf.mul(tf.sum(tf.mul(tf.mul(error, error), weights)), scalar(0.5));
  });
}

/**
 * target ← target + tau·(online − target), entry by entry, in place. The tensors are changed in their own memory if the
 * backend supports this. `target` and `online` must list their tensors in the same order. Throws ShapeError if their
 * lengths differ.
 */
export function softUpdate(targets: readonly tf.Variable[], online: readonly tf.Tensor[], tau: number): void {
  if (targets.length !== online.length)
    throw new ShapeError(
      `softUpdate: expected an online tensor for each of ${targets.length} target tensors, got ${online.length}.`,
    );
  targets.forEach((target, i) => {
    tf.tidy(() => {
      const share = recordedConstant(`scalar ${String(tau)}`, () => tf.scalar(tau));
      const step = tf.mul(tf.sub(online[i] as tf.Tensor, target), share);
      if (hasKernel('AddInto')) addInto(target, step);
      else target.assign(tf.add(target, step));
    });
  });
}
