// One seed of the learning bench: the team, its masked control, and a single agent that samples as
// many tokens in all as the team did.
import { parseConfig } from '../../src/config/parse.ts';
import { firstPreset, presets } from '../../src/config/presets.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import { runId } from '../../src/records/ids.ts';
import type { Evaluation } from '../../src/records/metrics.ts';
import type { Session } from '../../src/training/run/session.ts';
import { startingCheckpoint } from '../../src/training/run/start.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { loadShipped } from '../shared/shippedWeights.ts';
import { share, trainUntil } from '../shared/trainUntil.ts';

export type Learned = Awaited<ReturnType<typeof learnOnce>>;

const backend = 'simd';

async function trained(config: Config, isEnough: (session: Session) => boolean) {
  const started = performance.now();
  const checkpoint = await startingCheckpoint({ config, runId: runId('bench'), backend, loadShipped });
  const warm = performance.now();
  const run = await trainUntil(checkpoint, isEnough);
  if (run.failure !== '') throw new Error(run.failure);
  const [first, last] = [run.evaluations[0] as Evaluation, run.evaluations.at(-1) as Evaluation];
  return { ...run, first, last, warmSeconds: (warm - started) / 1000 };
}

/** Team, then single agent, from one seed; the warm start ships or is trained. */
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
  // As many iterations as the tokens allow: its turns hold the whole dialogue.
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
    /** Accuracy of the trained team with the planner's messages hidden from the reasoner. */
    maskedMessage: team.last.maskedMessage ?? Number.NaN,
    /** Accuracy of one agent that sees all, trained to the same number of sampled tokens. */
    singleAgent: single.last.accuracy,
    singleAgentAfter: share(single.last),
    singleAgentBefore: share(single.first),
    sampledTokens: team.sampledTokens,
    singleAgentTokens: single.sampledTokens,
    ceiling: team.last.ceiling,
    /** Evaluations on the way: [iteration, accuracy]. */
    curve: team.evaluations.map(({ iteration, accuracy }): [number, number] => [iteration, accuracy]),
    /** Of the processor: the team's training from its first iteration to its last, evaluations included. */
    seconds: team.seconds,
    warmStartSeconds: team.warmSeconds,
  };
}
