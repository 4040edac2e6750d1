import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { ConfigError, FormatError } from '../base/errors.ts';
import { describeFields } from '../config/describe.ts';
import { presetConfig } from '../config/presets.ts';
import { forkBegins, forkModes, type ForkMode } from '../config/fork.ts';
import { withChanges } from '../config/liveChange.ts';
import type { Config } from '../config/schema.ts';
import type { RunHistory, SettingChange } from '../records/stored/history.ts';
import { answeringPair } from '../config/testing/ownProtocols.ts';
import { form as houseRule } from '../extensions/worlds/houseRule/form.ts';
import { introduce, ownFormSchema, ownNameOf } from '../config/worlds/own.ts';
import { withSettings } from '../config/parse.ts';
import { configs, fieldValue, presetNames } from '../config/testing/arbitrary.ts';
import { readLink, writeLink } from './link.ts';
import { readRunFile, readRunWorld, writeRunFile } from './runFile.ts';

const iteration = fc.nat({ max: 1000 });
const digest = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
const imports = fc
  .array(
    fc.record(
      { iteration, kind: fc.constant('chats' as const), name: fc.string(), digest },
      { requiredKeys: ['iteration', 'name', 'digest'] },
    ),
    { maxLength: 2 },
  )
  .map((list) => list.toSorted((one, other) => one.iteration - other.iteration));
const asked = fc.array(
  fc
    .constantFrom(...describeFields().filter((field) => field.isLive))
    .chain((field) => fc.record({ iteration, path: fc.constant(field.path), value: fieldValue(field) })),
  { maxLength: 4 },
);

/** The changes that are possible, in the order of their iterations. Changes that are refused are left out. */
function possible(config: Config, changes: SettingChange[]): SettingChange[] {
  const kept: SettingChange[] = [];
  for (const change of changes.toSorted((one, other) => one.iteration - other.iteration)) {
    try {
      withChanges(config, [...kept, change]);
      kept.push(change);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
    }
  }
  return kept;
}

const plain: fc.Arbitrary<RunHistory> = fc
  .record({ preset: presetNames, config: configs, changes: asked, imports })
  .map((run) => ({ ...run, changes: possible(run.config, run.changes) }));

const forked: fc.Arbitrary<RunHistory> = fc
  .record({ parent: plain, iteration: fc.integer({ min: 1, max: 1000 }), digest, changes: asked, imports })
  .chain(({ parent, changes, imports, ...point }) => {
    const begun = (mode: ForkMode) => forkBegins({ ...point, mode, parent });
    const modes = forkModes.filter((mode) => {
      try {
        return begun(mode) !== null;
      } catch {
        return false;
      }
    });
    if (modes.length === 0) return fc.constant(parent);
    return fc.constantFrom(...modes).map((mode) => {
      const config = begun(mode);
      const fork = { ...point, mode, parent };
      return { preset: parent.preset, config, fork, changes: possible(config, changes), imports };
    });
  });

const text = (...lines: string[]) => lines.join('\n');

