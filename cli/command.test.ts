import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../src/base/errors.ts';
import { settingsOf } from './train/asked.ts';
import { commands } from './commands.ts';
import { helpOf, readGiven, type Command } from './command.ts';

const some: Command = {
  name: 'some',
  takes: 'RUN',
  count: [1, 1],
  says: 'Does something.',
  options: {
    set: { value: 'A=B', says: 'a setting', isMany: true },
    seed: { value: 'N', says: 'a number' },
    json: { says: 'JSON' },
  },
  examples: [],
  run: () => Promise.resolve(0),
};

describe('the arguments of a command', () => {
  it('are read in any position, with and without =', () => {
    const given = readGiven(some, ['--set', 'a=1', 'here', '--seed=3', '--set=b=2', '--json']);
    expect(given.rest).toEqual(['here']);
    expect(given.all('set')).toEqual(['a=1', 'b=2']);
    expect([given.whole('seed'), given.has('json'), given.has('set')]).toEqual([3, true, true]);
  });

  it.each([
    [['here', '--sed', '3'], '--sed: some has no such option. Did you mean --set?'],
    [['here', '--constructor'], '--constructor: some has no such option'],
    [['here', '-x'], '-x: some has no such option'],
    [['here', '--seed'], '--seed: expected N after it'],
    [['here', '--json=1'], '--json: expected no value'],
    [['here', '--seed', ''], '--seed: expected N after it, got nothing'],
    [['here', '--seed='], '--seed: expected N after it, got nothing'],
    [['here', '--seed', '--json'], '--seed: expected N after it, got --json'],
    [['here', '--set', '--'], '--set: expected A=B after it, got --'],
    [[''], 'expected RUN, got ""'],
    [['here', '--seed', '1', '--seed', '2'], '--seed: expected once'],
    [[], 'expected RUN, got nothing'],
    [['here', 'there'], 'expected RUN, got "here" "there"'],
  ])('%j are refused in one line that says what to do', (args, words) => {
    const read = () => readGiven(some, args);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(words);
  });

  it('may begin with -- behind =', () => {
    expect(readGiven(some, ['here', '--set=--json']).all('set')).toEqual(['--json']);
  });

  it.each(['-1', '1.5', 'x', '1e3', ' 1'])('do not accept %j as a whole number', (text) => {
    expect(() => readGiven(some, ['here', `--seed=${text}`]).whole('seed')).toThrow('--seed: expected a whole number');
  });

  it('are read or refused by name for any input', () => {
    const words = fc.oneof(fc.string(), fc.constantFrom('--', '--set', '--seed', '--json', '-', '--set=', 'a=1'));
    fc.assert(
      fc.property(fc.array(words, { maxLength: 6 }), (args) => {
        try {
          const given = readGiven(some, args);
          given.whole('seed');
          settingsOf(given.all('set'));
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('settings on the command line', () => {
  it('are read in the same way as in a link', () => {
    expect(settingsOf(['run.seed=12', 'learning.normAdv=true', 'world.name=grid'])).toEqual({
      'run.seed': 12,
      'learning.normAdv': true,
      'world.name': 'grid',
    });
  });

  it.each(['run.seed', '=1', 'run.sed=1', 'run.seed=x', 'run.seed=0x10', 'run.iterations=1,000', 'world.name=nowhere'])(
    'refuse %s by name',
    (text) => {
      expect(() => settingsOf([text])).toThrow(ConfigError);
    },
  );
});

it.each(commands)('$name has help with its options and an example of each kind of use', (command) => {
  const help = helpOf(command);
  for (const option of Object.keys(command.options)) expect(help).toContain(`--${option}`);
  expect(command.examples.length).toBeGreaterThan(0);
  for (const [line] of command.examples) {
    const [program, name, ...args] = line.split(' ');
    expect([program, name]).toEqual(['cothink', command.name]);
    readGiven(command, args);
  }
});
