// The history that a run's record holds, and what of it a link cannot carry.
import type { RunRecord } from './checkpoint.ts';
import type { RunHistory } from './history.ts';

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
