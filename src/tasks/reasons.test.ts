// Tests that the reasons of every world consist of clauses that the page can translate into German, and that the
// reasons are stored unchanged.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import page from '../../messages/page/de.json';
import { because, type Reason } from '../base/reason.ts';
import { reasonInEnglish } from '../base/spoken.ts';
import type { Told } from '../base/spoken.ts';
import { protocolsFor } from '../config/worlds/rules.ts';
import { reasonSchema } from '../records/reason.ts';
import { worlds } from './registry.ts';
import { reasonsOf, trialOf } from './testing/battery.ts';
import { sentence } from './words.ts';

/** The German texts that a reason may use: the common texts, and the texts in the folders of the worlds. */
const german: Readonly<Record<string, string | null>> = Object.assign(
  {},
  page,
  ...Object.values(
    import.meta.glob<{ texts: object }>('../extensions/worlds/*/de.json', { eager: true, import: 'default' }),
  ).map(({ texts }) => texts),
);

/** All templates in a clause, including those in the clauses that are inserted into it. */
const keysOf = (clause: Told | number): string[] =>
  typeof clause === 'object' ? [clause.key, ...clause.values.flatMap(keysOf)] : [];

describe('reasons of the check', () => {
  it('are joined to one list', () => {
    const [one, other] = [because`the turn was cut`, because`the answer was ${6}, but ${because`no number`} was given`];
    expect(sentence(one, [], other)).toEqual([...one, ...other]);
    expect(reasonInEnglish(sentence(one, [], other))).toBe(
      'the turn was cut; the answer was 6, but no number was given',
    );
  });

  const levels = Object.values(worlds).flatMap((world) =>
    world.levels.map(({ level }) => [world.label, level, world] as const),
  );
  it.each(levels)('of %s, level %i, all have German clauses without a full stop', async (_, level, world) => {
    const reasons = await reasonsOf(trialOf(world, level, protocolsFor(world), 300));
    const spoken = reasons.filter(({ length }) => length > 0);
    expect(spoken.length).toBeGreaterThan(3);
    expect(spoken.flat().filter((clause) => typeof clause === 'string')).toEqual([]);
    const keys = [...new Set(spoken.flat().flatMap(keysOf))];
    expect(keys.filter((key) => !Object.hasOwn(german, key))).toEqual([]);
    expect(keys.filter((key) => /[!.]$/.test(german[key] ?? key))).toEqual([]);
    const stored = JSON.parse(JSON.stringify(reasons)) as Reason[];
    expect(v.parse(v.array(reasonSchema), stored)).toEqual(reasons);
  });
});
