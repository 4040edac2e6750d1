import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError, type Settings } from '../base/errors.ts';
import { configs, fieldValue } from './testing/arbitrary.ts';
import { describeFields, expectation, fieldAt, valueText } from './describe.ts';
import {
  difference,
  isSameValue,
  parseConfig,
  parseStored,
  readFieldText,
  withSetting,
  withSettings,
} from './parse.ts';
import { valueAt } from './schema.ts';
import { presetConfig } from './presets.ts';

const messageOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('parseConfig', () => {
  it('reads settings of an earlier version: unknown ones are left out, new ones get their defaults', () => {
    const stored = { learning: { groupSize: 1, vanished: 3 }, gone: { x: 1 }, run: { seed: 7 } };
    expect(messageOf(() => parseConfig({ learning: { groupSize: 1 } }))).toContain('learning.groupSize');
    const config = parseStored(stored);
    expect(config).toMatchObject({ learning: { groupSize: 1 }, run: { seed: 7, iterations: 100 } });
    expect(Object.keys(config.learning)).not.toContain('vanished');
    expect(messageOf(() => parseStored({ run: { seed: -1 } }))).toContain('run.seed: expected');
    for (const odd of [null, 3, 'x', [], 10n]) messageOf(() => parseStored(odd));
  });

  it('names values that JSON cannot represent, and endless ones, briefly', () => {
    const circle: Record<string, unknown> = {};
    circle['learning'] = circle;
    let deep: unknown = 1;
    for (let i = 0; i < 50_000; i++) deep = [deep];
    const odd = [
      { run: { seed: 10n } },
      circle,
      { run: { seed: deep } },
      { run: deep },
      { agents: { size: 'x'.repeat(1e6) } },
    ];
    for (const input of [...odd, { [`y${'!'.repeat(1e6)}`]: 1 }]) {
      const message = messageOf(() => parseConfig(input));
      expect(message).not.toBe('accepted');
      expect(message.length).toBeLessThan(400);
    }
  });

  it('fills in all defaults for empty input', () => {
    const config = parseConfig(undefined);
    for (const field of describeFields()) expect(valueAt(config, field.path)).toEqual(field.fallback);
  });

  it('does not change its own result', () => {
    fc.assert(
      fc.property(configs, (config) => {
        expect(parseConfig(config)).toEqual(config);
      }),
    );
  });

  it('names the field, the expected value and the given value', () => {
    expect(messageOf(() => parseConfig({ learning: { clipHigh: 'wide' } }))).toBe(
      'learning.clipHigh: expected a number from 0 to 1, got "wide".',
    );
    expect(messageOf(() => parseConfig({ run: { seed: 1.5 } }))).toContain('a whole number from 0 to 4294967295');
    expect(messageOf(() => parseConfig({ agents: { size: 'huge' } }))).toContain('one of micro, tiny, small, medium');
    expect(messageOf(() => parseConfig({ learning: { groupStd: 1 } }))).toContain('expected true or false, got 1');
    expect(messageOf(() => parseConfig({ learning: 3 }))).toContain('learning: expected an object of settings, got 3');
    expect(messageOf(() => parseConfig({ learning: { clip: 0.1 } }))).toMatch(
      /correct its name\. Did you mean learning\.clipLow\?$/,
    );
  });

  it('gives a configuration or a ConfigError for any value', () => {
    const paths = fc.constantFrom(...describeFields());
    const entry = fc.tuple(paths, fc.oneof(fc.anything(), fc.constantFrom(Number.NaN, Infinity, null)));
    const input = fc.oneof(
      fc.anything(),
      fc.array(entry, { maxLength: 4 }).map((entries) => {
        const made: Record<string, Record<string, unknown>> = {};
        for (const [field, value] of entries) (made[field.section] ??= {})[field.name] = value;
        return made;
      }),
    );
    fc.assert(
      fc.property(input, (given) => {
        const message = messageOf(() => expect(parseConfig(parseConfig(given))).toBeDefined());
        expect(message.length).toBeGreaterThan(5);
      }),
      { numRuns: 500 },
    );
  });
});

describe('single fields', () => {
  it('accept their own values as text and as settings', () => {
    for (const field of describeFields()) {
      fc.assert(
        fc.property(fieldValue(field), (value) => isSameValue(readFieldText(field, valueText(value)), value)),
        { numRuns: 10 },
      );
    }
  });

  it('refuse a text that is none of their values', () => {
    expect(messageOf(() => readFieldText(fieldAt('learning.clipHigh')!, 'wide'))).toContain('from 0 to 1, got "wide"');
    expect(messageOf(() => readFieldText(fieldAt('run.seed')!, ' '))).toContain('got " "');
    expect(messageOf(() => readFieldText(fieldAt('learning.groupStd')!, 'yes'))).toContain('true or false');
  });

  it('refuse the numbers just outside their bounds', () => {
    const base = parseConfig({});
    for (const field of describeFields()) {
      if (field.kind !== 'real' && field.kind !== 'whole') continue;
      for (const value of [field.min - 1, field.max + 1]) {
        expect(messageOf(() => withSetting(base, field.path, value))).toContain(
          `${field.path}: expected ${expectation(field)}`,
        );
      }
    }
  });

  it('change one setting and leave the given configuration alone', () => {
    const base = Object.freeze(parseConfig({}));
    const changed = withSetting(base, 'run.seed', 9);
    expect(difference(changed, base).map(({ field, value }) => [field.path, value])).toEqual([['run.seed', 9]]);
    expect(base.run.seed).toBe(1);
    expect(messageOf(() => withSetting(base, 'run.sead', 9))).toContain('run.sead: there is no such setting');
  });

  it('that differ from the defaults are enough to build the configuration again', () => {
    const base = parseConfig({});
    fc.assert(
      fc.property(configs, (config) => {
        const changed = difference(config, base).map(({ field, value }) => [field.path, value] as const);
        const settings = Object.fromEntries(changed) as Settings;
        expect(withSettings(base, settings)).toEqual(config);
      }),
    );
  });
});

describe('presets', () => {
  it('are found only by their own names', () => {
    expect(messageOf(() => presetConfig('nope'))).toContain('preset: expected one of quick, ');
  });
});
