// Tests the error message when a change in an open run is refused: it must say which changes are possible instead.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../base/errors.ts';
import { configs, fieldValue } from './testing/arbitrary.ts';
import { describeFields, fieldAt } from './describe.ts';
import { withLiveSetting } from './liveChange.ts';
import { parseConfig, parseShape } from './parse.ts';
import { type Config, type ConfigInput, valueAt } from './schema.ts';
import { introduce, ownNameOf, type OwnName } from './worlds/own.ts';

/**
 * Changes a setting and returns the error message, if there is one. The remedy in the error must consist of changes
 * that are allowed in an open run, and it must be possible to make them one after the other.
 */
function changed(config: Config, path: string, value: unknown): string {
  try {
    withLiveSetting(config, path, value);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const { message, refusal } = error as ConfigError;
    let mended = config;
    for (const [remedied, next] of Object.entries(refusal?.remedies[0] ?? {})) {
      expect(fieldAt(remedied)?.isLive, message).toBe(true);
      mended = withLiveSetting(mended, remedied, next);
    }
    return message;
  }
}

const cases: { title: string; given: ConfigInput; path: string; value: unknown; message: RegExp }[] = [
  {
    title: 'shaping whose discount cannot change any more',
    given: { reward: { over: 'accumulated' }, learning: { learner: 'reinforcePlusPlus', gamma: 0.9 } },
    path: 'reward.shaping',
    value: 0.5,
    message: /use reward\.shaping = 0\.$/,
  },
  {
    title: 'the word of a verifier that is not there',
    given: {},
    path: 'verifier.reward',
    value: 0.5,
    message: /use verifier\.reward = 0\.$/,
  },
  {
    title: 'an agent who shares its parameters, to be frozen',
    given: {},
    path: 'learning.frozen',
    value: [0],
    message: /use learning\.frozen = none\.$/,
  },
  {
    title: 'a bound that mends itself',
    given: {},
    path: 'learning.dualClip',
    value: 0.5,
    message: /^learning\.dualClip: a bound of 0\.5 .*learning\.dualClip = 0/,
  },
];

describe('a change in an open run', () => {
  it.each(cases)('refuses $title with a remedy that works in an open run', ({ given, path, value, message }) => {
    expect(changed(parseConfig(given), path, value)).toMatch(message);
  });

  it('is refused for its own effect only, not for settings of a run of an earlier version', () => {
    const old = parseShape({ learning: { groupSize: 1 } });
    expect(() => parseConfig(old)).toThrow('learning.groupSize');
    expect(changed(old, 'kl.coef', 0.2)).toBe('');
    expect(changed(old, 'learning.dualClip', 0.5)).toContain('learning.dualClip: a bound of 0.5');
  });

  it('accepts possible values, and names bounds, live settings and existing names', () => {
    const config = parseConfig({ run: { iterations: 40 } });
    expect(withLiveSetting(config, 'run.iterations', 20).run.iterations).toBe(20);
    expect(changed(config, 'run.iterations', 0)).toMatch(/expected a whole number from/);
    expect(changed(config, 'agents.size', 'small')).toMatch(/cannot be changed in an open run/);
    expect(changed(config, 'learning.clip', 1)).toMatch(/no such setting/);
  });

  it('from one custom world to another is refused, because each has its own words', () => {
    const [first, second] = ['one', 'other'].map((source) => ownNameOf({ kind: 'module', source })) as [
      OwnName,
      OwnName,
    ];
    for (const name of [first, second])
      introduce({
        ...{ name, label: name, sentence: '' },
        levels: [{ level: 1, label: 'one' }],
        hidden: [],
        parts: [],
        vocabularies: { words: 'a token for each word' },
      });
    const config = parseConfig({
      world: { name: first },
      houseRule: { legalOperation: 0, rewrite: 0 },
      warmStart: { source: 'train' },
    });
    expect(changed(config, 'world.name', second)).toMatch(/uses words that the networks of this run have not learned/);
    expect(changed(config, 'world.name', first)).toBe('');
  });

  it('to any value, in a run with any settings, is accepted or refused with remedies that work', () => {
    const live = describeFields().filter(({ isLive }) => isLive);
    const change = fc.constantFrom(...live).chain((field) => fc.tuple(fc.constant(field), fieldValue(field)));
    fc.assert(
      fc.property(configs, change, (config, [field, value]) => {
        changed(config, field.path, value);
        expect(valueAt(withLiveSetting(config, field.path, valueAt(config, field.path)), field.path)).toEqual(
          valueAt(config, field.path),
        );
      }),
      { numRuns: 300 },
    );
  });
});
