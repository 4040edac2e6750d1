// Tests that a module defines the same world no matter where the module runs. Each template for visitors' worlds is
// imported like a built-in world, and is also run in the sandbox.
import { describe, expect, it } from 'vitest';
import { Draws, randomAt, randomFrom, streams } from '../../base/random.ts';
import { customWorld } from '../custom/customWorld.ts';
import { templates } from '../custom/templates.ts';
import { traceOf } from '../testing/worldTrace.ts';
import { worldFrom } from './worldFrom.ts';
import type { WorldModule } from './worldModule.ts';

const imported = (source: string) =>
  import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`) as Promise<WorldModule>;

describe.each(Object.entries(templates))('the template %s', (_, { source, protocols }) => {
  it('gives the same results outside and inside of the sandbox', async () => {
    const [there, here] = [await customWorld(source), worldFrom(await imported(source))];
    for (const { level } of there.levels) {
      const traced = { level, protocols, count: 12 };
      expect(await traceOf(here, traced)).toEqual(await traceOf(there, traced));
      expect(here.heldOut(level, 12)).toEqual(there.heldOut(level, 12));
      expect(here.ceiling(level, [])).toBe(there.ceiling(level, []));
    }
  });
});

it('random numbers continue from their address, without those that were used elsewhere', () => {
  const draws = new Draws(3, streams.control, 1);
  const here = randomFrom(draws);
  here.next();
  const there = randomAt(here.address());
  const read = [there(), there.below(9), there.pick([1, 2, 3]), there.shuffle([1, 2, 3, 4])];
  const again = randomAt(here.address());
  again.advance(1);
  expect([again.below(9), again.pick([1, 2, 3])]).toEqual(read.slice(1, 3));
  expect([here(), here.below(9), here.pick([1, 2, 3]), here.shuffle([1, 2, 3, 4])]).toEqual(read);
  expect(there.address()).toBe(here.address());
  expect(draws.next()).toBe(there.next());
});
