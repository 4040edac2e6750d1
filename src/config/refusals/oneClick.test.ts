// Tests that every refusal offers a remedy that can be applied with one click and that keeps the requested value.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { configs, fieldValue } from '../testing/arbitrary.ts';
import { refusalOf } from './table.ts';
import { describeFields, fieldAt, type Field } from '../describe.ts';
import { mostAgents } from '../names.ts';
import { formulaTexts } from '../testing/ownFormulas.ts';
import { ownValues } from '../testing/ownProtocols.ts';
import { oneClick, oneClickFor } from './oneClick.ts';
import { isSameValue, parseConfig, withSettings } from '../parse.ts';
import { presetConfig, presets } from '../presets.ts';
import { refusalError } from './rule.ts';
import { type Config, type ConfigInput, valueAt } from '../schema.ts';
import { startRules as rules } from '../warmStarts.ts';

const fields = describeFields();

/** Values from the whole range of a field: every name and flag, the bounds of numbers and values near them. */
function valuesOf(field: Field): unknown[] {
  if (field.kind === 'flag') return [true, false];
  if (field.kind === 'choice') return [...field.names];
  if (field.kind === 'agentSet') return [[], [0], [1], [0, 1], [1, 2], [mostAgents - 1], [0, 1, 2, 3, 4, 5, 6, 7]];
  if (field.kind === 'protocol') return [...ownValues];
  if (field.kind === 'weights') return [{}, { hint: 1 }];
  if (field.kind === 'texts') return [{}, { ask: 'Answer.' }];
  if (field.kind === 'formula') return [...formulaTexts];
  if (field.kind === 'places') return [[], [{ name: 'entailment', level: 9, weight: 1 }]];
  const { min, max, fallback } = field;
  const between = [0, 0.5, 1, 2, 3, 5, 8, (min + max) / 2].filter((value) => value >= min && value <= max);
  const all = [min, max, fallback, ...between].map((value) => (field.kind === 'whole' ? Math.round(value) : value));
  return [...new Set(all)];
}

const set = (config: Config, path: string, value: unknown) => withSettings(config, { [path]: value as number });

/**
 * Applies the remedy of a refused change of a setting. Returns the resulting settings, or null if the change is not
 * refused.
 */
function clicked(before: Config, field: Field, value: unknown): Config | null {
  const wanted = set(before, field.path, value);
  const refusal = refusalOf(wanted, rules);
  if (!refusal) return null;
  const settings = oneClickFor(wanted, [field.path], field.path, rules);
  const told = `${field.path} = ${String(value)}: ${refusal.says}`;
  expect(fieldAt(refusal.path), told).toBeDefined();
  expect(Object.keys(settings), told).not.toEqual([]);
  const after = withSettings(wanted, settings);
  expect(refusalOf(after, rules), `${told}; then ${JSON.stringify(settings)}`).toBeNull();
  expect(parseConfig(after), told).toEqual(after);
  return after;
}

