// Trains one run from a given start until enough tokens are sampled, and returns its accuracy before and after, and its
// cost.
import { mean } from '../../src/base/stats.ts';
import { outcomeOf, rounded } from '../../src/records/claims/measures.ts';
import type { Checkpoint, NamedArray } from '../../src/records/stored/checkpoint.ts';
import type { Evaluation } from '../../src/records/metrics.ts';
import { profileMs } from '../../src/records/profile.ts';
import type { Trajectory } from '../../src/records/trajectory.ts';
import type { World } from '../../src/tasks/world.ts';
import type { Session } from '../../src/training/run/session.ts';
import { memoryStore } from '../../src/training/run/memoryStore.ts';
import { openRun } from '../../src/training/testing/microRun.ts';

export interface Share {
  accuracy: number;
  /** 95 % Wilson interval. */
  low: number;
  high: number;
}

/** The part of a run that is stored in a row of the benches of learners and claims. */
export type BudgetRun = Awaited<ReturnType<typeof budgetRun>>;

/**
 * Trains to the end of the iteration after which `isEnough`, or to the last one of the configuration, and evaluates. A
 * collapse that ends a run is a result, not an error.
 */
export async function trainUntil(
  checkpoint: Checkpoint,
  isEnough: (session: Session) => boolean,
  { world, atLowTemperature = false }: { world?: World; atLowTemperature?: boolean } = {},
) {
  const evaluations: Evaluation[] = [];
  let newest: (readonly Trajectory[])[] = [];
  let startedMs = 0;
  const store = memoryStore({ keepsIterations: false });
  const { session, events } = openRun(checkpoint, {
    store: {
      ...store,
      // The session evaluates once before its first iteration.
      saveEvaluation: (_, evaluation) => {
        if (evaluation.atLowTemperature) return Promise.resolve();
        if (evaluations.length === 0) startedMs = busyMs();
        evaluations.push(evaluation);
        return Promise.resolve();
      },
      saveIteration: (_, { trajectories, evaluation }) => {
        if (evaluation) evaluations.push(evaluation);
        newest = [...newest.slice(-2), trajectories];
        return Promise.resolve();
      },
    },
    now: () => performance.now(),
    ...(world && { world }),
  });
  const failure = () =>
    events.flatMap((event) => (event.kind === 'failed' ? `${event.name}: ${event.message}` : []))[0];
  const { iterations: last } = checkpoint.config.run;
  const low = async () => (atLowTemperature && !failure() ? await lowTemperatureShare(session) : null);
  const lowBefore = await low();
  while (!isEnough(session) && session.run.iteration < last && !failure()) await session.train(1);
  const seconds = (busyMs() - startedMs) / 1000;
  if (!failure() && evaluations.at(-1)?.iteration !== session.run.iteration) await session.evaluate();
  const lowAfter = await low();
  const { iteration: iterations } = session.run;
  const { sampledTokens } = session;
  const [weights]: [NamedArray[], ...NamedArray[][]] = failure() ? [[]] : await session.agentWeights(0);
  await session.dispose();
  const profiles = events.flatMap((event) => (event.kind === 'profile' ? [event.profile] : []));
  const metrics = events.flatMap((event) => (event.kind === 'iteration' ? [event.metrics.values] : []));
  return {
    /** Before the first iteration, during training, and at the end. */
    evaluations,
    /** Before and after at low temperature; null if that was not requested, and after a failure. */
    ...{ lowBefore, lowAfter },
    /** The metrics of each iteration. */
    metrics,
    /** The trajectories of the last three iterations. */
    newest: newest.flat(),
    /** The final weights of the first agent; none for a failed run. */
    weights,
    iterations,
    sampledTokens,
    /** Processor time in seconds, from the first iteration to the last: comparable however busy the machine is. */
    seconds,
    /** The share of the iterations' time spent in the world's own code, in [0, 1]. */
    worldShare: mean(profiles.map(({ parts }) => parts.world)) / mean(profiles.map(profileMs)),
    /** Why it ended early; '' if it did not. */
    failure: failure() ?? '',
  };
}

