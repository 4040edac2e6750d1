// Worlds of the visitor's own beside each other: runs that go on at one time may be in several.
import { expect, it } from 'vitest';
import { presetConfig } from '../config/presets.ts';
import { templates } from './custom/templates.ts';
import { answerElsewhere, checkWorld, openWorld, worldOf } from './registry.ts';

const config = presetConfig('micro');
const within = (name: string) => ({ ...config, world: { ...config.world, name: name as typeof config.world.name } });

it('two own worlds are open at once, and the oldest of many is let go', async () => {
  const { source } = Object.values(templates)[0] as { source: string };
  const opened: string[] = [];
  for (let i = 0; i < 5; i++) {
    const world = await openWorld(await checkWorld({ kind: 'module', source: `${source}\n// ${i}\n` }));
    opened.push(world.name);
    expect(opened.slice(-2).map((name) => worldOf(within(name)).name)).toEqual(opened.slice(-2));
  }
  expect(() => worldOf(within(opened[0] ?? ''))).toThrow('is not open here');
});

it('a world whose code runs elsewhere is answered there until that ends, and no other world is', () => {
  const end = answerElsewhere('houseRule', (own) => ({ ...own, label: 'elsewhere' }));
  expect([worldOf(within('houseRule')).label, worldOf(within('algebra')).label]).toEqual(['elsewhere', 'Algebra']);
  end();
  expect(worldOf(within('houseRule')).label).not.toBe('elsewhere');
});
