// Tests that each built-in world, and each template of a visitor's world, follows the contract. The tests check the
// exports of the module and its `about`, and that all arguments and results are plain data of the right form.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { protocolsFor } from '../../config/worlds/rules.ts';
import { moduleInSandbox } from '../custom/module.ts';
import { templates } from '../custom/templates.ts';
import { traceOf } from '../testing/worldTrace.ts';
import { aboutSchema } from './about.ts';
import { drawingFunctions, worldResults } from './results.ts';
import { worldFrom } from './worldFrom.ts';
import type { WorldFunction, WorldModule } from './worldModule.ts';

const shipped = import.meta.glob<WorldModule>('../../extensions/worlds/*/module.ts', { eager: true });
const written = Object.values(templates).map(async ({ source, protocols }) => ({
  ...{ module: await moduleInSandbox(source), protocols },
}));
const all = [
  ...Object.values(shipped).map((module) => ({ module, protocols: protocolsFor(worldFrom(module)) })),
  ...(await Promise.all(written)),
];

const plain = (value: unknown): unknown => (value === undefined ? value : JSON.parse(JSON.stringify(value)));

/**
 * The module, with all arguments and results passed as JSON. The results must have the form that the contract requires.
 */
function acrossTheBorder(module: WorldModule): WorldModule {
  const crossing = (name: WorldFunction) => {
    const call = module[name] as (...given: unknown[]) => unknown;
    const read = (result: unknown) => v.parse(worldResults[name], plain(result)) as unknown;
    return (...given: unknown[]) => {
      const kept = drawingFunctions.includes(name) ? 1 : 0;
      const result = call(...given.slice(0, kept), ...given.slice(kept).map(plain));
      return result instanceof Promise ? result.then(read) : read(result);
    };
  };
  const functions = (Object.keys(worldResults) as WorldFunction[]).filter((name) => module[name] !== undefined);
  return { ...module, ...Object.fromEntries(functions.map((name) => [name, crossing(name)])) };
}

it('the tests include all built-in worlds', () => expect(Object.keys(shipped).length).toBeGreaterThanOrEqual(9));

describe.each(all)('$module.about.label', ({ module, protocols }) => {
  it('exports only names of the contract', () => {
    const known = ['about', 'tokenizers', ...Object.keys(worldResults)];
    expect(Object.keys(module).filter((name) => !known.includes(name))).toEqual([]);
  });

  it('describes itself in a form that can be read without its code', () => {
    const read = v.parse(aboutSchema, plain(module.about));
    const { hidden, levels, parts, slices } = worldFrom(module);
    expect(worldFrom({ ...module, about: read })).toMatchObject(plain({ hidden, levels, parts, slices }) as object);
  });

  it.each(module.about.levels.map((_, i) => i + 1))(
    'says the same across a border of plain data, level %i',
    async (level) => {
      const traced = { level, protocols, count: 4 };
      const [here, across] = [worldFrom(module), worldFrom(acrossTheBorder(module))];
      expect(await traceOf(across, traced)).toEqual(await traceOf(here, traced));
      expect(across.heldOut(level, 8)).toEqual(here.heldOut(level, 8));
      if (level > 1) return; // ceilings are computed from all problems, which takes long
      const names = here.hidden.map(({ name }) => name);
      for (const sees of [[], names]) expect(across.ceiling(level, sees)).toBe(here.ceiling(level, sees));
      expect(across.bestGuess?.(level, 20)).toBe(here.bestGuess?.(level, 20));
    },
  );
});
