// Tests the tasks of a launch, and that every launcher fulfils the requirements in launcher.ts.
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { launcherAsked, launcherFacts, launcherOptions, loadLauncher } from './launchers.ts';
import { quoted } from './tasks.ts';
import { asked, given } from './testing/launched.ts';

describe('the tasks of a launch', () => {
  it('are one training for each seed and each combination of settings, in one experiment', async () => {
    const { tasks, retries } = await asked(
      '--preset',
      'micro',
      '--seeds',
      '2',
      '--vary',
      'optimiser.learningRate=0.001,0.003',
      '--vary',
      'learning.groupSize=4,8',
    );
    expect(tasks).toHaveLength(8);
    expect(new Set(tasks.map(({ name }) => name)).size).toBe(8);
    expect(tasks[0]?.name).toBe('optimiser.learningRate-0.001-learning.groupSize-4-seed-1');
    for (const { args } of tasks) expect(args.join(' ')).toContain('--experiment e-1');
    expect(retries).toBe(3);
  });

  it.each([
    [['--vary', 'optimiser.learningRate'], '--vary: expected section.field=a,b'],
    [['--vary', 'optimiser.speed=1'], 'optimiser.speed'],
    [['--vary', 'optimiser.learningRate=fast'], 'optimiser.learningRate'],
    [['--seeds', '2000'], 'at most 1000 runs'],
    [['--seeds', '0'], '--seeds: expected a whole number of at least 1'],
    [['nowhere.yaml'], 'nowhere.yaml: there is no such file'],
    [
      ['--pairs', 'c1/p.jsonl', '--pairs', 'c2/p.jsonl'],
      '--pairs: c1/p.jsonl and c2/p.jsonl would both be copied as p.jsonl',
    ],
    [['--vary', 'run.seed=1,2', '--seeds', '2'], '--vary: run.seed cannot be varied'],
    [
      ['--vary', 'optimiser.learningRate=0.001,0.001'],
      '--vary: optimiser.learningRate=0.001 and optimiser.learningRate=0.001 are the same run',
    ],
    [
      ['--vary', 'optimiser.learningRate=0.001,1e-3'],
      '--vary: optimiser.learningRate=0.001 and optimiser.learningRate=1e-3 are the same run',
    ],
    [
      ['--vary', 'learning.groupSize=4,8', '--vary', 'learning.groupSize=2'],
      '--vary: learning.groupSize is given twice',
    ],
    [['--vary', 'learning.logratioClamp=1e-1,1e+1'], 'would both be stored in learning.logratioClamp-1e-1'],
    [
      ['--set', 'run.seed=4294967295', '--seeds', '2'],
      '--seeds: expected a number of at most 1 with run.seed = 4294967295, got 2',
    ],
    [['--model', 'fw.gguf'], 'agents.start: fw.gguf is a relative path, but tasks run on other machines'],
    [['--set', 'agents.start=fw.zip'], 'agents.start: fw.zip is a relative path, but tasks run on other machines'],
    [
      ['--vary', 'agents.start=fw.zip,warmStart'],
      'agents.start: fw.zip is a relative path, but tasks run on other machines',
    ],
    [
      ['--set', 'agents.otherStart=warmStart,run@3#1'],
      'agents.otherStart: run@3#1 is a relative path, but tasks run on other machines',
    ],
    [
      ['learning.groupSize', 'learning.clipLow', 'optimiser.learningRate'].flatMap((one) => [
        '--vary',
        `${one}=${'1,'.repeat(500)}1`,
      ]),
      'at most 1000 runs',
    ],
  ])('%j are refused before anything starts', async (args, words) => {
    await expect(asked(...args)).rejects.toThrow(words);
  });

  it('reach a shell unchanged, with any characters', () => {
    const word = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => !/[\0\n\r]/.test(text));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const said = execFileSync('/bin/sh', ['-c', `printf '%s\\n' ${words.map(quoted).join(' ')}`]).toString();
        expect(said).toBe(words.map((one) => `${one}\n`).join(''));
      }),
      { numRuns: 30 },
    );
  });
});

describe.each(launcherFacts)('the engine $name', (facts) => {
  it('runs a launch, and says what it needs before anything starts', async () => {
    expect((await loadLauncher(facts)).run).toBeTypeOf('function');
    const needs = facts.needs ?? [];
    const all = needs.flatMap((option) => [`--${option}`, 'something']);
    expect(launcherAsked(given('--on', facts.name, ...all))).toBe(facts);
    for (const [i, option] of needs.entries()) {
      expect(launcherOptions).toHaveProperty(option);
      expect(() => launcherAsked(given('--on', facts.name, ...all.toSpliced(2 * i, 2)))).toThrow(
        `--${option}: this option is required for a job on ${facts.label}`,
      );
    }
  });

  it('has its own example, and options that no other engine has', () => {
    expect(facts.example[0]).toContain(`--on ${facts.name} `);
    const others = launcherFacts.filter((other) => other !== facts).flatMap(({ options = {} }) => Object.keys(options));
    for (const option of Object.keys(facts.options ?? {})) expect(others).not.toContain(option);
  });
});

it('an unknown engine is refused with the list of engines', () => {
  const names = launcherFacts.map(({ name }) => name).join(', ');
  expect(() => launcherAsked(given('--on', 'nowhere'))).toThrow(`--on: expected one of ${names}, got "nowhere"`);
  expect(() => launcherAsked(given())).toThrow(`--on: this option is required; choose one of ${names}`);
});
