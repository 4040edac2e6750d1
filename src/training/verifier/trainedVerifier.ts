// Trains a verifier together with the agents (MAPoRL 2502.18439). The verifier reads the agents' answers. Its score may
// be rewarded, shown to the agents or used to stop a debate. After each iteration the verifier learns from the answers
// of the last few iterations. The verifier scores the answers of an iteration before it learns from them, so the
// verifier has not been trained on these answers before. Deviation: MAPoRL trains the verifier before the training of
// the agents, and then together with them. In this implementation, the verifier is trained only together with the
// agents, on their current answers.
import { Draws, streams } from '../../base/random.ts';
import type { Config } from '../../config/schema.ts';
import type { RememberedAnswer, Reliability } from '../../records/verifier.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import {
  auc,
  calibrationError,
  logLoss,
  reliabilityCurve,
  withinQuestionAuc,
  type Judged,
} from '../maths/calibration.ts';
import { worldJudge, type TeamRequest } from '../collect/collect.ts';
import { stage } from '../stages/stage.ts';
import type { Gate } from '../team/gate.ts';
import type { Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';
import { expectFinite, meanLoss } from '../update/optimiserStep.ts';
import { answerRow, balancedSample, judgedTurns, rememberedAnswers, scoreAnswers, verifierStep } from './verifier.ts';

declare module '../stages/stage.ts' {
  interface Parts {
    /** The verifier, which learns to distinguish right answers from wrong ones. */
    verifier: Verifier;
    /** The quality of the verifier's scores in this iteration. */
    verified: VerifierReport;
  }
}

export interface Verifier {
  network: Network;
  /** The answers of the last `verifier.memory` iterations, in order. */
  answers: readonly RememberedAnswer[];
}

interface Context {
  team: Team;
  gate: Gate;
}

/**
 * The functions with which the verifier scores answers: `judge` during dialogues, if the settings require scores at
 * that time, and an appraiser for all answers after the dialogues.
 */
export function verifierInRollout(
  verifier: Verifier | undefined,
  context: Context,
): Pick<TeamRequest, 'judge' | 'appraisers'> {
  if (!verifier) return {};
  const { feedback, consensus, decides } = context.team.config.verifier;
  const isAsked = feedback === 'verifier' || consensus > 0 || decides;
  return {
    ...(isAsked && { judge: judgeBy(verifier, context) }),
    appraisers: [(trajectories) => appraise(verifier, trajectories, context)],
  };
}

/**
 * Returns a function that judges simultaneous answers. The world extracts the answers from the messages and determines
 * whether they are right. The verifier gives each answer a score.
 */
function judgeBy({ network }: Verifier, { team, gate }: Context): NonNullable<TeamRequest['judge']> {
  const read = worldJudge(team.world);
  return async (said) => {
    const answers = await read(said);
    const rows = said.map(({ trajectory, turn }) => answerRow(trajectory, turn, team));
    const beliefs = await scoreAnswers(network, rows, gate);
    return answers.map((answer, i) => {
      const belief = beliefs[i] as number;
      return { ...answer, belief, ...(team.config.verifier.feedback === 'verifier' && { score: belief }) };
    });
  };
}

/** Stores the verifier's score in every turn that the verifier judges and has not scored yet. */
async function appraise(
  { network }: Verifier,
  trajectories: readonly Trajectory[],
  { team, gate }: Context,
): Promise<void> {
  const open = trajectories.flatMap((trajectory) =>
    judgedTurns(trajectory, team)
      .filter(({ turn }) => turn.belief === undefined)
      .map(({ turn }) => ({ turn, row: answerRow(trajectory, turn, team) })),
  );
  const rows = open.map(({ row }) => row);
  const beliefs = await scoreAnswers(network, rows, gate);
  open.forEach(({ turn }, i) => (turn.belief = beliefs[i] as number));
}

export interface VerifierReport {
  /** The metrics by name. */
  values: Record<string, number>;
  reliability: Reliability;
}

/**
 * Stores an iteration's answers, and trains the verifier on all answers in memory. The appraisers must have scored the
 * dialogues before. Throws NumericsError if a loss is not finite.
 */
export async function learnToVerify(
  verifier: Verifier,
  trajectories: readonly Trajectory[],
  { team, gate, iteration }: Context & { iteration: number },
): Promise<VerifierReport> {
  const { config } = team;
  const newest = rememberedAnswers(trajectories, team, iteration);
  const scores = trajectories.flatMap((trajectory) =>
    judgedTurns(trajectory, team).map(({ turn }) => turn.belief ?? Number.NaN),
  );
  const report = reportOn(scores, newest);
  verifier.answers = [...verifier.answers, ...newest].filter(
    (answer) => answer.iteration > iteration - config.verifier.memory,
  );
  const batches = verifierBatches(verifier.answers, config, iteration);
  if (batches.length === 0) return report;
  const loss = await meanLoss(batches, (members) => {
    const answers = members.map((at) => verifier.answers[at] as RememberedAnswer);
    return verifierStep(verifier.network, answers, { config, gate });
  });
  expectFinite('losses/verifier_training', loss, { iteration, rate: 'verifier.learningRate' });
  report.values['losses/verifier_training'] = loss;
  return report;
}

/**
 * For each optimiser step of the verifier in an iteration, the indices of its answers. The answers are shuffled and
 * divided among the steps. When all answers have been used, they are shuffled again. With a balanced sample, equally
 * many right and wrong answers to each question are used. In this case, there are no steps if every question has only
 * right or only wrong answers.
 */
export function verifierBatches(
  answers: readonly RememberedAnswer[],
  { verifier: { isBalanced, steps, batch }, run }: Config,
  iteration: number,
): number[][] {
  const draws = new Draws(run.seed, streams.verifier, iteration);
  const verdicts = answers.map(({ isRight }) => isRight);
  const questions = answers.map(({ question }) => question);
  const pass = () =>
    draws.shuffle(isBalanced ? balancedSample(verdicts, questions, draws).indices : [...answers.keys()]);
  let waiting = pass();
  const size = Math.min(batch, waiting.length);
  if (size === 0) return [];
  return Array.from({ length: steps }, () => {
    while (waiting.length < size) waiting = [...waiting, ...pass()];
    return waiting.splice(0, size);
  });
}

/** Measures how reliable the verifier's scores are. Metrics that are not defined for these answers are omitted. */
function reportOn(scores: readonly number[], answers: readonly RememberedAnswer[]): VerifierReport {
  const judged: Judged = { scores, isRight: answers.map(({ isRight }) => isRight) };
  const questions = answers.map(({ question }) => question);
  const figures = {
    'charts/verifier_auc': auc(judged),
    'charts/verifier_auc_within': withinQuestionAuc(judged, questions),
    'charts/verifier_calibration_error': calibrationError(judged),
    'losses/verifier': logLoss(judged),
  };
  const sides = new Map<string, Set<boolean>>();
  for (const { question, isRight } of answers) sides.set(question, (sides.get(question) ?? new Set()).add(isRight));
  return {
    values: Object.fromEntries(Object.entries(figures).filter(([, value]) => Number.isFinite(value))),
    reliability: {
      bins: reliabilityCurve(judged).map(({ count, meanScore, shareRight }) =>
        count === 0 ? { count, right: 0, meanScore: 0 } : { count, right: Math.round(shareRight * count), meanScore },
      ),
      questions: sides.size,
      oneSided: [...sides.values()].filter(({ size }) => size === 1).length,
    },
  };
}

export const verifierStage = stage({
  name: 'verifier',
  phase: 'update',
  when: ({ verifier }) => verifier.isTrained,
  reads: ['verifier', 'paid'],
  run: async (context) => ({
    verified: await learnToVerify(context.verifier, context.paid.trajectories, context),
  }),
});
