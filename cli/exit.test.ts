// What an error says at the end of the program, and with which code.
import { describe, expect, it } from 'vitest';
import * as errors from '../src/base/errors.ts';
import { endOf, exitCodeOf } from './exit.ts';

/** 2 where the one who asked can mend it by what is given, 1 where only we, the device or luck can. */
const codes: Record<errors.ErrorName, 1 | 2> = {
  ConfigError: 2,
  FormatError: 2,
  StorageError: 2,
  SandboxError: 2,
  WorldError: 2,
  ShapeError: 1,
  NumericsError: 1,
  DeviceLostError: 1,
  TrainerLostError: 1,
};

describe('an error that has a name', () => {
  it.each(Object.entries(codes) as [errors.ErrorName, 1 | 2][])('%s is one line and ends with %i', (name, code) => {
    const error = new errors[name]('run.seed: expected 0 or more, got -3.');
    expect(endOf(error)).toEqual({ words: 'cothink: run.seed: expected 0 or more, got -3.\n', code });
    expect(exitCodeOf(name)).toBe(code);
  });
});

describe('an error that has none ends with 1, and its first line says whose fault it is', () => {
  it.each([
    ['of the language', new TypeError('x is undefined'), 'TypeError: x is undefined'],
    ['of several lines', new Error('one\ntwo'), 'Error: one'],
    ['that only calls itself one of ours', Object.assign(new Error('no'), { name: 'ConfigError' }), 'ConfigError: no'],
  ])('%s', (_, error, said) => {
    const { words, code } = endOf(error);
    const [first, ...rest] = words.split('\n');
    expect(first).toBe(`cothink: a fault of the program, not of what you gave it (${said}); please report it, with the command and the lines below.`); // prettier-ignore
    expect(rest.join('\n')).toBe(`${error.stack}\n`);
    expect(code).toBe(1);
  });

  it('and what is thrown without being an error has no lines below', () => {
    expect(endOf('gone').words).toMatch(/^cothink: a fault of the program, .*\(gone\).*\n$/);
    expect(endOf(undefined)).toMatchObject({ code: 1 });
  });
});
