// Tests the message and the exit code for an error that ends the program.
import { describe, expect, it } from 'vitest';
import * as errors from '../src/base/errors.ts';
import { endOf, exitCodeOf } from './exit.ts';

/**
 * The code is 2 if the user can fix the error by changing the input. It is 1 if the program, the device or a random
 * event caused the error.
 */
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
  MissingModelError: 2,
};

describe('an error that has a name', () => {
  it.each(Object.entries(codes) as [errors.ErrorName, 1 | 2][])('%s is one line and ends with %i', (name, code) => {
    const error = new errors[name]('run.seed: expected 0 or more, got -3.');
    expect(endOf(error)).toEqual({ words: 'cothink: run.seed: expected 0 or more, got -3.\n', code });
    expect(exitCodeOf(name)).toBe(code);
  });
});

describe('an error without a name ends with 1, and its first line says whose fault it is', () => {
  const line = (said: string) =>
    `cothink: internal error, not caused by your input (${said}); please report it with the command and its complete output.`;

  it.each([
    ['of the language', new TypeError('x is undefined'), 'TypeError: x is undefined'],
    ['of several lines', new Error('one\ntwo'), 'Error: one'],
    ['by a name that every object has', Object.assign(new Error('no'), { name: 'constructor' }), 'constructor: no'],
  ])('%s', (_, error, said) => {
    expect(endOf(error)).toEqual({ words: `${line(said)}\n${error.stack}\n`, code: 1 });
  });

  it('this also holds if the thrown value is no error', () => {
    expect(endOf('gone').words.split('\n')[0]).toBe(line('Error: gone'));
    expect(endOf(undefined).code).toBe(1);
  });
});
