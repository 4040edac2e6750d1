// The report on a collapsed run: the fall in accuracy, the checkpoint before it, and how to continue from there.
import { fallOf, inOnePlace, wayBack, type Fall, type WayBack } from '../../src/records/collapse.ts';
import type { Evaluation } from '../../src/records/metrics.ts';
import type { RunRecord } from '../../src/records/stored/checkpoint.ts';
import type { ArchivedRun } from '../../src/storage/archive/archivedRun.ts';

/** The fall in accuracy of a run whose collapse guard is on; null if accuracy did not fall or the guard is off. */
export function collapseOf(run: RunRecord, evaluations: readonly Evaluation[]): Fall | null {
  return run.config.run.guard ? fallOf(inOnePlace({ run, evaluations })) : null;
}

/** The evaluations of a run up to an iteration, in order. */
export async function evaluationsOf(archived: ArchivedRun, until = Infinity): Promise<Evaluation[]> {
  const found: Evaluation[] = [];
  for (const at of archived.iterations.filter((one) => one <= until)) {
    const { evaluation } = await archived.iteration(at);
    if (evaluation) found.push(evaluation);
  }
  return found;
}

const share = (value: number) => value.toFixed(3);

export const fallWords = ({ from, to }: Fall): string => `right answers fell from ${share(from)} to ${share(to)}`;

/** The checkpoint to which a run in a folder can be rewound; null if no checkpoint from before the fall is stored. */
export const wayBackIn = (archived: ArchivedRun, run: RunRecord, evaluations: readonly Evaluation[]): WayBack | null =>
  wayBack({ run, evaluations, checkpoints: archived.checkpoints });

/** Sentences that explain how to rewind. */
export function wayBackWords(way: WayBack | null, folder: string): string {
  if (!way)
    return `There is no checkpoint from before this fall in ${folder}; start again in another folder with a lower learning rate.`;
  const { iteration, accuracy, path, value } = way;
  return [
    `The last good checkpoint of this run is the one after iteration ${iteration} (${share(accuracy)} right) in ${folder}.`,
    `cothink train --resume --at ${iteration} --set ${path}=${value} --out ${folder} continues from there with a tenth of the learning rate; with the same learning rate, the run would fall again in the same way. With --set run.guard=false, a run does not end when its accuracy falls.`,
  ].join(' ');
}

/** The newest stored evaluation, for a run that was already finished when it was resumed. */
export async function newestEvaluation(archived: ArchivedRun): Promise<Evaluation | null> {
  for (const at of archived.iterations.toReversed()) {
    const { evaluation } = await archived.iteration(at);
    if (evaluation) return evaluation;
  }
  return null;
}
