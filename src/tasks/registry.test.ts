// Tests with several worlds of a visitor at the same time, because runs that are active at the same time may use
// different worlds.
import { expect, it } from 'vitest';
import { withSettings } from '../config/parse.ts';
import { presetConfig } from '../config/presets.ts';
import { templates } from './custom/templates.ts';
import { checkWorld, openWorld, worldOf } from './registry.ts';
import type { World } from './world.ts';

const config = presetConfig('micro');
const within = (name: string) => ({ ...config, world: { ...config.world, name: name as typeof config.world.name } });

it('two custom worlds can be open at once, and the oldest of many is released', async () => {
  const { source } = Object.values(templates)[0] as { source: string };
  const opened: string[] = [];
  for (let i = 0; i < 5; i++) {
    const world = await openWorld(await checkWorld({ kind: 'module', source: `${source}\n// ${i}\n` }));
    opened.push(world.name);
    expect(opened.slice(-2).map((name) => worldOf(within(name)).name)).toEqual(opened.slice(-2));
  }
  expect(() => worldOf(within(opened[0] ?? ''))).toThrow('is not open here');
});

it('a world is replaced only for the caller that requests it, and this applies to each of several worlds', () => {
  const replaced = (own: World): World => ({ ...own, label: `${own.label} elsewhere` });
  expect(worldOf(within('houseRule'), replaced).label).toBe('House-rule arithmetic elsewhere');
  expect(worldOf(within('houseRule')).label).toBe('House-rule arithmetic');
  const several = withSettings(config, { 'world.also': [{ name: 'wordProblems', level: 1, weight: 1 }] });
  const asked: string[] = [];
  worldOf(several, (own) => (asked.push(own.name), own));
  expect(asked).toEqual(['houseRule', 'wordProblems']);
});
