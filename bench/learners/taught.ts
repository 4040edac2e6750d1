// Measures how much a critic can learn about frozen agents if it trains for a long time: `node scripts/runTs.mjs
// bench/learners/taught.ts PRESET SEED [RATE] [DIALOGUES] [STEPS]`. A run of the preset stops after 20 iterations. From
// there only its critic continues, with this many new dialogues of these agents. The output is the share of the
// variance of returns that the critic explains, by role: in dialogues from which it learns, and in other dialogues. The
// critic cannot represent or has not found the unexplained part of the training dialogues, and it has memorised the
// part that it explains only there.
import { Draws, streams } from '../../src/base/random.ts';
import { agentPolicies } from '../../src/training/collect/agentPolicies.ts';
import { estimateOf } from '../../src/training/learners/estimate.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { presets } from '../../src/config/presets.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import { placesByKey } from '../../src/base/groups.ts';
import { rounded } from '../../src/records/claims/measures.ts';
import { rollOut } from '../../src/training/collect/collect.ts';
import { criticValues, updateCritic, type Critic } from '../../src/training/critics/critic.ts';
import { criticMemory, recalled, remembered, type Remembered } from '../../src/training/critics/criticMemory.ts';
import { explainedVariance } from '../../src/training/maths/loss.ts';
import { buildRows } from '../../src/training/rows/rows.ts';
import { discountsOf, plainReturns } from '../../src/training/rows/tracks.ts';
import { collectionFacts } from '../../src/training/run/collectionFacts.ts';
import { memoryStore } from '../../src/training/run/memoryStore.ts';
import { openRun } from '../../src/training/testing/microRun.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { loadShipped } from '../shared/shippedWeights.ts';
import { startFrom } from '../shared/warmStarts.ts';

const stopAt = 20;
const atOnce = 512;
/** The number of steps between two measurements. */
const between = 500;
const lookedAt = 6000;

const [name = 'ppo', seed = '11', rate, dialogues = '30000', steps = '3000'] = process.argv.slice(2);
await startBackend('simd', { ours: true });
const { settings } = presets[name as keyof typeof presets] as { settings: ConfigInput };
const config = parseConfig({
  ...settings,
  run: { seed: Number(seed), iterations: stopAt },
  evaluation: { every: 1000 },
});
const { session } = openRun(await startFrom(config, await loadShipped(config)), {
  store: memoryStore({ keepsIterations: false }),
});
await session.train(stopAt);
const state = session.trainState;
const { team, gate } = state;

interface Told {
  track: Remembered;
  role: string;
}

/** Returns the inputs and targets of the critic for new trajectories of these agents. */
async function told(count: number, iteration: number): Promise<Told[]> {
  const found: Told[] = [];
  const draws = new Draws(config.run.seed, streams.control, iteration);
  for (let offset = 0; offset < count; offset += atOnce) {
    const problems = Array.from({ length: atOnce }, () => team.world.draw(config.world.level, draws, 'training'));
    const groups = problems.map((_, row) => row);
    const drawn = { stream: streams.control, iteration, offset };
    const paid = await rollOut(team, { problems, groups, policies: agentPolicies(state), draws: drawn });
    paid.trajectories.forEach((one, index) => (one.index = index));
    const batch = buildRows(paid.trajectories, [...team.protocol.roles.keys()], team.tokens);
    const before = await collectionFacts(state, batch, paid.trajectories);
    const { estimate } = await estimateOf(team, { paid, batch, before, worth: undefined });
    const rows = before.joint?.batch ?? batch;
    for (const track of estimate.tracks ?? []) {
      const at = track.places[0]?.[0] as number;
      const agent = rows.agentIds[Math.floor(at / rows.length)] as number;
      found.push({ track: remembered(rows, track), role: team.protocol.roles[agent] as string });
    }
  }
  return found;
}

const [critic] = state.critics as [Critic];
const learned = await told(Number(dialogues), 1000);
const others = await told(lookedAt, 2000);
critic.memory = criticMemory(learned.length);
critic.memory.add(learned.map(({ track }) => track));
const taught = {
  ...team,
  config: {
    ...config,
    learning: { ...config.learning, criticSteps: between, criticBatch: 64, criticMemory: learned.length },
    optimiser: { ...config.optimiser, ...(rate !== undefined && { criticRate: Number(rate) }) },
  } satisfies Config,
};

async function explained(some: readonly Told[]): Promise<Record<string, number>> {
  const said: { role: string; value: number; followed: number }[] = [];
  for (let from = 0; from < some.length; from += atOnce) {
    const part = some.slice(from, from + atOnce);
    const { batch, tracks } = recalled(part.map(({ track }) => track));
    const values = await criticValues(critic, batch, gate);
    tracks.forEach((track, i) => {
      const returns = plainReturns(track, discountsOf(config));
      const { role } = part[i] as Told;
      track.places.forEach((own, step) => {
        for (const at of own) said.push({ role, value: values[at] as number, followed: returns[step] as number });
      });
    });
  }
  const byRole = [...placesByKey(said.map(({ role }) => role))].map(([role, places]) => {
    const [values, followed] = [places.map((i) => said[i]?.value ?? NaN), places.map((i) => said[i]?.followed ?? NaN)];
    return [role, rounded(explainedVariance(values, followed))] as const;
  });
  return Object.fromEntries(byRole);
}

for (let done = 0; done <= Number(steps); done += between) {
  if (done > 0) await updateCritic(critic, { team: taught, gate, iteration: stopAt + done, n: 0 });
  const row = { steps: done, learned: await explained(learned.slice(0, lookedAt)), others: await explained(others) };
  console.log(JSON.stringify({ preset: name, seed: Number(seed), rate: taught.config.optimiser.criticRate, ...row }));
}
await session.dispose();
