import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../base/errors.ts';
import type { Settings } from '../base/errors.ts';
import { refusalOf } from '../config/refusals/table.ts';
import { describeFields, valueText } from '../config/describe.ts';
import { difference, parseConfig, withSettings } from '../config/parse.ts';
import { firstPreset, presetConfig } from '../config/presets.ts';
import { configs, fieldValue, presetNames } from '../config/testing/arbitrary.ts';
import { startRules } from '../config/warmStarts.ts';
import { readLink, writeLink } from './link.ts';
import { readRunFile, writeRunFile } from './runFile.ts';

const messages = (search: string) => readLink(search).errors.map((error) => error.message);

describe('links', () => {
  it('are read as the preset, settings and start that were written', () => {
    fc.assert(
      fc.property(presetNames, configs, fc.boolean(), (preset, config, autostart) => {
        const link = writeLink({ preset, config, autostart });
        expect(readLink(link)).toEqual({ preset, config, autostart, isHeld: false, errors: [], notes: [] });
      }),
    );
  });

  it('keep the model that each agent starts with', () => {
    const otherStart = `model-${'1'.repeat(16)},warmStart,same`;
    const agents = { protocol: 'debate', count: 4, parameters: 'separate', otherStart };
    const config = parseConfig({ agents, warmStart: { source: 'none' } });
    const { config: read, errors } = readLink(writeLink({ preset: 'default', config }));
    expect([read, errors]).toEqual([config, []]);
    expect(readRunFile(writeRunFile({ preset: 'default', config, changes: [], imports: [] })).config).toEqual(config);
  });

  it('contain only the settings that differ from the preset, under their short names', () => {
    const config = presetConfig('tooFast');
    expect(writeLink({ preset: 'tooFast', config })).toBe('?preset=tooFast');
    const changed = { ...config, run: { ...config.run, seed: 7, iterations: 20 } };
    expect(writeLink({ preset: 'tooFast', config: changed, backend: 'cpu' })).toBe(
      '?preset=tooFast&seed=7&iterations=20&backend=cpu',
    );
  });

  it('may use the documented parameters of the page', () => {
    const { preset, config, autostart, errors } = readLink(
      '?preset=micro&seed=9&backend=cpu&iterations=3&autostart=1&learning.clipHigh=0.3&learning.groupKey=problem%2Bagent',
    );
    expect(errors).toEqual([]);
    expect([preset, autostart, config.run.seed, config.run.backend]).toEqual(['micro', true, 9, 'cpu']);
    expect([config.run.iterations, config.learning.clipHigh]).toEqual([3, 0.3]);
    expect(config.learning.groupKey).toBe('problem+agent');
    expect(config.agents.size).toBe('micro');
  });

  it('accept only numbers in decimal digits', () => {
    const texts = ['0x10', '0b1', '1,000', '1.000', '1 000', '5.0', 'Infinity'];
    for (const text of texts) {
      const { config, errors } = readLink(`?seed=${encodeURIComponent(text)}`);
      expect(errors.map((error) => error.message)).toEqual([
        expect.stringContaining(`run.seed: expected a whole number from 0 to `) as string,
      ]);
      expect(config.run.seed).toBe(readLink('').config.run.seed);
    }
    expect(readLink('?optimiser.learningRate=0x1').errors).toHaveLength(1);
  });

  it('keep the valid settings if others are invalid, and report field, expected and given value', () => {
    const { config, errors } = readLink('?seed=5&learning.clipHigh=wide&run.iterations=0&backend=gpu');
    expect(errors.map((error) => error.message)).toEqual([
      'learning.clipHigh: expected a number from 0 to 1, got "wide".',
      'run.iterations: expected a whole number from 1 to 100000, got 0.',
      'run.backend: expected one of auto, webgpu, cpu, got "gpu".',
    ]);
    const good = presetConfig(firstPreset);
    expect(config).toEqual({ ...good, run: { ...good.run, seed: 5 } });
    expect(errors.every((error) => error.name === 'ConfigError')).toBe(true);
  });

  it('report unknown parameters, with the setting that may be meant', () => {
    expect(messages('?clipHigh=0.1')[0]).toContain('Did you mean learning.clipHigh?');
    expect(messages('?colour=red')[0]).toBe(
      'the link contains an unknown parameter, "colour". Write settings as section.field=value.',
    );
    expect(readLink('?clipHigh=0.1').errors[0]?.refusal?.remedies).toEqual([{ 'learning.clipHigh': 0.1 }]);
    expect(messages('?preset=nope')[0]).toMatch(/preset: expected one of .* got "nope"/);
    expect(messages('?preset=constructor')).toHaveLength(1);
    expect(messages('?autostart=yes')).toEqual(['autostart: expected 1 or 0, got "yes".']);
    expect(messages('?seed=1&run.seed=2')[0]).toContain('this setting occurs twice');
  });

  const refusedLinks: { query: string; left: string; kept: object; remedy: Settings }[] = [
    {
      query: '?preset=separate&learning.aggregation=token&seed=4',
      left: 'learning.aggregation = token in the link was ignored',
      kept: { run: { seed: 4 }, agents: { parameters: 'separate' }, learning: { aggregation: 'turn' } },
      remedy: { 'learning.aggregation': 'token', 'learning.ratioLevel': 'token' },
    },
    {
      query: '?preset=default&agents.candidates=4&iterations=12&seed=4',
      left: 'agents.candidates = 4 in the link was ignored',
      kept: { run: { seed: 4, iterations: 12 }, learning: { learner: 'grpo' } },
      remedy: {
        'agents.candidates': 4,
        'learning.groupKey': 'problem+agent+turn',
        'reward.across': 'own',
        'reward.over': 'dense',
        'houseRule.legalOperation': 0.25,
        'houseRule.rewrite': 0.5,
      },
    },
    {
      query: '?preset=default&learning.learner=happo&iterations=12&autostart=1',
      left: 'learning.learner = happo in the link was ignored',
      kept: { learning: { learner: 'grpo' }, run: { iterations: 12 } },
      remedy: { 'learning.learner': 'happo', 'agents.parameters': 'separate' },
    },
    {
      query: '?world.level=4&warmStart.source=shipped&seed=9',
      left: 'world.level = 4 in the link was ignored',
      kept: { world: { level: 1 }, run: { seed: 9 } },
      remedy: { 'world.level': 4, 'warmStart.source': 'train' },
    },
  ];
  it.each(refusedLinks)('keep the compatible part of $query, and offer a remedy', ({ query, ...expected }) => {
    const { config, errors, autostart } = readLink(query);
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toContain(expected.left);
    expect(config).toMatchObject(expected.kept);
    const remedy = errors[0]?.refusal?.remedies[0] ?? {};
    expect(remedy).toEqual(expected.remedy);
    expect(refusalOf(withSettings(config, remedy), startRules)).toBeNull();
    expect(autostart).toBe(false);
  });

  it.each([
    ['?world.level=4&seed=9', { world: { name: 'houseRule', level: 4 }, run: { seed: 9 } }],
    ['?world.name=grid&world.level=2', { world: { name: 'grid', level: 2 } }],
    ['?agents.size=small', { agents: { size: 'small' } }],
  ])('have the warm start trained first if none is shipped for %s', (query, wanted) => {
    const { config, errors } = readLink(query);
    expect(errors).toEqual([]);
    expect(config).toMatchObject({ ...wanted, warmStart: { source: 'train' } });
  });

  it('do not start a run automatically if any part of them was refused', () => {
    expect(readLink('?autostart=1').autostart).toBe(true);
    for (const part of ['preset=nope', 'seed=x', 'colour=red', 'seed=1&seed=2', 'learning.groupSize=900'])
      expect(readLink(`?${part}&autostart=1`)).toMatchObject({ autostart: false, isHeld: true });
  });

  it('are not read if they are longer than a link with all settings', () => {
    const { config, errors } = readLink(`?seed=7&x=${'y'.repeat(1_000_000)}`);
    expect(config).toEqual(presetConfig(firstPreset));
    expect(errors.map(({ message }) => message.length < 200)).toEqual([true]);
    const every = new URLSearchParams(describeFields().map(({ path, fallback }) => [path, valueText(fallback)]));
    expect(readLink(`?${every}`).errors).toEqual([]);
  });

  it('with any settings keep a part that can start, and offer the other settings in one step', () => {
    const entry = fc
      .constantFrom(...describeFields())
      .chain((field) => fc.tuple(fc.constant(field.path), fieldValue(field).map(valueText)));
    fc.assert(
      fc.property(
        presetNames,
        fc.uniqueArray(entry, { maxLength: 10, selector: ([path]) => path }),
        (preset, parts) => {
          const { config, errors } = readLink(`?${new URLSearchParams([['preset', preset], ...parts])}`);
          expect(refusalOf(config, startRules)).toBeNull();
          if (errors.length === 0) return;
          expect(errors).toHaveLength(1);
          const whole = withSettings(config, errors[0]?.refusal?.remedies[0] ?? {});
          expect(refusalOf(whole, startRules)).toBeNull();
          expect(difference(whole, config).length === 0).toBe(errors[0]?.refusal?.remedies.length === 0);
        },
      ),
      { numRuns: 1000 },
    );
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

  it('accept the default value of every field', () => {
    for (const field of describeFields()) {
      expect(messages(`?preset=default&${field.path}=${encodeURIComponent(valueText(field.fallback))}`)).toEqual([]);
    }
  });

  it('contain all settings of a run whose preset no longer exists', () => {
    const config = presetConfig('ppo');
    const link = writeLink({ preset: 'toString', config });
    expect(readLink(link)).toEqual({
      preset: 'default',
      config,
      autostart: false,
      isHeld: false,
      errors: [],
      notes: [],
    });
  });
});
