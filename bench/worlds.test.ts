import { describe, expect, it } from 'vitest';
import { modelGroups, presetConfig, presetGroups } from '../src/config/presets.ts';
import { formOf, worldNames } from '../src/config/worlds/registry.ts';
import type { Problem } from '../src/records/problem.ts';
import { worlds } from '../src/tasks/registry.ts';
import { readResults } from './shared/runner.ts';
import { cores, coresOf, type CoresRow } from './worlds/coresTable.ts';
import type { WorldResult } from './worlds/once.ts';
import { controlConfig, plannedWorlds, voters, worldConfig, worldRowKey } from './worlds/plan.ts';
import { worldRow } from './worlds/table.ts';

const [planned] = plannedWorlds as [(typeof plannedWorlds)[0]];

it('every world of which a preset needs no language model has a row, and its settings can run', () => {
  const rows = plannedWorlds.map(({ settings }) => worldConfig(settings, 1, 11).world.name);
  const ofModels = presetGroups
    .filter((group) => modelGroups.includes(group))
    .flatMap(({ names }) => names.map((name) => presetConfig(name).world.name));
  const others = worldNames.filter((name) => !rows.includes(name));
  expect(rows.length).toBeGreaterThanOrEqual(10);
  expect(others.filter((name) => !ofModels.includes(name))).toEqual([]);
});

it('the controls answer alone or vote in the same world, with the rewards of the team', () => {
  const { settings } = planned;
  const config = worldConfig({ ...settings, reward: { rightAnswer: 0.5 }, run: { iterations: 7 } }, 2, 12);
  const [single, vote] = [controlConfig(config, 'single'), controlConfig(config, 'vote')];
  expect(single).toMatchObject({
    agents: { protocol: 'single' },
    world: config.world,
    run: { seed: 12, iterations: 7 },
  });
  expect(vote).toMatchObject({ agents: { protocol: 'vote', count: voters }, reward: config.reward });
});

it('every world has its controls, or none if it does not support them', () => {
  for (const { name, settings } of plannedWorlds)
    for (const protocol of ['single', 'vote'] as const) {
      const control = controlConfig(worldConfig(settings, 1, 11), protocol);
      if (control) expect(control.agents.protocol, name).toBe(protocol);
    }
});

it('the key of a row depends on its name, level, seed and settings', () => {
  const keys = [
    worldRowKey('a', 1, 11, {}),
    worldRowKey('b', 1, 11, {}),
    worldRowKey('a', 2, 11, {}),
    worldRowKey('a', 1, 12, {}),
    worldRowKey('a', 1, 11, { run: { iterations: 7 } }),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(worldRowKey('a', 1, 11, {})).toBe(keys[0]);
});

const at = (accuracy: number) => ({ accuracy, low: 0, high: 1 });
const result = (before: number, after: number): WorldResult & { seed: number; commit: string } => ({
  ...{ learner: 'grpo', protocol: 'reMA', ceiling: 0.5, before: at(before), after: at(after) },
  ...{ lowBefore: at(before), lowAfter: at(after), masked: 0.1 },
  ...{
    single: null,
    vote: null,
    iterations: 4,
    sampledTokens: 100,
    seconds: after * 100,
    worldShare: 0.02,
    warmStartSeconds: null,
  },
  ...{ seed: 11, commit: 'c' },
});

it('the worst seed decides whether the team of a world has gained enough', () => {
  const row = worldRow(planned, 1, [result(0.5, 0.9), result(0.5, 0.7)]);
  expect(row).toMatchObject({ isMet: true, seconds: 80, seeds: [{ before: 0.5, after: 0.9, masked: 0.1 }, {}] });
  expect(row.leastGain).toBeCloseTo(0.2);
  expect(worldRow(planned, 1, [result(0.5, 0.9), result(0.5, 0.6)]).isMet).toBe(false);
});

describe('the core of a problem', () => {
  const problem = (parts: Partial<Problem>) =>
    ({ id: '', shown: '', hidden: {}, given: {}, answer: '', ...parts }) as Problem;

  it('is the same for other names and texts around it, and another one for another task', () => {
    const { algebra, entailment, houseRule, legs } = cores;
    const asked = (shown: string, unknown: string) => algebra.of(problem({ shown, given: { asked: unknown } }));
    expect(asked('3x+1=22;5y-2=23', 'x')).toBe(asked('3x+1=22;7y-2=5', 'x'));
    expect(asked('3x+1=22;5y-2=23', 'x')).not.toBe(asked('3x+1=25;5y-2=23', 'x'));
    const form = (id: string) => entailment.of(problem({ id }));
    expect(form('Every baker is calm. Ann is a baker. Ann is calm?')).toBe(
      form('Every pilot is brave. Tom is a pilot. Tom is brave?'),
    );
    expect(form('Every baker is calm. Ann is a baker. Ann is calm?')).not.toBe(
      form('No baker is calm. Ann is a baker. Ann is calm?'),
    );
    expect(form('Every baker is calm. Ann is a baker. Ann is calm?')).not.toBe(
      form('Every baker is calm. Ann is a pilot. Ann is calm?'),
    );
    const sum = (shown: string, rule: string) => houseRule.of(problem({ shown, hidden: { rule } }));
    expect(sum('1-2*9', 'r')).toBe(sum('9*2-1', 'r'));
    expect(sum('1-2*9', 'r')).not.toBe(sum('1-2*9', 'l'));
    const animals = (...all: string[]) => legs.of(problem({ given: { animals: all } }));
    expect(animals('hen', 'goose')).toBe(animals('goose', 'hen'));
  });

  it('is counted for the held-out problems of a level, none of which is asked in training', () => {
    const row = coresOf(worlds.code, 1, 2000);
    expect(row).toMatchObject({ world: 'code', level: 1, asked: 0, heldOut: 512, knownCores: 512 });
    expect(row.cores).toBeLessThan(60); // there are few programs of one step
    expect(coresOf(worlds.tools, 1, 500).knownCores).toBe(0);
  });

  it('was counted for every level of the worlds that have one', () => {
    const { rows } = readResults<{ rows: CoresRow[] }>('cores') as { rows: CoresRow[] };
    const names = worldNames.filter((name) => Object.hasOwn(cores, name));
    const levels = names.flatMap((name) => formOf(name).levels.map(({ level }) => `${name} ${level}`));
    expect(rows.map(({ world, level }) => `${world} ${level}`)).toEqual(expect.arrayContaining(levels));
    expect(rows.every(({ asked }) => asked === 0)).toBe(true);
  });
});
