// One seed of the learning bench: the team, its masked control, and a single agent that samples as
// many tokens in all as the team did.
import { parseConfig } from '../../src/config/parse.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import { checkpointFormat } from '../../src/records/checkpoint.ts';
import type { TrainerEvent } from '../../src/records/events.ts';
import { runId } from '../../src/records/ids.ts';
import { memoryStore } from '../../src/training/testing/memoryStore.ts';
import type { Evaluation } from '../../src/records/metrics.ts';
import { Session } from '../../src/training/run/session.ts';
import { startingCheckpoint } from '../../src/training/run/start.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { loadShipped } from '../shared/shippedWeights.ts';

export type Start = 'shipped' | 'train';

interface Share {
  accuracy: number;
  low: number;
  high: number;
}

export interface Learned {
  seed: number;
  backend: string;
  iterations: number;
  before: Share;
  after: Share;
  /** Accuracy of the trained team with the planner's messages hidden from the reasoner. */
  maskedMessage: number;
  /** Accuracy of one agent that sees all, trained to the same number of sampled tokens. */
  singleAgent: number;
  singleAgentAfter: Share;
  singleAgentBefore: Share;
  sampledTokens: number;
  singleAgentTokens: number;
  ceiling: number;
  /** Evaluations on the way: [iteration, accuracy]. */
  curve: [number, number][];
  /** Of the team's training, evaluations included, its warm start left out. */
  seconds: number;
  warmStartSeconds: number;
}

const share = ({ accuracy, low, high }: Evaluation): Share => ({ accuracy, low, high });

/** Trains until `isEnough` says so or the last iteration is done. */
async function trained(config: Config, backend: string, isEnough: (session: Session) => boolean) {
  const started = performance.now();
  const checkpoint = await startingCheckpoint({
    config,
    runId: runId('bench'),
    backend,
    loadShipped,
  });
  const warm = performance.now();
  const evaluations: Evaluation[] = [];
  const run = {
    format: checkpointFormat,
    id: runId('bench'),
    name: 'bench',
    preset: 'default',
    config,
    changes: [],
    backend,
    createdMs: 0,
    iteration: 0,
    isDone: false,
  };
  const emit = (event: TrainerEvent) => {
    if (event.kind === 'failed') throw new Error(`${event.name}: ${event.message}`);
    if (event.kind !== 'evaluation') return;
    evaluations.push(event.evaluation);
    console.error(
      `seed ${config.run.seed} · ${config.agents.protocol} · ${event.evaluation.iteration}: ${event.evaluation.accuracy.toFixed(3)}`,
    );
  };
  const store = memoryStore({ keepsIterations: false });
  const session = new Session({ run, checkpoint, store, emit, now: () => performance.now() });
  while (session.run.iteration < config.run.iterations && !isEnough(session)) await session.train(1);
  if (evaluations.at(-1)?.iteration !== session.run.iteration) await session.evaluate();
  const { sampledTokens } = session;
  const { iteration } = session.run;
  await session.dispose();
  return {
    evaluations,
    sampledTokens,
    iteration,
    warmSeconds: (warm - started) / 1000,
    seconds: (performance.now() - warm) / 1000,
  };
}

/** Team, then single agent, from one seed. */
export async function learnOnce(start: Start, seed: number): Promise<Learned> {
  const backend = 'simd';
  await startBackend(backend, { ours: true });
  const settings = (more: ConfigInput): Config =>
    parseConfig({ ...more, warmStart: { source: start }, run: { seed, ...more.run } });
  const team = await trained(settings({}), backend, () => false);
  // As many iterations as the tokens allow: its turns hold the whole dialogue.
  const single = await trained(
    settings({ agents: { protocol: 'single' }, run: { iterations: 10 * team.iteration } }),
    backend,
    ({ sampledTokens }) => sampledTokens >= team.sampledTokens,
  );
  const [first] = team.evaluations as [Evaluation];
  const last = team.evaluations.at(-1) as Evaluation;
  const alone = single.evaluations.at(-1) as Evaluation;
  return {
    seed,
    backend,
    iterations: team.iteration,
    before: share(first),
    after: share(last),
    maskedMessage: last.maskedMessage ?? Number.NaN,
    singleAgent: alone.accuracy,
    singleAgentAfter: share(alone),
    singleAgentBefore: share(single.evaluations[0] as Evaluation),
    sampledTokens: team.sampledTokens,
    singleAgentTokens: single.sampledTokens,
    ceiling: last.ceiling,
    curve: team.evaluations.map(({ iteration, accuracy }) => [iteration, accuracy]),
    seconds: team.seconds,
    warmStartSeconds: team.warmSeconds,
  };
}
