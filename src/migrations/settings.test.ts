// Tests that settings of earlier versions are read.
import { expect, it } from 'vitest';
import { presentChanges, presentSettings, settingReader } from './settings.ts';

const also = (name: string, level: number, weight: number) => [{ name, level, weight }];

it('reads a second world, its level and its share as one place', () => {
  const former = { name: 'wordProblems', secondShare: 0.25, second: 'entailment', secondLevel: 2 };
  const { world } = presentSettings({ world: former }) as { world: object };
  expect(world).toEqual({ name: 'wordProblems', also: also('entailment', 2, 1 / 3) });
  expect(presentSettings({ world: { second: 'none', secondLevel: 3, secondShare: 0.5 } })).toEqual({
    world: { also: [] },
  });
  expect(presentSettings({ world })).toEqual({ world });
});

it('reads changes of a part of it in the light of the others', () => {
  const read = settingReader();
  presentSettings({ world: { second: 'entailment' } }, read);
  const changes = [
    { iteration: 1, path: 'world.secondShare', value: 0.75 },
    { iteration: 2, path: 'world.secondLevel', value: 3 },
    { iteration: 3, path: 'world.second', value: 'none' },
    { iteration: 4, path: 'reward.rewrite', value: 0 },
  ];
  expect(presentChanges(changes, read)).toEqual([
    { iteration: 1, path: 'world.also', value: also('entailment', 1, 3) },
    { iteration: 2, path: 'world.also', value: also('entailment', 3, 3) },
    { iteration: 3, path: 'world.also', value: [] },
    { iteration: 4, path: 'houseRule.rewrite', value: 0 },
  ]);
});
