// How a run came about: what it began with and all that was done to it on the way, so that it can be made again.
import type { ForkMode } from '../config/fork.ts';
import type { SettingValue } from '../config/field.ts';
import type { Config } from '../config/schema.ts';
import type { RunId } from './ids.ts';

/** One change of a setting in mid-run: it acts from the iteration after `iteration` on. */
export interface SettingChange {
  iteration: number;
  path: string;
  value: SettingValue;
}

/** A file of preference pairs that a run learns from, from the iteration after `iteration` on. */
export interface PairImport {
  iteration: number;
  /** Name of the file: for people only. */
  name: string;
  /** SHA-256 of its text. */
  digest: string;
}

/** What is still to happen in a run that is made again, in order. */
export interface RunPlan {
  changes: SettingChange[];
  imports: PairImport[];
}

/** Where a run went on from another, under other parameters. */
export interface Fork {
  iteration: number;
  mode: ForkMode;
  /** SHA-256 of the parent's weights there. */
  digest?: string;
  parent: RunHistory;
}

export interface RunHistory extends RunPlan {
  preset: string;
  /** The settings it began with. */
  config: Config;
  fork?: Fork;
}

/** What a run knows of the one it goes on from; in runs of earlier versions no more than name and iteration. */
export type Origin = { id: RunId; name: string } & Pick<Fork, 'iteration'> & Partial<Omit<Fork, 'iteration'>>;
