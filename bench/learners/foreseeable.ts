// The share of a team's reward that is predictable from what a critic sees, and the share that the critic actually
// predicts: `node scripts/runTs.mjs bench/learners/foreseeable.ts PRESET SEED [STILL]`. A run of the preset pauses
// every ten iterations and samples 24 dialogues about each of 96 problems under each of their rules. All dialogues with
// the same observations before a turn, with or without the rule, are in one state; differences between dialogues from
// one state cannot be predicted there. The predictable share is 1 minus the unbiased variance within states, divided by
// the total variance; states that occurred once carry no information and are left out. From iteration STILL on the
// agents are nearly frozen and their critic continues to learn from new dialogues of theirs, which separates its lack
// of data from the effect of changing agents.
import { appendFileSync } from 'node:fs';
import { placesByKey } from '../../src/base/groups.ts';
import { Draws, streams } from '../../src/base/random.ts';
import { mean, std } from '../../src/base/stats.ts';
import { criticOf } from '../../src/config/learners/registry.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { presets } from '../../src/config/presets.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { Problem } from '../../src/records/problem.ts';
import { rounded } from '../../src/records/claims/measures.ts';
import { rollOut } from '../../src/training/collect/collect.ts';
import { witnessOf } from '../../src/training/critics/critic.ts';
import { agentPolicies } from '../../src/training/collect/agentPolicies.ts';
import { memoryStore } from '../../src/training/run/memoryStore.ts';
import { openRun } from '../../src/training/testing/microRun.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { loadShipped } from '../shared/shippedWeights.ts';
import { startFrom } from '../shared/warmStarts.ts';
import { predictedFile, type PredictedRow } from './predictedTable.ts';

const looks = 96;
const drawn = 30_000;
const repeats = 24;
const between = 10;

const [name = 'ppo', seed = '11', still] = process.argv.slice(2);
const stillAt = still === undefined ? Infinity : Number(still);
const iterations = still === undefined ? 40 : stillAt + 60;
/** The minimum of the setting: 60 iterations with it amount to less than one step of the preset. */
const leastRate = 1e-6;
await startBackend('simd', { ours: true });
const { settings } = presets[name as keyof typeof presets] as { settings: ConfigInput };
const config = parseConfig({ ...settings, run: { seed: Number(seed), iterations }, evaluation: { every: 1000 } });
const checkpoint = await startFrom(config, await loadShipped(config));
const { session, events } = openRun(checkpoint, { store: memoryStore({ keepsIterations: false }) });

/** Problems that are identical except for the hidden part; all that exist for each form. */
const draws = new Draws(config.run.seed, streams.control, 0);
const problems = Array.from({ length: drawn }, () =>
  session.trainState.team.world.draw(config.world.level, draws, 'training'),
);
const byLook = [...placesByKey(problems.map(({ shown }) => shown)).values()].map((own) => [
  ...new Map(own.map((i) => [problems[i]?.id, problems[i] as Problem])).values(),
]);
const most = Math.max(...byLook.map(({ length }) => length));
const alike = byLook.filter(({ length }) => length === most).slice(0, looks);

for (let done = 0; done <= iterations; done += between) {
  if (done > 0) await session.train(between);
  if (done === stillAt) await session.change('optimiser.learningRate', leastRate);
  const explained = events
    .flatMap((event) => (event.kind === 'iteration' ? [event.metrics.values] : []))
    .slice(-between);
  const share = (role: string) =>
    mean(explained.flatMap((values) => values[`losses/explained_variance${role && `/${role}`}`] ?? []));
  const could = await foreseeable(done);
  const did = Object.fromEntries(Object.keys(could).map((role) => [role, rounded(share(role))]));
  const row: PredictedRow = {
    preset: name,
    seed: Number(seed),
    still: still === undefined ? null : stillAt,
    after: done,
    did,
    could,
  };
  console.log(JSON.stringify(row));
  appendFileSync(predictedFile, `${JSON.stringify(row)}\n`);
}
await session.dispose();

/** The share of the rewards that the state before each turn could predict, overall and at the turns of each role. */
async function foreseeable(iteration: number): Promise<Record<string, number>> {
  const { trainState } = session;
  const seesAll = criticOf(config) === 'joint';
  const seen: { role: string; state: string; reward: number }[] = [];
  for (const [look, different] of alike.entries()) {
    const problems = different.flatMap((problem) => Array.from({ length: repeats }, () => problem));
    const { trajectories } = await rollOut(trainState.team, {
      problems,
      groups: problems.map((_, row) => Math.floor(row / repeats)),
      policies: agentPolicies(trainState),
      draws: { stream: streams.control, iteration: iteration + 1, offset: look * problems.length },
    });
    for (const { prompts, turns, reward } of trajectories)
      for (const { agent, role, index } of turns) {
        const heard = turns.slice(0, index).map(({ tokens }) => tokens.join(' '));
        const prompt = prompts[seesAll ? witnessOf(trainState.team) : agent] ?? [];
        seen.push({ role, state: [agent, ...prompt, ...heard].join('|'), reward });
      }
  }
  const shareOf = (some: typeof seen) => {
    const states = [...placesByKey(some.map(({ state }) => state)).values()].filter(({ length }) => length > 1);
    const rewards = states.map((own) => own.map((i) => some[i]?.reward as number));
    const within = rewards.reduce((total, own) => total + own.length * std(own) ** 2, 0) / rewards.flat().length;
    return rounded(1 - within / std(rewards.flat()) ** 2);
  };
  const ofRoles = [...new Set(seen.map(({ role }) => role))].map(
    (role) => [role, seen.filter((one) => one.role === role)] as const,
  );
  return Object.fromEntries([['', seen] as const, ...ofRoles].map(([role, some]) => [role, shareOf(some)]));
}
