// The exit codes of the program: 0 for success, 1 for a fault of the program, 2 for a problem that the user has to fix,
// 130 and 143 after a signal.
import type { ErrorName } from '../src/base/errors.ts';

/** The exit code for each named error: 2 if the user can fix the problem, otherwise 1. */
const codes: Readonly<Record<ErrorName, 1 | 2>> = {
  ...{ ConfigError: 2, FormatError: 2, MissingModelError: 2, StorageError: 2, SandboxError: 2, WorldError: 2 },
  ...{ ShapeError: 1, NumericsError: 1, DeviceLostError: 1, TrainerLostError: 1 },
};
const isNamed = (name: string): name is ErrorName => Object.hasOwn(codes, name);

export const exitCodeOf = (errorName: string): 1 | 2 => (isNamed(errorName) ? codes[errorName] : 1);

/**
 * A line that tells the user what to do. If the error is not one of Cothink's own, the line says that the
 * program is at fault.
 */
export function lineOf({ name, message }: Pick<Error, 'name' | 'message'>): string {
  if (isNamed(name)) return `cothink: ${message}\n`;
  const [first = ''] = message.split('\n');
  return `cothink: internal error, not caused by your input (${name}: ${first}); please report it with the command and its complete output.\n`;
}

/** The message and the exit code for an error; the stack follows the message if the program is at fault. */
export function endOf(thrown: unknown): { words: string; code: 1 | 2 } {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const stack = isNamed(error.name) ? '' : `${error.stack ?? error.message}\n`;
  return { words: lineOf(error) + stack, code: exitCodeOf(error.name) };
}

const signals = { SIGINT: 130, SIGTERM: 143 } as const;

export interface Interruption {
  /** The exit code of the received signal; 0 if no signal was received. */
  readonly code: number;
  /** Stops handling signals, so that the next signal terminates the program as usual. */
  forget: () => void;
}

/**
 * Calls `hear` at the first signal, or when the parent process has ended. A second signal ends the program immediately.
 * Even in that case, no incomplete file has its final name.
 */
export function interrupted(hear: () => void): Interruption {
  const heard = { code: 0 };
  const take = (code: number) => {
    if (heard.code > 0) process.exit(heard.code);
    heard.code = code;
    hear();
  };
  const [onInterrupt, onTerminate] = [() => take(signals.SIGINT), () => take(signals.SIGTERM)];
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  process.on('disconnect', onTerminate);
  return {
    get code() {
      return heard.code;
    },
    forget: () => {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onTerminate);
      process.off('disconnect', onTerminate);
    },
  };
}
