// Tests that text from outside is printed on a terminal as visible characters, never as control characters.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { print } from './print.ts';
import { CommandArguments } from './command.ts';
import { endOf } from './exit.ts';
import { openReporter } from './report.ts';
import { jsonLine, shown, writeError } from './terminal.ts';
import { ConfigError } from '../src/base/errors.ts';

const evil = 'a\u001b[31mb\u001b]0;owned\u0007c\u009b2Jd\u202egpj.exe\u2066e\rf\u007f';
const obeyed = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

afterEach(() => {
  vi.restoreAllMocks();
});

/** The output during a task, without the control character that clears a line of the program's own progress bar. */
function written(work: () => void): string {
  const parts: string[] = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => (parts.push(String(text)), true));
  work();
  vi.restoreAllMocks();
  return parts.join('').replaceAll('\r\u001b[2K', '');
}

describe('foreign text', () => {
  it('keeps its letters, and shows characters that a terminal would obey as numbers', () => {
    expect(shown(evil)).toBe('a\\u001b[31mb\\u001b]0;owned\\u0007c\\u009b2Jd\\u202egpj.exe\\u2066e\\u000df\\u007f');
    expect(shown('é 東京 👩‍👩‍👧\n\tb')).toBe('é 東京 👩‍👩‍👧\n\tb');
  });

  it('is unchanged in JSON', () => {
    expect(jsonLine({ evil })).not.toMatch(obeyed);
    expect(JSON.parse(jsonLine({ evil }))).toEqual({ evil });
  });

  it('is safe in every output to the terminal: an answer, a line, a bar, an error', () => {
    const reporter = openReporter(false);
    const given = new CommandArguments([], new Map([['json', ['']]]));
    for (const text of [
      written(() => print(given, { evil }, [])),
      written(() => reporter.say(evil)),
      written(() => reporter.progress(evil, 0.5)),
      written(() => writeError(endOf(new ConfigError(`world.${evil}: there is no such setting`)).words)),
      written(() => openReporter(true).tell({ event: 'note', evil })),
    ]) {
      expect(text).toContain('owned');
      expect(text).not.toMatch(obeyed);
    }
  });

  it('reaches the terminal in no other way', () => {
    const folders = ['cli', path.join('src', 'extensions')];
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /(?<!\.test)\.ts$/.test(name))
        .map((name) => path.join(folder, name)),
    );
    const others = files.filter((name) => !/^cli.(terminal\.ts|testing\b)/.test(name));
    const text = (name: string) => readFileSync(name, 'utf8');
    const wrong = others.filter((name) =>
      /std(out|err)\.write\((?!'')|console\./.test(text(name).replaceAll(/`[^`]*`/g, '')),
    );
    expect(wrong).toEqual([]);
  });
});
