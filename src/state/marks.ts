// What happened to a run on its way, for charts and timeline: where it was forked, changed, or given other pairs.
import { changeWords } from '../config/runName.ts';
import type { RunRecord } from '../records/checkpoint.ts';

export interface Mark {
  iteration: number;
  /** `After iteration 15: learning rate 0.001.` */
  words: string;
}

/** By rising iteration, one for each at which something happened. */
export function marksOf({ changes, imports = [], forkedFrom }: RunRecord): Mark[] {
  const happened = new Map<number, string[]>();
  const note = (iteration: number, words: string) =>
    happened.set(iteration, [...(happened.get(iteration) ?? []), words]);
  if (forkedFrom) note(forkedFrom.iteration, `forked from ${forkedFrom.name}`);
  for (const { iteration, path, value } of changes) note(iteration, changeWords(path, value));
  for (const { iteration, name } of imports) if (iteration > 0) note(iteration, `pairs of ${name}`);
  return [...happened]
    .sort(([one], [other]) => one - other)
    .map(([iteration, words]) => ({ iteration, words: `After iteration ${iteration}: ${words.join('; ')}.` }));
}
