// An engine that others keep, on which `cothink launch` has its tasks run. Each lies in src/extensions/launchers/NAME:
// `facts.ts` is plain data for the help, `launcher.ts` is loaded once the engine is chosen.
import type { CommandArguments, CommandOption } from '../command.ts';
import type { Launch } from './tasks.ts';

export interface LauncherFacts {
  /** Its value of `--on`. */
  name: string;
  label: string;
  /** Its place in lists. */
  order: number;
  /** How a worker starts cothink where `--program` says nothing else. */
  starts: 'this program' | 'cothink';
  /** Options that it alone takes. */
  options?: Readonly<Record<string, CommandOption>>;
  /** Those of them that must be given. */
  needs?: readonly string[];
  /** A condition on `--out`, in a few words. */
  onOut?: string;
  example: readonly [line: string, does: string];
}

/** A launch on its way to an engine. */
export interface Handed {
  launch: Launch;
  given: CommandArguments;
  /** Where its runs come to. */
  folder: string;
  /** The shell words that start this program. */
  own: string;
}

export interface Following {
  /** Is told how many tasks are done so far. */
  hear: (done: number) => void;
  isStopped: () => boolean;
}

export interface LaunchResult {
  /** The task. */
  name: string;
  /** The archive of its run; null where the task failed. */
  archive: Uint8Array | null;
  error: string | null;
}

export interface Launcher {
  /** Writes what the engine reads into the folder; absent where it is all sent. Throws ConfigError. */
  write?: (handed: Handed) => Promise<void>;
  /**
   * Hands the launch over and follows it to its end. Answers what came back; runs that the tasks leave in the folder themselves
   * are not among it. Throws ConfigError where the engine does not answer or refuses.
   */
  run: (handed: Handed, following: Following) => Promise<LaunchResult[]>;
}
