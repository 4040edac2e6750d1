// How a run came about: what it began with and all that was done to it on the way, so that it can be made again.
import type { ForkMode } from '../config/fork.ts';
import type { SettingValue } from '../config/field.ts';
import type { Config } from '../config/schema.ts';
import type { RunRecord } from './checkpoint.ts';
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

/**
 * The history of a run up to an iteration, what is still planned included. Where an earlier version did not note what it
 * began with, it begins with its settings of today, and its changes, which they hold, are left out.
 */
export function historyOf(run: RunRecord, until = Infinity): RunHistory {
  const isBefore = ({ iteration }: { iteration: number }) => iteration <= until;
  const { preset, config, begun, plan, forkedFrom } = run;
  const { iteration = 0, mode, digest, parent } = forkedFrom ?? {};
  return {
    preset,
    config: begun ?? config,
    changes: begun ? [...run.changes, ...(plan?.changes ?? [])].filter(isBefore) : [],
    imports: [...(run.imports ?? []), ...(plan?.imports ?? [])].filter(isBefore),
    ...(mode && parent && { fork: { iteration, mode, ...(digest && { digest }), parent } }),
  };
}

/** What of a run a link cannot hold, in words: `its 2 changes and its fork`; empty where it holds all. */
export function beyondLink({ changes, imports = [], forkedFrom }: RunRecord): string {
  const parts = [
    changes.length > 0 && (changes.length === 1 ? 'its change' : `its ${changes.length} changes`),
    forkedFrom && `what it learned before its fork from ${forkedFrom.name}`,
    imports.length > 0 && 'its imported pairs',
  ].filter((part) => typeof part === 'string');
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}
