import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError, FormatError } from '../base/errors.ts';
import { describeFields } from '../config/describe.ts';
import { presetConfig } from '../config/presets.ts';
import { configs, fieldValue, presetNames } from '../config/arbitrary.ts';
import { readRunFile, writeRunFile } from './runFile.ts';

const changes = fc.array(
  fc
    .tuple(fc.nat(), fc.constantFrom(...describeFields()))
    .chain(([iteration, field]) =>
      fc.record({ iteration: fc.constant(iteration), path: fc.constant(field.path), value: fieldValue(field) }),
    ),
  { maxLength: 3 },
);

const text = (...lines: string[]) => lines.join('\n');

describe('run files', () => {
  it('read back as the run they were written from, short or complete', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('yes', '1', '# x', 'a: b', 'a\nb', '- a'));
    fc.assert(
      fc.property(
        fc.record({ name, preset: presetNames, config: configs, changes }),
        fc.boolean(),
        (run, isComplete) => {
          const { preset, config } = run;
          expect(readRunFile(writeRunFile(run, isComplete))).toEqual({ preset, config, changes: run.changes });
        },
      ),
      { numRuns: 60 },
    );
  });

  it('write only what differs, each setting with its words, its preset and its source', () => {
    const config = presetConfig('default');
    const changed = { ...config, learning: { ...config.learning, clipHigh: 0.25 } };
    const run = { name: 'calm-otter', preset: 'default', config: changed };
    const change = { iteration: 20, path: 'optimiser.learningRate', value: 1e-4 };
    expect(writeRunFile({ ...run, changes: [change] })).toBe(
      text(
        '# A run of Cothink. Open it on the page; a setting that is left out is as the preset has it.',
        'format: 1',
        'name: calm-otter',
        'preset: default',
        '',
        'learning:',
        '  # Clip; only where learning.learner is neither dpo nor sft. Preset: 0.2. Source: PPO; DAPO raises it.',
        '  clipHigh: 0.25',
        '',
        '# Settings that were changed in mid-run, with the iteration at which it happened.',
        'changes:',
        '  - iteration: 20',
        '    path: optimiser.learningRate',
        '    value: 0.0001',
        '',
      ),
    );
  });

  it('write every setting when asked to', () => {
    const written = writeRunFile({ preset: 'ppo', config: presetConfig('ppo'), changes: [] }, true);
    for (const field of describeFields()) expect(written).toContain(`  ${field.name}: `);
    expect(written.split('\n').filter((line) => line.startsWith('  # '))).toHaveLength(describeFields().length);
  });

  const faults: [string, string[], string][] = [
    [
      'a value of the wrong kind',
      ['format: 1', '', 'learning:', '  clipHigh: wide'],
      'line 4, column 13: learning.clipHigh: expected a number from 0 to 1, got "wide".',
    ],
    [
      'a value out of bounds',
      ['format: 1', 'run: { seed: -1 }'],
      'line 2, column 14: run.seed: expected a whole number from 0 to 4294967295, got -1.',
    ],
    ['a misspelt setting', ['format: 1', 'run:', '  sead: 1'], 'line 3, column 9: run.sead: there is no such setting'],
    ['a misspelt section', ['format: 1', 'ran:', '  seed: 1'], 'line 3, column 3: ran: there is no such section'],
    ['an unknown preset', ['format: 1', 'preset: no'], 'line 2, column 9: preset: expected one of default'],
    [
      'an impossible combination',
      ['format: 1', 'learning:', '  ratioLevel: turn', '  aggregation: token'],
      'line 4, column 16: learning.aggregation: token does not go with a turn ratio',
    ],
    [
      'a change of no setting',
      ['format: 1', 'changes:', '  - { iteration: 1, path: a.b, value: 1 }'],
      'line 3, column 27: changes.0.path: there is no setting a.b',
    ],
  ];
  it.each(faults)('name line, column and field of %s', (_, lines, message) => {
    expect(() => readRunFile(text(...lines))).toThrow(ConfigError);
    expect(() => readRunFile(text(...lines))).toThrow(message);
  });

  const unreadable: [string, string[], RegExp][] = [
    ['broken YAML', ['format: 1', 'run: {'], /^line \d+, column \d+: expected YAML/],
    ['a key given twice', ['format: 1', 'run: {}', 'run: {}'], /^line 3, column 1: expected YAML/],
    ['an alias', ['format: 1', 'run: { seed: &a 1, iterations: *a }'], /^line 2, column 32: run.iterations: .*plain/],
    ['a list for a section', ['format: 1', 'run: [1]'], /^line 2, column 6: run: expected names with values/],
    ['another format', ['format: 2'], /^line 1, column 9: format: expected 1, got 2/],
    ['no format', ['preset: default'], /^line 1, column 1: format: expected 1, got nothing/],
    ['an empty text', [''], /^line 1, column 1: expected/],
    ['changes without a path', ['format: 1', 'changes:', '  - iteration: 1'], /^line 3, column 5: changes.0.path/],
    ['a negative iteration', ['format: 1', 'changes:', '  - iteration: -1'], /^line 3, column 16: changes.0.iter/],
  ];
  it.each(unreadable)('refuse %s', (_, lines, message) => {
    expect(() => readRunFile(text(...lines))).toThrow(FormatError);
    expect(() => readRunFile(text(...lines))).toThrow(message);
  });

  it('answer garbled text with a named error or a result, never otherwise', () => {
    const good = writeRunFile({ preset: 'micro', config: presetConfig('default'), changes: [] });
    const isNamed = (broken: string) => {
      try {
        return readRunFile(broken).preset.length > 0;
      } catch (error) {
        return (error instanceof FormatError || error instanceof ConfigError) && error.message.startsWith('line ');
      }
    };
    const letter = fc.constantFrom(...':-?[]{}&*!|>%@#\'"\n\t ~0a,<'.split(''));
    fc.assert(fc.property(fc.string(), isNamed));
    fc.assert(fc.property(fc.string({ unit: letter, maxLength: 30 }), isNamed), { numRuns: 300 });
    fc.assert(
      fc.property(fc.nat({ max: good.length - 1 }), fc.string({ unit: letter, maxLength: 3 }), (at, put) =>
        isNamed(good.slice(0, at) + put + good.slice(at + 1)),
      ),
      { numRuns: 300 },
    );
  });
});