describe('run files', () => {
  it('that are larger than any settings are refused before the YAML is built', () => {
    const much = [
      'a'.repeat(1_000_000),
      Array.from({ length: 12_000 }, (_, i) => `k${i}: 1`).join('\n'),
      'a: '.concat('['.repeat(100)),
      '- '.repeat(1000),
      `a: [${'[],'.repeat(40_000)}]`,
    ];
    for (const written of much) {
      expect(() => readRunFile(written)).toThrow(FormatError);
      expect(() => readRunFile(written)).toThrow(/^line \d+, column 1: (expected at most|this text has more entries)/);
    }
  });

  it('with incompatible settings are refused with a remedy that makes them valid', () => {
    const file = text('format: 1', 'run: { seed: 3 }', 'learning: { learner: happo }');
    try {
      readRunFile(file);
      expect.unreachable();
    } catch (error) {
      expect((error as ConfigError).refusal?.remedies).toEqual([{ 'agents.parameters': 'separate' }]);
    }
    expect(readRunFile(file, true).config).toMatchObject({ run: { seed: 3 }, learning: { learner: 'happo' } });
  });

  it('are read as the run that was written', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('yes', '1', '# x', 'a: b', 'a\nb', '- a'));
    fc.assert(
      fc.property(fc.oneof(plain, forked), name, (run, name) => {
        expect(readRunFile(writeRunFile({ ...run, name }))).toEqual(run);
      }),
      { numRuns: 120 },
    );
  });

  it('contain only changed settings, each with its label, preset and source', () => {
    const config = presetConfig('default');
    const changed = { ...config, learning: { ...config.learning, clipHigh: 0.25 } };
    const run = { name: 'calm-otter', preset: 'default', config: changed };
    const change = { iteration: 20, path: 'optimiser.learningRate', value: 1e-4 };
    expect(writeRunFile({ ...run, imports: [], changes: [change] })).toBe(
      text(
        '# A run of Cothink. Open it on the page; a setting that is left out is as the preset has it.',
        'format: 1',
        'name: calm-otter',
        'preset: default',
        '',
        'learning:',
        '  # Clip; only if learning.surrogate is not sapo and learning.learner is neither dpo nor sft. Preset: 0.2. Source: PPO; DAPO 2503.14476.',
        '  clipHigh: 0.25',
        '',
        '# Settings that were changed in mid-run, with the iteration after which it happened.',
        'changes:',
        '  - iteration: 20',
        '    path: optimiser.learningRate',
        '    value: 0.0001',
        '',
      ),
    );
  });

  it('contain all settings of a run whose preset no longer exists', () => {
    const run = { config: presetConfig('ppo'), changes: [], imports: [] };
    const written = writeRunFile({ ...run, preset: 'toString' });
    expect(readRunFile(written)).toEqual({ ...run, preset: 'default' });
    for (const field of describeFields()) expect(written).toContain(`  ${field.name}:`);
    expect(written.split('\n').filter((line) => line.startsWith('  # '))).toHaveLength(describeFields().length);
  });

  it('contain a custom protocol, one agent per line, and errors give the line of the wrong part', () => {
    const config = presetConfig('default');
    const agents = { ...config.agents, protocol: 'own' as const, own: answeringPair };
    const warmStart = { ...config.warmStart, source: 'train' as const };
    const run = { preset: 'default', config: { ...config, agents, warmStart }, changes: [], imports: [] };
    const written = writeRunFile(run);
    expect(readRunFile(written)).toEqual(run);
    expect(written).toContain('\n      - {role: debater, hears: [1], sees: all}\n');
    const fault = (was: string, is: string) => {
      const lines = written.replace(was, is).split('\n');
      const line = 1 + lines.findIndex((one) => one.includes(is));
      return [line, 1 + (lines[line - 1] ?? '').indexOf(is.split(': ').at(-1) as string)];
    };
    const place = ([line, column]: number[]) => `line ${line}, column ${column}: `;
    const told = (was: string, is: string) => () => readRunFile(written.replace(was, is));
    expect(told('answer: majority', 'answer: 5')).toThrow(
      `${place(fault('answer: majority', 'answer: 5'))}agents.own: nobody answers`,
    );
    expect(told('order: [[0, 1]]', 'order: [[0]]')).toThrow(/^line \d+, column 9: agents\.own: agent 1 never speaks/);
    expect(told('context: growing', 'context: lost')).toThrow(
      `${place(fault('context: growing', 'context: lost'))}agents.own.context: expected one of growing, fresh, got "lost"`,
    );
    expect(told('role: debater', 'role: wizard')).toThrow(
      /^line \d+, column 16: agents\.own\.agents\.0\.role: expected one of/,
    );
    expect(told('context: growing', 'moods: 3')).toThrow(/agents\.own\.moods: there is no such part/);
    expect(told('order: [[0, 1]]', 'order: *all')).toThrow(FormatError);
    const mended = readRunFile(written.replace('answer: majority', 'answer: 5'), true);
    expect(mended.config.agents.own.answer).toBe(1);
  });

  it('contain the weights of a world’s own parts, at the start and in changes, like links', () => {
    const name = 'own-00112233445566ff';
    const parts = [{ ...houseRule.parts[0], name: 'hint' }];
    introduce(v.parse(ownFormSchema, { ...houseRule, name, label: 'Fork', protocols: ['reMA'], parts }));
    const config = withSettings(presetConfig('default'), {
      ...{ 'world.name': name, 'warmStart.source': 'train', 'houseRule.legalOperation': 0, 'houseRule.rewrite': 0 },
      'reward.own': { hint: 0.5 },
    });
    const changes = [{ iteration: 3, path: 'reward.own', value: { hint: 0.75 } }];
    const run = { preset: 'default', config, changes, imports: [] };
    const written = writeRunFile(run);
    expect(written).toContain('\n  own: {hint: 0.5}\n');
    expect(readRunFile(written)).toEqual(run);
    expect(readLink(writeLink({ preset: 'default', config }))).toMatchObject({ config, errors: [] });
    const wrong = (was: string, is: string) => () => readRunFile(written.replace(was, is));
    expect(wrong('{hint: 0.5}', '{hint: 5}')).toThrow(
      /^line \d+, column 15: reward\.own\.hint: expected at most 2, got 5\.$/,
    );
    expect(wrong('{hint: 0.5}', '{tip: 1}')).toThrow(
      /^line \d+, column 14: reward\.own: Fork declares no reward part “tip”; it declares “hint”/,
    );
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
    ['an unknown preset', ['format: 1', 'preset: no'], 'line 2, column 9: preset: expected one of quick'],
    [
      'an impossible combination',
      ['format: 1', 'learning:', '  ratioLevel: turn', '  aggregation: token'],
      'line 4, column 16: learning.aggregation: token aggregation cannot be used with a turn ratio',
    ],
    [
      'a change of no setting',
      ['format: 1', 'changes:', '  - { iteration: 1, path: a.b, value: 1 }'],
      'line 3, column 39: a.b: there is no such setting',
    ],
    [
      'a change that no run under way can make',
      ['format: 1', 'changes:', '  - { iteration: 1, path: agents.size, value: small }'],
      'line 3, column 3: agents.size: this setting cannot be changed in an open run',
    ],
    [
      'a fork of a run that has nothing to fork',
      ['format: 1', 'fork:', '  iteration: 3', '  mode: lora', '  parent: { preset: separate }'],
      'line 3, column 3: agents.parameters: only shared networks',
    ],
  ];
  it.each(faults)('are refused with line, column and field for %s', (_, lines, message) => {
    expect(() => readRunFile(text(...lines))).toThrow(ConfigError);
    expect(() => readRunFile(text(...lines))).toThrow(message);
  });

  const unreadable: [string, string[], RegExp][] = [
    ['broken YAML', ['format: 1', 'run: {'], /^line \d+, column \d+: this is not valid YAML/],
    [
      'a key given twice',
      ['format: 1', 'run: {}', 'run: {}'],
      /^line 3, column 1: the run file: "run" occurs here twice/,
    ],
    [
      'an alias',
      ['format: 1', 'run: { seed: &a 1, iterations: *a }'],
      /^line 2, column 32: run.iterations: expected a number, a text, true, false or null/,
    ],
    ['a list for a section', ['format: 1', 'run: [1]'], /^line 2, column 6: run: expected names with values/],
    ['another format', ['format: 2'], /^line 1, column 9: format: expected 1, got 2/],
    ['no format', ['preset: default'], /^line 1, column 1: format: expected 1, got nothing/],
    ['an empty text', [''], /^line 1, column 1: expected/],
    ['changes without a path', ['format: 1', 'changes:', '  - iteration: 1'], /^line 3, column 5: changes.0.path/],
    ['a fork without a parent', ['format: 1', 'fork: { iteration: 3, mode: lora }'], /^line 2, column 7: fork.parent/],
    [
      'a fork into nothing',
      ['format: 1', 'fork: { iteration: 3, mode: both, parent: {} }'],
      /fork.mode: expected one of/,
    ],
    ['a fork of nothing yet', ['format: 1', 'fork: { iteration: 0, mode: lora, parent: {} }'], /at least 1, got 0/],
    [
      'settings beside a fork',
      ['format: 1', 'run: { seed: 3 }', 'fork: { iteration: 3, mode: lora, parent: {} }'],
      /^line 2, column 6: run: a fork has the settings of its parent/,
    ],
    [
      'forks nested without end',
      ['format: 1', 'fork: { iteration: 3, mode: lora, parent: { '.repeat(20) + '} }'.repeat(20)],
      /at most 8 nested forks/,
    ],
    [
      'a file without its digest',
      ['format: 1', 'imports:', '  - { iteration: 0, name: p.jsonl, digest: abc }'],
      /^line 3, column 44: imports.0.digest: expected a SHA-256/,
    ],
    ['a negative iteration', ['format: 1', 'changes:', '  - iteration: -1'], /^line 3, column 16: changes.0.iter/],
  ];
  it.each(unreadable)('with %s are refused', (_, lines, message) => {
    expect(() => readRunFile(text(...lines))).toThrow(FormatError);
    expect(() => readRunFile(text(...lines))).toThrow(message);
  });

  it('of garbled text give a run or a named error', () => {
    const good = writeRunFile({ preset: 'micro', config: presetConfig('default'), changes: [], imports: [] });
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

describe('a world that the visitor wrote', () => {
  const worldIn = (source: string, label: string) => {
    const content = { kind: 'module' as const, source };
    const form = { name: ownNameOf(content), label, sentence: '', hidden: [], parts: [], levels: [], vocabularies: {} };
    return { form, content };
  };
  const config = presetConfig('micro');
  const history = { preset: 'micro', config, changes: [], imports: [] };

  it('is read from the file unchanged, whatever its text, and does not change the other settings', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (source, label) => {
        const text = writeRunFile({ ...history, world: worldIn(source, label) });
        expect(readRunWorld(text)).toEqual({ label, content: { kind: 'module', source } });
        expect(readRunFile(text)).toEqual(readRunFile(writeRunFile(history)));
      }),
      { numRuns: 200 },
    );
    const lines = 'export const about = {\n  a: "# ---",\n};\n\n\texport const b = `\\n`;\n';
    const text = writeRunFile({ ...history, world: worldIn(lines, 'Mine') });
    expect(text).toContain('    export const about = {\n');
    expect(readRunWorld(text)?.content).toEqual({ kind: 'module', source: lines });
  });

  it('is null if the file has none, and is refused with its line if it is not a text', () => {
    expect(readRunWorld(writeRunFile(history))).toBeNull();
    expect(() => readRunWorld('format: 1\nownWorld:\n  label: 3\n')).toThrow(
      /^line 3, column 10: ownWorld.label: expected a text/,
    );
    expect(() => readRunWorld('format: 1\nownWorld: mine\n')).toThrow(/^line 2.*ownWorld/);
  });
});
