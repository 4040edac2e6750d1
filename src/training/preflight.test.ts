import { beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../config/parse.ts';
import type { ConfigInput } from '../config/schema.ts';
import type { IterationProfile } from '../records/profile.ts';
import { measureIteration } from './preflight.ts';
import { startCpuEngine } from './testing/cpuEngine.ts';
import { microCheckpoint, microConfig, openRun } from './testing/microRun.ts';

beforeAll(startCpuEngine);

/** Dialogues of full length from random weights: rows of `roundLimit` rounds. */
const talk = (roundLimit: number) => ({ roundLimit, stopWhenTruncated: false, maskUnfinished: false });
const separate = { ...talk(2), parameters: 'separate' } as const;
const tiny = (settings: ConfigInput) =>
  parseConfig({
    warmStart: { source: 'none' },
    evaluation: { problems: 8 },
    ...settings,
    learning: { problemsPerIteration: 12, updateEpochs: 1, ...settings.learning },
  });

/** What was foretold before the run, and the profile of its first iteration. */
async function foretold(config: ReturnType<typeof parseConfig>) {
  const run = openRun(await microCheckpoint(config), { now: () => performance.now() });
  const cost = await measureIteration(run.session.learning);
  await run.session.train(1);
  const told = run.events.flatMap((event) => (event.kind === 'profile' ? [event.profile] : []));
  await run.session.dispose();
  return { cost, profile: told[0] as IterationProfile };
}

describe('the memory of a run', () => {
  const cases = [
    { name: 'micro, short rows', config: microConfig({ agents: talk(2) }) },
    { name: 'micro, long rows', config: microConfig({ agents: talk(8) }) },
    { name: 'tiny, short rows', config: tiny({ agents: talk(2) }) },
    { name: 'tiny, long rows', config: tiny({ agents: talk(6) }) },
    { name: 'one agent', config: microConfig({ agents: { ...talk(2), protocol: 'single' } }) },
    { name: 'a debate', config: microConfig({ agents: { ...talk(2), protocol: 'debate' } }) },
    { name: 'a joint critic', config: microConfig({ agents: separate, learning: { learner: 'mappo' } }) },
    // An agent may have nothing to say in a dialogue, so how many rows there will be is known only nearly.
    {
      name: 'two networks with critics, and the KL in the loss',
      config: tiny({ agents: separate, learning: { learner: 'ppo' }, kl: { place: 'loss' } }),
    },
  ];
  it.each(cases)('is foretold within 10 % of the peak of a real iteration ($name)', async ({ config }) => {
    const { cost, profile } = await foretold(config);
    expect(profile.peakBytes).toBeGreaterThan(2 * profile.usedBytes); // activations are what there is to foretell
    expect(Math.abs(cost.memoryBytes / profile.peakBytes - 1)).toBeLessThan(0.1);
  });

  it('includes the dialogues of an evaluation, which may be more than those of an iteration', async () => {
    const config = (problems: number) => microConfig({ agents: talk(2), evaluation: { problems, every: 1 } });
    const { cost, profile } = await foretold(config(512));
    const few = await foretold(config(8));
    expect(cost.memoryBytes).toBeGreaterThan(1.5 * few.cost.memoryBytes);
    expect(Math.abs(cost.memoryBytes / profile.peakBytes - 1)).toBeLessThan(0.1);
  });
});

describe('the time of an iteration', () => {
  it('is the sum of rollout, scoring, update, and its share of the evaluations', async () => {
    const { cost } = await foretold(microConfig({ agents: talk(2), evaluation: { problems: 64, every: 4 } }));
    const { rollout = 0, scoring = 0, update = 0, evaluation = 0 } = cost.parts;
    for (const ms of [rollout, scoring, update, evaluation]) expect(ms).toBeGreaterThan(0);
    expect(cost.iterationMs).toBeCloseTo(rollout + scoring + update + evaluation, 9);
    // 64 problems twice, heard and unheard, every fourth iteration: twice the 16 dialogues of an iteration each time.
    expect(evaluation).toBeLessThanOrEqual(2.001 * rollout);
  });

  it('has evaluations half as long where nobody hears anybody, so that there is nothing to hide', async () => {
    const agents = { ...talk(2), protocol: 'vote' } as const;
    const { cost } = await foretold(microConfig({ agents, evaluation: { problems: 16, every: 1 } }));
    // Sixteen problems once, as many as the dialogues of an iteration.
    expect(cost.parts.evaluation).toBe(cost.parts.rollout);
  });
});
