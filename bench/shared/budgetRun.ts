// One run from a given start until it has sampled so many tokens: accuracy before and after, and what it cost.
import { mean } from '../../src/base/stats.ts';
import { checkpointFormat, type Checkpoint } from '../../src/records/checkpoint.ts';
import type { TrainerEvent } from '../../src/records/events.ts';
import type { Evaluation } from '../../src/records/metrics.ts';
import type { Trajectory } from '../../src/records/trajectory.ts';
import { memoryStore } from '../../src/training/testing/memoryStore.ts';
import { Session } from '../../src/training/run/session.ts';

export interface Share {
  accuracy: number;
  /** 95 % Wilson interval. */
  low: number;
  high: number;
}

export interface BudgetRun {
  before: Share;
  after: Share;
  /** Accuracy afterwards with the messages hidden; null where nobody tells anybody anything. */
  maskedBefore: number | null;
  maskedAfter: number | null;
  iterations: number;
  sampledTokens: number;
  /** Of the processor, from the first iteration to the last: comparable however busy the machine is. */
  seconds: number;
  /** Of the clock, rollouts and updates. */
  clockSeconds: number;
  /** Mean k3 a token between the agents and their warm start, in the last iteration. */
  kl: number;
  /** Mean −log p of a sampled token, mean over roles, in the last iteration. */
  entropy: number;
  /** Share of right rollouts, iteration by iteration. */
  trainingAccuracy: number[];
  /** Turns of a dialogue, iteration by iteration. */
  turns: number[];
  /** Tokens of a turn, iteration by iteration. */
  tokensPerTurn: number[];
  /** Every metric, mean of the last five iterations. */
  latest: Record<string, number>;
  /** Where turns are answers: share of right ones of each agent in the last three iterations. */
  rightByAgent: number[] | null;
  /** Why it ended before its time; absent when it did not. */
  failure?: string;
}

/** Trains to the end of the iteration in which `tokens` are reached. A collapse that ends a run is a result, not an error. */
export async function budgetRun(checkpoint: Checkpoint, tokens: number): Promise<BudgetRun> {
  const { config } = checkpoint;
  const seen = { evaluations: [] as Evaluation[], metrics: [] as Record<string, number>[], failure: '', startedMs: 0 };
  const emit = (event: TrainerEvent) => {
    if (event.kind === 'failed') seen.failure = `${event.name}: ${event.message}`;
    if (event.kind === 'evaluation') {
      if (seen.evaluations.length === 0) seen.startedMs = busyMs();
      seen.evaluations.push(event.evaluation);
    }
    if (event.kind === 'iteration') seen.metrics.push(event.metrics.values);
  };
  let newest: (readonly Trajectory[])[] = [];
  const keep = (trajectories: readonly Trajectory[]) => {
    newest = [...newest.slice(-2), trajectories];
    return Promise.resolve();
  };
  const session = new Session({
    run: {
      ...{
        format: checkpointFormat,
        id: checkpoint.runId,
        name: 'bench',
        preset: 'default',
        changes: [],
        createdMs: 0,
      },
      ...{ config, backend: checkpoint.backend, iteration: 0, isDone: false },
    },
    checkpoint,
    store: { ...memoryStore({ keepsIterations: false }), saveIteration: (_, { trajectories }) => keep(trajectories) },
    emit,
    now: () => performance.now(),
  });
  // The session measures once before its first iteration.
  while (session.sampledTokens < tokens && seen.failure === '') await session.train(1);
  const seconds = (busyMs() - seen.startedMs) / 1000;
  if (seen.failure === '') await session.evaluate();
  const { iteration: iterations } = session.run;
  const sampledTokens = session.sampledTokens;
  await session.dispose();
  const first = seen.evaluations[0] as Evaluation;
  const last = seen.evaluations.at(-1) as Evaluation;
  const curve = (name: string) => seen.metrics.map((values) => round(values[name] ?? Number.NaN));
  const final = seen.metrics.at(-1) ?? {};
  return {
    before: share(first),
    after: share(last),
    maskedBefore: first.maskedMessage ?? null,
    maskedAfter: last.maskedMessage ?? null,
    iterations,
    sampledTokens,
    seconds,
    clockSeconds: seen.metrics.reduce((sum, values) => sum + secondsOf(values), 0),
    kl: final['losses/ref_kl'] ?? Number.NaN,
    entropy: entropyOf(final),
    trainingAccuracy: curve('charts/training_accuracy'),
    turns: curve('charts/turns'),
    tokensPerTurn: curve('charts/tokens_per_turn'),
    latest: latestOf(seen.metrics.slice(-5)),
    rightByAgent: rightShares(newest.flat()),
    ...(seen.failure !== '' && { failure: seen.failure }),
  };
}

/** Milliseconds that this process has kept processors busy. */
function busyMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const share = ({ accuracy, low, high }: Evaluation): Share => ({ accuracy, low, high });
const round = (x: number) => Math.round(1e4 * x) / 1e4;

function secondsOf(values: Record<string, number>): number {
  return ((values['time/rollout'] ?? 0) + (values['time/update'] ?? 0)) / 1000;
}

function latestOf(metrics: readonly Record<string, number>[]): Record<string, number> {
  const names = new Set(metrics.flatMap((values) => Object.keys(values)));
  const of = (name: string) => metrics.flatMap((values) => values[name] ?? []);
  return Object.fromEntries([...names].map((name) => [name, round(mean(of(name)))]));
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