describe('one click', () => {
  it('corrects every refusal of one edit, for every preset and every setting, with a fourth of all values', () => {
    let refused = 0;
    let kept = 0;
    const draws = new Draws(1, streams.control, 0);
    for (const name of Object.keys(presets)) {
      const before = presetConfig(name);
      for (const field of fields) {
        for (const value of valuesOf(field)) {
          if (draws.below(4) > 0) continue;
          const after = clicked(before, field, value);
          if (!after) continue;
          refused++;
          if (isSameValue(valueAt(after, field.path), value)) kept++;
        }
      }
    }
    expect(refused).toBeGreaterThan(300);
    // If no change of other settings makes the requested value possible, the remedy is to take back the request. This
    // may happen in at most a third of the cases.
    expect(kept / refused).toBeGreaterThan(2 / 3);
  });

  it('corrects every refusal of one edit of any valid settings', () => {
    const edit = fc.constantFrom(...fields).chain((field) => fc.tuple(fc.constant(field), fieldValue(field)));
    fc.assert(
      fc.property(configs, edit, (config, [field, value]) => {
        clicked(withSettings(config, { 'warmStart.source': 'train' }), field, value);
      }),
      { numRuns: 500 },
    );
  });

  it('corrects every refusal of any settings', () => {
    const entangled = fields.filter(({ kind, section }) => kind !== 'real' || section === 'reward' || section === 'kl');
    const edits = fc.array(
      fc
        .constantFrom(...entangled)
        .chain((field) => fc.tuple(fc.constant(field.path), fc.constantFrom(...valuesOf(field)))),
      { minLength: 2, maxLength: 12 },
    );
    fc.assert(
      fc.property(edits, (given) => {
        const wanted = given.reduce((config, [path, value]) => set(config, path, value), parseConfig({}));
        const settings = oneClick(wanted, { rules });
        expect(settings).not.toBeNull();
        expect(refusalOf(withSettings(wanted, settings!), rules)).toBeNull();
      }),
      { numRuns: 800 },
    );
  });

  const companions: [string, ConfigInput, string, unknown, object][] = [
    [
      'trees compare by turn and pay each its own',
      {},
      'agents.candidates',
      4,
      {
        learning: { groupKey: 'problem+agent+turn' },
        reward: { across: 'own', over: 'dense' },
        houseRule: { legalOperation: 0.25, rewrite: 0.5 },
      },
    ],
    [
      'where every turn is an answer, trees need no parts',
      { agents: { protocol: 'debate' } },
      'agents.candidates',
      4,
      { reward: { across: 'own', over: 'dense' }, houseRule: { rewrite: 0 } },
    ],
    ['HAPPO takes a network each', {}, 'learning.learner', 'happo', { agents: { parameters: 'separate' } }],
    [
      'own rewards take MAPPO away',
      { learning: { learner: 'mappo' } },
      'reward.across',
      'own',
      { learning: { learner: 'ippo' } },
    ],
    ['a group of one is not divided by its spread', {}, 'learning.groupSize', 1, { learning: { groupStd: false } }],
    ['a level without a warm start trains one', {}, 'world.level', 4, { warmStart: { source: 'train' } }],
  ];
  it.each(companions)('%s', (...[, given, path, value, after]) => {
    const field = fieldAt(path)!;
    const config = clicked(parseConfig(given), field, value);
    expect(config).toMatchObject(after);
    expect(valueAt(config!, path)).toEqual(value);
  });

  it('keeps two requested settings that need a third one', () => {
    const wanted = parseConfig({});
    const asked = { 'learning.learner': 'ippo', 'reward.influence': 'discounted' };
    const settings = oneClickFor(withSettings(wanted, asked), Object.keys(asked), 'learning.learner');
    expect(Object.keys(settings)).not.toContain('learning.learner');
    expect(settings).toMatchObject({ 'agents.protocol': 'debate', 'reward.across': 'own' });
  });
});

describe('rows of the table', () => {
  it('are satisfied by each of their remedies alone', () => {
    const silent = new Set<string>();
    fc.assert(
      fc.property(
        fc.array(
          fc
            .constantFrom(...fields)
            .chain((field) => fc.tuple(fc.constant(field.path), fc.constantFrom(...valuesOf(field)))),
          { minLength: 1, maxLength: 10 },
        ),
        (given) => {
          const config = given.reduce((before, [path, value]) => set(before, path, value), parseConfig({}));
          const first = rules.find((rule) => rule.when(config));
          if (!first) return;
          const { path, remedies } = refusalOf(config, [first])!;
          expect(remedies.length).toBeGreaterThan(0);
          for (const remedy of remedies)
            expect(first.when(withSettings(config, remedy)), `${path}: ${JSON.stringify(remedy)}`).toBe(false);
          silent.add(path);
        },
      ),
      { numRuns: 1200 },
    );
    expect(silent.size).toBeGreaterThan(20);
  });

  it('are thrown by name, with the remedy as a file writes it', () => {
    const wanted = withSettings(parseConfig({}), { 'learning.groupSize': 1 });
    const refusal = refusalOf(wanted)!;
    expect(refusalError(refusal).message).toBe(
      'learning.groupSize: a group of one has no standard deviation to divide by; use learning.groupSize = 2, or learning.groupStd = false, or learning.learner = ppo.',
    );
    expect(() => parseConfig(wanted)).toThrow(ConfigError);
    try {
      parseConfig(wanted);
    } catch (error) {
      expect((error as ConfigError).refusal).toEqual(refusal);
    }
  });
});
