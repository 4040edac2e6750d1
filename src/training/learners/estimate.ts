// Computes the learner's advantages for the collected dialogues, before and after whitening.
import { ownFormulaOf } from '../../exercises/ownFormula.ts';
import { stepsPaid, type Paid } from '../collect/collect.ts';
import { comparesSteps } from '../collect/ownRewards.ts';
import type { MessageWorth } from '../maths/mixing.ts';
import type { RowBatch } from '../rows/rows.ts';
import { stage, type Parts } from '../stages/stage.ts';
import type { Team } from '../team/team.ts';
import { asLearned, type Advantages, type Collected } from './learner.ts';
import { learners } from './registry.ts';

declare module '../stages/stage.ts' {
  interface Parts {
    /** The collected dialogues and rows, as passed to the learner. */
    collected: Collected;
    /** The learner's advantages before whitening. */
    estimate: Advantages;
    /** [B·T] the advantages that the update uses. These advantages are whitened if `learning.normAdv` is on. */
    advantages: Float32Array;
  }
}

interface Looked {
  paid: Pick<Paid, 'trajectories' | 'rewards'>;
  batch: RowBatch;
  before: Pick<Collected, 'tokenCharge' | 'values'> & { joint: Collected['joint'] | null };
  /** The mixing critic's values for the messages of each trajectory, if the learner uses them. */
  worth: readonly MessageWorth[] | undefined;
}

/** Computes the learner's advantages for collected dialogues. Throws SandboxError if a visitor's own formula fails. */
export async function estimateOf(
  team: Team,
  { paid: { trajectories, rewards }, batch, before, worth }: Looked,
): Promise<Pick<Parts, 'collected' | 'estimate' | 'advantages'>> {
  const { config } = team;
  const ownFormula = await ownFormulaOf(config);
  const collected: Collected = {
    config,
    trajectories,
    rewards,
    batch,
    tokenCharge: before.tokenCharge,
    values: before.values,
    ...(before.joint && { joint: before.joint }),
    ...(worth && { mixed: { worth } }),
    ...(comparesSteps(config) && { steps: stepsPaid(team, trajectories) }),
    ...(ownFormula && { ownFormula }),
  };
  const estimate = learners[config.learning.learner].advantages(collected);
  return { collected, estimate, advantages: asLearned(collected, estimate.advantages) };
}

export const estimateStage = stage({
  name: 'estimate',
  phase: 'estimate',
  reads: ['paid', 'batch', 'before'],
  run: ({ team, paid, batch, before, mixed }) => estimateOf(team, { paid, batch, before, worth: mixed?.worth }),
});
