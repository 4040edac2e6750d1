// HAPPO (2109.11251) updates agents one after another. Each agent has its own parameters. An update takes into account
// how the agents before it have changed: the joint advantage is multiplied by the ratios of these agents after their
// updates. The product replaces the advantage in the clipped objective. The product is treated as a constant, so it has
// no gradient.
import { NumericsError, ShapeError } from '../../base/errors.ts';
import type { SequentialRatio } from '../../config/names.ts';
import type { Draws } from '../../base/random.ts';
import { tokenSpans, type MaskArrays } from './ratio.ts';

/** The bound on the absolute value of the logarithm of the product of ratios. */
const cumulativeBound = 3;

/** A random order in which the agents, numbered from 0, are updated in one iteration. */
export function updateOrder(agents: number, draws: Draws): number[] {
  return draws.shuffle(Array.from({ length: agents }, (_, agent) => agent));
}

/**
 * M¹ = advantage, M^{m+1} = r_m·M^m, with the product of ratios clipped to e^{±3}. `ratios` contains the ratio r_m of
 * each updated agent, in update order; r_m is 1 for a silent agent. Returns one weight for each of these agents, and a
 * last weight for the agent that is updated next. Throws NumericsError for a ratio that is not positive and finite.
 */
export function happoWeights(advantage: number, ratios: readonly number[]): number[] {
  let sum = 0;
  return [
    advantage,
    ...ratios.map((ratio, m) => {
      if (!(ratio > 0 && Number.isFinite(ratio)))
        throw new NumericsError(
          `happoWeights: ratio ${m} must be positive and finite, got ${ratio}; bound the log-ratio before exp.`,
        );
      sum += Math.log(ratio);
      return advantage * Math.exp(bounded(sum));
    }),
  ];
}

export interface RoundTurn {
  agent: number;
  /** The round of the turn. Turns are weighted by the ratios of other turns in the same round. */
  round: number;
}

export interface SequentialCredit {
  /** [K] joint advantage of each turn. */
  advantages: ArrayLike<number>;
  /** [K] the log-ratio of each turn after the update of its agent. This ratio is used only for agents in `updated`. */
  logratios: ArrayLike<number>;
  /** The agents that have been updated so far in this iteration. */
  updated: readonly number[];
  /** The agent that is updated next. */
  agent: number;
}

/**
 * The weight M of every turn of one agent in one trajectory: the turn's joint advantage times the ratios of the turns
 * in the same round whose agents have been updated. The result is 0 at the turns of other agents. turns [K]; returns
 * [K]. Throws ShapeError if the lengths differ, or if the agent has already been updated.
 */
export function happoAdvantages(
  turns: readonly RoundTurn[],
  { advantages, logratios, updated, agent }: SequentialCredit,
): Float64Array {
  if (advantages.length !== turns.length || logratios.length !== turns.length)
    throw new ShapeError(
      `happoAdvantages: expected one advantage and one log-ratio for each of ${turns.length} turns, got ${advantages.length} and ${logratios.length}.`,
    );
  if (updated.includes(agent))
    throw new ShapeError(`happoAdvantages: agent ${agent} has already been updated; every agent is updated only once.`);
  const sums = new Map<number, number>();
  turns.forEach(({ agent: speaker, round }, t) => {
    if (updated.includes(speaker)) sums.set(round, (sums.get(round) ?? 0) + (logratios[t] as number));
  });
  return Float64Array.from(turns, ({ agent: speaker, round }, t) =>
    speaker === agent ? (advantages[t] as number) * Math.exp(bounded(sums.get(round) ?? 0)) : 0,
  );
}

/**
 * The log-ratio of every turn, without bounds, as a map from trajectory to turn to number. The log-ratio is the
 * logarithm of the product of the turn's token ratios (the ratio of the whole message, as in the paper), or of the
 * geometric mean of these ratios. logprobs [B·T] are those after the update. Throws the same errors as `tokenSpans`.
 */
export function turnLogratios(
  batch: MaskArrays & Record<'logprobs' | 'oldLogprobs', ArrayLike<number>>,
  kind: SequentialRatio,
): Map<number, Map<number, number>> {
  const { ids, lengths } = tokenSpans(batch, 'turn');
  const out = new Map<number, Map<number, number>>();
  ids.forEach((id, at) => {
    if (id < 0) return;
    const trajectory = batch.trajectoryIds[Math.floor(at / batch.shape[1])] as number;
    const turn = batch.turnIds[at] as number;
    const ofTrajectory = out.get(trajectory) ?? new Map<number, number>();
    out.set(trajectory, ofTrajectory);
    const length = kind === 'geometric' ? (lengths[id] as number) : 1;
    const part = ((batch.logprobs[at] as number) - (batch.oldLogprobs[at] as number)) / length;
    ofTrajectory.set(turn, (ofTrajectory.get(turn) ?? 0) + part);
  });
  return out;
}

function bounded(sum: number): number {
  return Math.min(cumulativeBound, Math.max(-cumulativeBound, sum));
}
