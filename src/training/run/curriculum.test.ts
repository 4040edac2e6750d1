// Tests runs whose level is raised, automatically or by hand.
import { expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { world as houseRule } from '../../extensions/worlds/houseRule/world.ts';
import type { World } from '../../tasks/world.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microCheckpoint, microConfig, openRun, startRun } from '../testing/microRun.ts';
import { raisedLevel } from './curriculum.ts';

onCpu();

/** House-rule arithmetic in which any answer counts as right. */
const lenient: World = {
  ...houseRule,
  assess: async (...of) => ({ ...(await houseRule.assess(...of)), isRight: true }),
};
const imitated = { warmStart: { source: 'train', steps: 80, batchSize: 16 } } satisfies ConfigInput;
const levelsOf = (trajectories: readonly Trajectory[]) => [
  ...new Set(trajectories.map(({ problem }) => problem.level)),
];

async function trained(checkpoint: Checkpoint, iterations: number) {
  const run = openRun(structuredClone(checkpoint), { worldOf: () => lenient });
  await run.session.train(iterations);
  return { run, end: await run.session.checkpoint() };
}

it('raises the level as soon as it is learned, up to the last, also after an interruption', async () => {
  const start = await microCheckpoint(microConfig({ ...imitated, world: { raiseAt: 0.9, easier: 0.4 } }), lenient);
  const { run, end } = await trained(start, 4);
  expect(run.session.run.changes).toMatchObject([2, 3].map((value) => ({ path: 'world.level', value })));
  expect(run.events.filter(({ kind }) => kind === 'config')).toHaveLength(2);
  const levels = run.collected().map(levelsOf);
  expect(levels[0]).toEqual([1]);
  expect(new Set(levels.flat())).toEqual(new Set([1, 2, 3]));
  expect(levels.some(({ length }) => length > 1)).toBe(true);
  expect(run.session.trainState.networks[0]?.shape).toEqual(run.session.trainState.team.shape);
  const half = await trained(start, 1);
  expect(half.end.config.world.level).toBe(2);
  expect((await trained(half.end, 3)).end.networks).toEqual(end.networks);
});

it('reports when a level is learned', () => {
  const team = (world: NonNullable<ConfigInput['world']>) => assembleTeam(microConfig({ world }));
  const dialogues = (count: number, fields: Partial<Trajectory>, level = 1) =>
    Array.from({ length: count }, () => ({
      problem: { level, world: 'houseRule' },
      turns: [],
      finishCode: 0,
      isRight: true,
      ...fields,
    })) as unknown as Trajectory[];
  const wrong = { isRight: false };
  const rising = team({ raiseAt: 0.75 });
  expect(raisedLevel(rising, [...dialogues(15, {}), ...dialogues(5, wrong)])).toBe(2);
  expect(raisedLevel(rising, [...dialogues(14, {}), ...dialogues(6, wrong)])).toBeNull();
  expect(raisedLevel(rising, dialogues(15, {}))).toBeNull(); // 15 dialogues are too few
  expect(raisedLevel(rising, [...dialogues(38, {}), ...dialogues(2, { finishCode: 3 })])).toBe(2);
  expect(raisedLevel(rising, [...dialogues(37, {}), ...dialogues(3, { finishCode: 3 })])).toBeNull();
  expect(
    raisedLevel(team({ raiseAt: 0.75, level: 2, easier: 0.5 }), [...dialogues(20, wrong), ...dialogues(20, {}, 2)]),
  ).toBe(3);
  expect(raisedLevel(team({ raiseAt: 0.75, level: 5 }), dialogues(20, {}, 5))).toBeNull();
  expect(raisedLevel(team({}), dialogues(20, {}))).toBeNull();
});

it('changes the level by hand, with every kind of network that learns', async () => {
  for (const learner of ['mappo', 'qmix'] as const) {
    const run = await startRun({ learning: { learner, ...(learner === 'qmix' && { teamRewardIterations: 0 }) } });
    await run.session.train(1);
    await run.session.change('world.level', 3);
    await run.session.train(1);
    await run.session.change('world.level', 1);
    await run.session.train(1);
    expect(run.collected().map(levelsOf)).toEqual([[1], [3], [1]]);
    expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
  }
});

const inWords = {
  world: { name: 'wordProblems' },
  agents: { protocol: 'single', roundLimit: 0 },
  houseRule: { legalOperation: 0, rewrite: 0 },
} satisfies ConfigInput;

it('changes to another world with the same vocabulary, with the same result after an interruption', async () => {
  const start = await microCheckpoint(microConfig(inWords));
  const went = openRun(structuredClone(start));
  await went.session.train(1);
  await went.session.change('world.name', 'entailment');
  const half = await went.session.checkpoint();
  await went.session.train(2);
  const worldsOf = (of: readonly Trajectory[]) => [...new Set(of.map(({ problem }) => problem.world))];
  expect(went.collected().map(worldsOf)).toEqual([['wordProblems'], ['entailment'], ['entailment']]);
  const again = openRun(half);
  await again.session.train(2);
  expect((await again.session.checkpoint()).networks).toEqual((await went.session.checkpoint()).networks);
});

it('does not change to a world with another vocabulary', async () => {
  const run = await startRun(inWords);
  await expect(run.session.change('world.name', 'houseRule')).rejects.toThrow(
    /uses words that the networks of this run have not learned/,
  );
  expect(run.session.config.world.name).toBe('wordProblems');
});

it('refuses a level that needs other networks', async () => {
  const agents = { ...microConfig().agents, parameters: 'lora', adapterPer: 'turn', roundLimit: 0 } as const;
  const run = await startRun({ agents });
  await expect(run.session.change('world.level', 3)).rejects.toThrow(ConfigError);
  await expect(run.session.change('world.level', 9)).rejects.toThrow(/level/);
  expect(run.session.config.world.level).toBe(1);
});

it('is measured on every level, and in worlds with the same vocabulary', async () => {
  const run = await startRun({ evaluation: { everywhere: 1, problems: 8 } });
  await run.session.train(1);
  const placesOf = (at: number) =>
    run.store.evaluations[at]?.places?.map(({ world, level, split }) => `${world} ${level} ${split}`);
  expect(placesOf(0)).toEqual(
    [1, 2, 3, 4, 5].flatMap((level) => ['heldOut', 'harder'].map((split) => `houseRule ${level} ${split}`)),
  );
  const { accuracy, ceiling, places } = await run.session.evaluate('everywhere');
  expect(places?.[0]).toMatchObject({ accuracy, ceiling }); // the training level, measured twice
  expect((await run.session.evaluate()).places).toEqual(places); // the weights have not changed
  const talking = await startRun({ ...inWords, evaluation: { problems: 8 } });
  const worldsOf = new Set((await talking.session.evaluate('everywhere')).places?.map(({ world }) => world));
  expect(worldsOf).toEqual(new Set(['wordProblems', 'entailment', 'debate']));
});

it('is measured in worlds with the same vocabulary for all rewards', async () => {
  const run = await startRun({
    world: { name: 'wordProblems' },
    agents: { protocol: 'single', roundLimit: 0 },
    houseRule: { legalOperation: 0, rewrite: 0 },
    wordProblems: { nextStep: 0.25 },
    evaluation: { everywhere: 1, problems: 8 },
  });
  const { places } = await run.session.evaluate('everywhere');
  expect(new Set(places?.map(({ world }) => world))).toEqual(new Set(['wordProblems', 'entailment', 'debate']));
});

it('trains in several worlds and levels at once, and is measured in all of them', async () => {
  const run = await startRun({
    world: { name: 'wordProblems', also: [{ name: 'entailment' }, { name: 'wordProblems', level: 2 }] },
    agents: { protocol: 'single', roundLimit: 0 },
    houseRule: { legalOperation: 0, rewrite: 0 },
    evaluation: { everywhere: 1, problems: 8 },
  });
  await run.session.train(2);
  const placesIn = run
    .collected()
    .flat()
    .map(({ problem: { world, level } }) => `${world} ${level}`);
  const all = ['wordProblems 1', 'wordProblems 2', 'entailment 1'];
  expect(new Set(placesIn)).toEqual(new Set(all));
  const measured = run.store.evaluations[0]?.places?.map(({ world, level }) => `${world} ${level}`);
  expect(measured).toEqual(expect.arrayContaining([...all, 'wordProblems 3', 'debate 1']));
  expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
});
