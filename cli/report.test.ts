// Tests the output for people at a terminal, and for programs.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openReporter } from './report.ts';
import { writeError } from './terminal.ts';

let [out, err] = ['', ''];
beforeEach(() => {
  [out, err] = ['', ''];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((err += String(text)), true));
});
afterEach(() => void vi.restoreAllMocks());

const clear = '\r\u001b[2K';

it('a bar overwrites its line, is never wider than the terminal, and is removed before a permanent line', () => {
  const reporter = openReporter(false);
  reporter.progress('1 of 4', 0.25);
  expect(err).toBe(`${clear}${'█'.repeat(6)}${'░'.repeat(18)} 1 of 4`);
  err = '';
  reporter.progress('x'.repeat(500), 7);
  expect(err.slice(clear.length)).toHaveLength((process.stderr.columns || 80) - 1);
  expect(err).toContain('█'.repeat(24));
  err = '';
  reporter.say('done');
  reporter.tell({ event: 'done' });
  expect([err, out]).toEqual([`${clear}done\n`, '']);
});

it('an error replaces a bar, and removes nothing if there is no bar', () => {
  const reporter = openReporter(false);
  reporter.progress('1 of 4', 0.25);
  err = '';
  writeError('cothink: no\n');
  writeError('more\n');
  expect(err).toBe(`${clear}cothink: no\nmore\n`);
});

it('a program reads one JSON object in each line, and no text for people', () => {
  const reporter = openReporter(true);
  reporter.progress('1 of 4', 0.25);
  reporter.say('done');
  reporter.tell({ event: 'done', iteration: 4 });
  expect([err, out]).toEqual(['', '{"event":"done","iteration":4}\n']);
});

it('by default a bar is shown only if both streams are a terminal', () => {
  const terminal = (stdout: boolean, stderr: boolean) => {
    process.stdout.isTTY = stdout;
    process.stderr.isTTY = stderr;
    [out, err] = ['', ''];
    openReporter().say('done');
    return err !== '';
  };
  const before = [process.stdout.isTTY, process.stderr.isTTY] as const;
  try {
    expect([terminal(true, true), terminal(true, false), terminal(false, true)]).toEqual([true, false, false]);
  } finally {
    [process.stdout.isTTY, process.stderr.isTTY] = before;
  }
});
