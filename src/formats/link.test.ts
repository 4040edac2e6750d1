import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../base/errors.ts';
import { describeFields } from '../config/describe.ts';
import { parseConfig } from '../config/parse.ts';
import { presetConfig } from '../config/presets.ts';
import { configs, presetNames } from '../config/arbitrary.ts';
import { readLink, writeLink } from './link.ts';

const messages = (search: string) => readLink(search).errors.map((error) => error.message);

describe('links', () => {
  it('read back as the preset, settings and start they were written from', () => {
    fc.assert(
      fc.property(presetNames, configs, fc.boolean(), (preset, config, autostart) => {
        const link = writeLink({ preset, config, autostart });
        expect(readLink(link)).toEqual({ preset, config, autostart, errors: [] });
      }),
    );
  });

  it('carry only what differs from the preset, under the short names', () => {
    const config = presetConfig('tooFast');
    expect(writeLink({ preset: 'tooFast', config })).toBe('?preset=tooFast');
    const changed = { ...config, run: { ...config.run, seed: 7, iterations: 20 } };
    expect(writeLink({ preset: 'tooFast', config: changed, backend: 'cpu' })).toBe(
      '?preset=tooFast&seed=7&iterations=20&backend=cpu',
    );
  });

  it('read the contract of the page', () => {
    const { preset, config, autostart, errors } = readLink(
      '?preset=micro&seed=9&backend=cpu&iterations=3&autostart=1&learning.clipHigh=0.3&learning.groupKey=problem%2Bagent',
    );
    expect(errors).toEqual([]);
    expect([preset, autostart, config.run.seed, config.run.backend]).toEqual(['micro', true, 9, 'cpu']);
    expect([config.run.iterations, config.learning.clipHigh]).toEqual([3, 0.3]);
    expect(config.learning.groupKey).toBe('problem+agent');
    expect(config.agents.size).toBe('micro');
  });

  it('keep the last good value beside a bad part, and name field, expectation and what came', () => {
    const { config, errors } = readLink('?seed=5&learning.clipHigh=wide&run.iterations=0&backend=gpu');
    expect(errors.map((error) => error.message)).toEqual([
      'learning.clipHigh: expected a number from 0 to 1, got "wide".',
      'run.iterations: expected a whole number from 1 to 100000, got 0.',
      'run.backend: expected one of auto, webgpu, cpu, got "gpu".',
    ]);
    const good = presetConfig('default');
    expect(config).toEqual({ ...good, run: { ...good.run, seed: 5 } });
    expect(errors.every((error) => error.name === 'ConfigError')).toBe(true);
  });

  it('name unknown parts, with the setting that may be meant', () => {
    expect(messages('?clipHigh=0.1')[0]).toContain('Is learning.clipHigh meant?');
    expect(messages('?colour=red')[0]).toContain('"colour"');
    expect(messages('?preset=nope')[0]).toMatch(/preset: expected one of default, .* got "nope"/);
    expect(messages('?preset=constructor')).toHaveLength(1);
    expect(messages('?autostart=yes')).toEqual(['autostart: expected 1 or 0, got "yes".']);
    expect(messages('?seed=1&run.seed=2')[0]).toContain('expected once');
  });

  it('fall back to the preset when the settings do not go together, and say which', () => {
    const { config, errors } = readLink('?preset=ppo&learning.aggregation=token&seed=4');
    expect(errors[0]?.message).toContain('learning.aggregation');
    expect(config).toEqual(presetConfig('ppo'));
  });

  it('never throw, whatever the text, and always give valid settings', () => {
    const paths = describeFields().map((field) => field.path);
    const key = fc.oneof(
      fc.constantFrom('preset', 'seed', 'backend', 'autostart', '__proto__.x', ...paths),
      fc.string(),
    );
    const text = fc.oneof(fc.string(), fc.constantFrom('1', '0', 'NaN', '1e999', '-0', '', 'true', '%', '__proto__'));
    const query = fc.oneof(
      fc.string(),
      fc.array(fc.tuple(key, text), { maxLength: 6 }).map((pairs) => pairs.map((pair) => pair.join('=')).join('&')),
    );
    fc.assert(
      fc.property(query, (search) => {
        const { config, errors } = readLink(search);
        expect(parseConfig(config)).toEqual(config);
        expect(errors.every((error) => error instanceof ConfigError)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('take any value of any field through the text of a link', () => {
    for (const field of describeFields()) {
      expect(messages(`?${field.path}=${String(field.fallback)}`)).toEqual([]);
    }
  });

  it('hold all settings of a run whose preset is gone', () => {
    const config = presetConfig('ppo');
    const link = writeLink({ preset: 'toString', config });
    expect(readLink(link)).toEqual({ preset: 'default', config, autostart: false, errors: [] });
  });
});
