// A launcher connects `cothink launch` to an external engine that runs its tasks. Each launcher is in
// src/extensions/launchers/NAME: `facts.ts` is plain data for the help, and `launcher.ts` is loaded once the engine is
// chosen.
import type { CommandArguments, CommandOption } from '../command.ts';
import type { Launch } from './tasks.ts';

export interface LauncherFacts {
  /** The value of `--on` that selects this launcher. */
  name: string;
  label: string;
  /** The sort key in lists. */
  order: number;
  /** How a worker starts cothink unless `--program` overrides it. */
  starts: 'this program' | 'cothink';
  /** Options that only this launcher accepts. */
  options?: Readonly<Record<string, CommandOption>>;
  /** The options in `options` that are required. */
  needs?: readonly string[];
  /** A condition on `--out`, in a few words. */
  onOut?: string;
  example: readonly [line: string, does: string];
}

/** A launch that is handed to an engine. */
export interface Handed {
  launch: Launch;
  given: CommandArguments;
  /** The folder that receives the runs. */
  folder: string;
  /** The shell command that starts this program. */
  own: string;
}

export interface Following {
  /** Called with the number of tasks that are done so far. */
  hear: (done: number) => void;
  isStopped: () => boolean;
}

export interface LaunchResult {
  /** The name of the task. */
  name: string;
  /** The archive of the task's run; null if the task failed. */
  archive: Uint8Array | null;
  error: string | null;
}

export interface Launcher {
  /** Writes the files that the engine reads to the folder; absent if the engine needs no files. Throws ConfigError. */
  write?: (handed: Handed) => Promise<void>;
  /**
   * Submits the launch to the engine and waits until the launch has ended. Returns the results of the tasks, without
   * the runs that the tasks write to the folder themselves. Throws ConfigError if the engine does not respond or
   * refuses the launch.
   */
  run: (handed: Handed, following: Following) => Promise<LaunchResult[]>;
}
