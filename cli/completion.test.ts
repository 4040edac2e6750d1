// Tests the script for bash in bash itself, if this machine has it, and the others by their form.
import { execFileSync, spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { commands } from './commands.ts';
import { readGiven } from './command.ts';
import { completion } from './completion.ts';

afterEach(() => vi.restoreAllMocks());

function scriptFor(shell: string): string {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const command = { ...commands[0], takes: 'SHELL', count: [1, 1] } as (typeof commands)[0];
  expect(completion(readGiven(command, [shell]), commands)).toBe(0);
  vi.restoreAllMocks();
  return written.join('');
}

const hasBash = spawnSync('bash', ['--version']).status === 0;

describe.skipIf(!hasBash)('in bash', () => {
  const completed = (...words: string[]): string[] => {
    const program = `${scriptFor('bash')}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _cothink; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', program, 'bash', ...words], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean);
  };
  it.each([
    [['cothink', 'tr'], ['train']],
    [['cothink', '--v'], ['--version']],
    [['cothink', 'train', '--pre'], ['--preset']],
    [
      ['cothink', 'train', '--preset', 'pas'],
      ['passItOn', 'passTwoOn'],
    ],
    [['cothink', 'train', '--set', 'learning.ra'], ['learning.ratioLevel=']],
    [['cothink', 'worlds', 'alg'], ['algebra']],
    [['cothink', 'completion', 'f'], ['fish']],
    [['cothink', 'eval', 'runs/no'], []],
  ])('%j becomes %j', (words, expected) => {
    expect(completed(...words)).toEqual(expected);
  });
});

it('every command and every option is in each script', () => {
  const [zsh, fish] = [scriptFor('zsh'), scriptFor('fish')];
  expect(zsh).toContain(scriptFor('bash'));
  for (const { name, options } of commands) {
    expect(zsh).toMatch(new RegExp(`^ {4}${name}\\) words='--`, 'm'));
    expect(fish).toContain(`-f -a ${name} -d `);
    for (const option of Object.keys(options)) {
      expect(zsh).toContain(`--${option} `);
      expect(fish).toContain(`'__fish_seen_subcommand_from ${name}' -l ${option} `);
    }
  }
});

it('another shell is refused with those that are known', () => {
  expect(() => scriptFor('fissh')).toThrow('expected one of bash, zsh, fish, got "fissh". Did you mean fish?');
});
