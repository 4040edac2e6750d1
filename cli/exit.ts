// How the program ends: 0 as asked, 2 where the user has to mend something, 1 where we have, 130 and 143 after a signal.
import { isNamedError } from '../src/base/errors.ts';

/** What somebody gave that cannot be used. */
const ofTheUser = new Set(['ConfigError', 'FormatError', 'StorageError', 'SandboxError', 'WorldError']);

export const exitCodeOf = (errorName: string): 1 | 2 => (ofTheUser.has(errorName) ? 2 : 1);

/** The words and the code of the end that an error brings: a line that says what to do, and after one of ours its stack. */
export function endOf(error: unknown): { words: string; code: 1 | 2 } {
  if (isNamedError(error)) return { words: `cothink: ${error.message}\n`, code: exitCodeOf(error.name) };
  const [first = ''] = String(error).split('\n');
  const stack = error instanceof Error ? `${error.stack ?? error.message}\n` : '';
  return {
    words: `cothink: a fault of the program, not of what you gave it (${first}); please report it, with the command and the lines below.\n${stack}`,
    code: 1,
  };
}

const signals = { SIGINT: 130, SIGTERM: 143 } as const;

export interface Interruption {
  /** The exit code of the signal that came; 0 where none did. */
  readonly code: number;
  /** From now on signals end the program again. */
  forget: () => void;
}

/**
 * Calls back at the first signal, or when the program that started this one is gone; a second one ends at once, which
 * leaves no file half-written.
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
