// Tests that built-in worlds can run like a visitor's world. Each module is bundled into one text, which runs in the
// sandbox. The world from this text must return exactly the same results as the built-in world.
import path from 'node:path';
import { build, type Rolldown } from 'vite';
import { describe, expect, it } from 'vitest';
import { protocolsFor } from '../../config/worlds/rules.ts';
import { customWorld } from '../custom/customWorld.ts';
import { worlds } from '../registry.ts';
import { traceOf } from '../testing/worldTrace.ts';

/** The module of a world and everything that it imports, as one text. */
async function textOf(name: string): Promise<string> {
  const bundled = (await build({
    ...{ configFile: false, publicDir: false, logLevel: 'silent' },
    build: {
      ...{ write: false, minify: false, target: 'es2022' },
      lib: { entry: path.resolve(`src/extensions/worlds/${name}/module.ts`), formats: ['es'], fileName: 'module' },
    },
  })) as Rolldown.RolldownOutput[];
  const code = bundled.flatMap(({ output }) => output).map((chunk) => ('code' in chunk ? chunk.code : ''))[0] ?? '';
  // The schema code checks whether a bound is a `Date`. The sandbox has no `Date`, so `Date` is defined here.
  return `class Date {}\n${code}`;
}

/**
 * The worlds that can run in the sandbox. The worlds `code` and `tools` are missing, because they run agents' programs
 * in the sandbox, which is impossible for a module that itself runs in the sandbox.
 */
const tried = [
  ...(['houseRule', 'wordProblems', 'algebra', 'entailment', 'debate', 'grid', 'memory', 'passItOn'] as const),
];

describe.each(tried)('%s', (name) => {
  it('gives the same results inside and outside of the sandbox', async () => {
    const own = worlds[name];
    const world = await customWorld(await textOf(name), own.name);
    // The first level and the last one.
    for (const level of new Set([1, own.levels.length])) {
      const traced = { level, protocols: protocolsFor(own), count: 2 };
      expect(await traceOf(world, traced)).toEqual(await traceOf(own, traced));
    }
    expect(world.heldOut(1, 16)).toEqual(own.heldOut(1, 16));
    for (const sees of [[], own.hidden.map((one) => one.name)])
      expect(world.ceiling(1, sees)).toBe(own.ceiling(1, sees));
  });
});
