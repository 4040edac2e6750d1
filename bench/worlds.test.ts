import { expect, it } from 'vitest';
import { worldNames } from '../src/config/worlds/registry.ts';
import type { WorldResult } from './worlds/once.ts';
import { controlConfig, plannedWorlds, voters, worldConfig, worldRowKey } from './worlds/plan.ts';
import { worldRow } from './worlds/table.ts';

const [planned] = plannedWorlds as [(typeof plannedWorlds)[0]];

it('every world has a row, and its settings can run', () => {
  const worlds = plannedWorlds.map(({ settings }) => worldConfig(settings, 1, 11).world.name);
  expect(new Set(worlds)).toEqual(new Set(worldNames));
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
  ...{ learner: 'grpo', protocol: 'reMA', ceiling: 0.5, before: at(before), after: at(after), masked: 0.1 },
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
