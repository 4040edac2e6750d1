// One iteration as a list of stages in the order in which they run: collect trajectories, compute facts about the
// trajectories, predict values with critics, estimate advantages, measure the quality of the advantages, update the
// networks that learn, and compute the metrics. Each stage is implemented in its own file. A learner may add stages
// (learners/learner.ts). stages/stage.ts explains how stages are written.
import type { Config } from '../../config/schema.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import type { IterationMetrics } from '../../records/metrics.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { collectStage } from '../collect/collect.ts';
import { influenceStage } from '../collect/influencePass.ts';
import { criticStage } from '../critics/criticUpdates.ts';
import { explainedStage } from '../critics/explained.ts';
import { creditStage } from '../evaluation/creditTruth.ts';
import { agreementStage } from '../evaluation/policyAgreement.ts';
import { inspectStage, type Inspectable } from '../inspect/inspect.ts';
import { shownGroupStage } from '../inspect/shownGroup.ts';
import { estimateStage } from '../learners/estimate.ts';
import { learners } from '../learners/registry.ts';
import { expectParts, inOrder, noTimes, runStages, stage, type Context, type Stage } from '../stages/stage.ts';
import { teamAt } from '../team/team.ts';
import { verifierStage } from '../verifier/trainedVerifier.ts';
import { adaptiveKlStage } from './adaptiveKl.ts';
import { lookBackStage } from './collectionFacts.ts';
import { metricsStage } from './iterationMetrics.ts';
import { finiteStage, orderStage, stepSizeStage, updateStage } from './policyUpdates.ts';
import { scheduled } from './rateSchedule.ts';
import { referenceRefreshStage } from './referenceRefresh.ts';
import { speakersStage } from './speakers.ts';
import type { TrainState } from './trainState.ts';
import { elsewhereStage } from './updatesElsewhere.ts';

/**
 * The first evaluation of a run takes place after the first trajectories have been collected, so that the page can show
 * these trajectories without waiting for the evaluation.
 */
const openStage = stage({
  name: 'first evaluation',
  phase: 'open',
  when: (_, iteration) => iteration === 0,
  reads: [],
  run: async ({ onceCollected }) => {
    await onceCollected?.();
    return {};
  },
});

/** The stages that all learners have in common. */
const shared: readonly Stage[] = [
  speakersStage,
  collectStage,
  openStage,
  lookBackStage,
  shownGroupStage,
  influenceStage,
  estimateStage,
  creditStage,
  agreementStage,
  orderStage,
  stepSizeStage,
  updateStage,
  elsewhereStage,
  criticStage,
  verifierStage,
  finiteStage,
  adaptiveKlStage,
  inspectStage,
  explainedStage,
  metricsStage,
  referenceRefreshStage,
];

/** All stages that an iteration with these settings may have. Some of these stages do not run in every iteration. */
export const stagesOf = ({ learning }: Config): Stage[] => inOrder(shared, learners[learning.learner].stages);

export interface IterationResult {
  metrics: IterationMetrics;
  trajectories: Trajectory[];
  shown: GroupInspection;
  inspectable: Inspectable;
  sampledTokens: number;
}

/** Runs iteration number `iteration` (from 0). Throws NumericsError if a loss is not finite. */
export async function runIteration(
  trainState: TrainState,
  iteration: number,
  onTurn: Context['onTurn'],
  hearing: Pick<Context, 'onWord' | 'onceCollected'> = {},
): Promise<IterationResult> {
  const config = scheduled(trainState.team.config, iteration);
  const team = { ...teamAt(trainState.team, iteration), config };
  const context: Context = { ...trainState, team, config, iteration, onTurn, ...hearing, phaseMs: noTimes() };
  try {
    await runStages(stagesOf(config), context);
  } finally {
    trainState.klCoef = context.klCoef;
    trainState.references = context.references;
  }
  expectParts(context, ['paid', 'inspectable', 'shown', 'metrics'], 'iteration');
  const { paid, inspectable, shown, metrics } = context;
  return { metrics, trajectories: paid.trajectories, shown, inspectable, sampledTokens: paid.sampledTokens };
}
