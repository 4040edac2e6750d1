// Trains one seed of the learning bench: the team, also measured with masked messages, a single agent that samples the
// same number of tokens as the team, and a team that is trained and evaluated without hearing its planner, from its own
// warm start.
import { parseConfig } from '../../src/config/parse.ts';
import { firstPreset, presets } from '../../src/config/presets.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import { runId } from '../../src/records/ids.ts';
import type { Evaluation } from '../../src/records/metrics.ts';
import { worldOf } from '../../src/tasks/registry.ts';
import type { Session } from '../../src/training/run/session.ts';
import { startingCheckpoint } from '../../src/training/run/start.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { loadShipped } from '../shared/shippedWeights.ts';
import { share, trainUntil } from '../shared/trainUntil.ts';

export type Learned = Awaited<ReturnType<typeof learnOnce>>;
export type Unheard = Awaited<ReturnType<typeof learnUnheard>>;

const backend = 'simd';

async function trained(config: Config, isEnough: (session: Session) => boolean) {
  const started = performance.now();
  const checkpoint = await startingCheckpoint({ config, runId: runId('bench'), backend, loadShipped });
  const warm = performance.now();
  const run = await trainUntil(checkpoint, isEnough, { atLowTemperature: true });
  if (run.failure !== '') throw new Error(run.failure);
  const [first, last] = [run.evaluations[0] as Evaluation, run.evaluations.at(-1) as Evaluation];
  return { ...run, first, last, warmSeconds: (warm - started) / 1000 };
}

/**
 * Trains a team whose planner is never heard: the team reads no plan in its demonstrations, in training or in
 * evaluation, so that it is never in an unfamiliar state. Also returns the accuracy of one constant rule, without any
 * learning.
 */
export async function learnUnheard(seed: number) {
  await startBackend(backend, { ours: true });
  const config = parseConfig({
    ...presets[firstPreset].settings,
    agents: { unheard: 'first' },
    warmStart: { source: 'train', unheard: true },
    run: { seed },
  });
  const { first, last, lowBefore, lowAfter, ...run } = await trained(config, () => false);
  const { level } = config.world;
  return {
    ...{ seed, before: share(first), after: share(last), lowBefore, lowAfter },
    ...{ iterations: run.iterations, sampledTokens: run.sampledTokens, seconds: run.seconds },
    bestGuess: worldOf(config).bestGuess?.(level, config.evaluation.problems) ?? null,
  };
}

/** Trains the team and then the single agent with one seed. The warm start is the shipped one or is trained. */
export async function learnOnce(start: 'shipped' | 'train', seed: number) {
  await startBackend(backend, { ours: true });
  const settings = (more: ConfigInput): Config =>
    parseConfig({
      ...presets[firstPreset].settings,
      ...more,
      warmStart: { source: start },
      run: { seed, ...more.run },
    });
  const team = await trained(settings({}), () => false);
  // The single agent trains as many iterations as the tokens allow, because its turns contain the whole dialogue.
  const single = await trained(
    settings({ agents: { protocol: 'single' }, run: { iterations: 10 * team.iterations } }),
    ({ sampledTokens }) => sampledTokens >= team.sampledTokens,
  );
  return {
    seed,
    backend,
    iterations: team.iterations,
    before: share(team.first),
    after: share(team.last),
    /** The team at low temperature. */
    ...{ lowBefore: team.lowBefore, lowAfter: team.lowAfter },
    /** Accuracy of the trained team with the planner's messages hidden from the reasoner. */
    maskedMessage: team.last.maskedMessage ?? Number.NaN,
    /** Accuracy of one agent that sees all, trained to the same number of sampled tokens. */
    singleAgent: single.last.accuracy,
    singleAgentAfter: share(single.last),
    singleAgentBefore: share(single.first),
    singleAgentLow: { before: single.lowBefore, after: single.lowAfter },
    sampledTokens: team.sampledTokens,
    singleAgentTokens: single.sampledTokens,
    ceiling: team.last.ceiling,
    /** Evaluations during training: [iteration, accuracy]. */
    curve: team.evaluations.map(({ iteration, accuracy }): [number, number] => [iteration, accuracy]),
    /**
     * Processor time in seconds: of the team's training from its first iteration to its last, including evaluations.
     */
    seconds: team.seconds,
    warmStartSeconds: team.warmSeconds,
  };
}