/** Trains to the end of the iteration in which `tokens` are reached. */
export async function budgetRun(checkpoint: Checkpoint, tokens: number) {
  const isEnough = (session: Session) => session.sampledTokens >= tokens;
  const trained = await trainUntil(checkpoint, isEnough, { atLowTemperature: true });
  const { evaluations, lowBefore, lowAfter, metrics, newest, failure, iterations, sampledTokens, seconds } = trained;
  const first = evaluations[0] as Evaluation;
  const last = evaluations.at(-1) as Evaluation;
  const told = metrics.map((values) => ({ values }));
  const { turns, tokensPerTurn, latest } = outcomeOf(evaluations, told);
  const final = metrics.at(-1) ?? {};
  return {
    before: share(first),
    // A team whose numbers are no longer finite gives no answer at all.
    after: failure === '' ? share(last) : { accuracy: 0, low: 0, high: 0 },
    /** Accuracy at low temperature, where an agent nearly always gives its likeliest output; null after a failure. */
    ...{ lowBefore, lowAfter },
    /** Accuracy with the messages hidden; null if no agent sends another a message. */
    maskedBefore: first.maskedMessage ?? null,
    maskedAfter: last.maskedMessage ?? null,
    ...{ iterations, sampledTokens, seconds },
    /** Wall-clock time in seconds, of rollouts and updates. */
    clockSeconds: metrics.reduce((sum, values) => sum + secondsOf(values), 0),
    /** Mean k3 per token between the agents and their warm start, in the last iteration. */
    kl: final['losses/ref_kl'] ?? Number.NaN,
    /** Mean −log p of a sampled token, mean over roles, in the last iteration. */
    entropy: entropyOf(final),
    /** Share of right rollouts, iteration by iteration. */
    trainingAccuracy: metrics.map((values) => rounded(values['charts/training_accuracy'] ?? Number.NaN)),
    turns,
    tokensPerTurn,
    /**
     * The share that a critic explained by quarters of the run, overall and at the turns of each role; empty without a
     * critic.
     */
    explained: byQuarter(metrics, 'losses/explained_variance'),
    /** Every metric, mean of the last five iterations. */
    latest,
    /** If turns are answers: accuracy of each agent in the last three iterations. */
    rightByAgent: rightShares(newest),
    /** Why it ended early; absent if it did not. */
    ...(failure !== '' && { failure }),
  };
}

/** Processor time of this process in milliseconds. */
function busyMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Evaluates a session's team at low temperature, in addition to its other evaluations. */
async function lowTemperatureShare(session: Session): Promise<Share | null> {
  return (await session.evaluate('lowTemperature')).atLowTemperature ?? null;
}

export const share = ({ accuracy, low, high }: Evaluation): Share => ({ accuracy, low, high });

function secondsOf(values: Record<string, number>): number {
  return ((values['time/rollout'] ?? 0) + (values['time/update'] ?? 0)) / 1000;
}

/** Returns the means of a metric and of its parts over each quarter of a run, by their names. */
function byQuarter(metrics: readonly Record<string, number>[], name: string): Record<string, number[]> {
  const names = [...new Set(metrics.flatMap((values) => Object.keys(values)))].filter((one) => one.startsWith(name));
  const cut = (part: number) => Math.floor((part * metrics.length) / 4);
  const of = (one: string) =>
    [0, 1, 2, 3].map((part) =>
      rounded(mean(metrics.slice(cut(part), cut(part + 1)).flatMap((values) => values[one] ?? []))),
    );
  return Object.fromEntries(names.map((one) => [one, of(one)]));
}

function rightShares(trajectories: readonly Trajectory[]): number[] | null {
  const answers = trajectories.flatMap(({ turns }) => turns.filter(({ isRight }) => isRight !== undefined));
  if (answers.length === 0) return null;
  const agents = [...new Set(answers.map(({ agent }) => agent))].sort((a, b) => a - b);
  return agents.map((agent) =>
    mean(answers.filter((turn) => turn.agent === agent).map(({ isRight }) => (isRight ? 1 : 0))),
  );
}

function entropyOf(values: Record<string, number>): number {
  return mean(
    Object.keys(values).flatMap((name) => (name.startsWith('losses/entropy/') ? [values[name] as number] : [])),
  );
}
