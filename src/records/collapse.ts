// When a run has collapsed, and where it can go back to: one rule for the page, which pauses it, and for the command
// line, which ends it. Every draw has its address, so an unchanged run would collapse again: it continues with a tenth
// of its learning rate.
import { changeWords, fieldAt } from '../config/describe.ts';
import type { Evaluation } from './metrics.ts';
import type { RunRecord } from './stored/checkpoint.ts';

/** Settings that choose the held-out problems, beside their number: no random draw does. */
export const placePaths = ['world.name', 'world.level'] as const;

/** When a run went to another place, and which setting took it there. */
export const movesOf = ({ changes }: Pick<RunRecord, 'changes'>) =>
  changes.filter(({ path }) => (placePaths as readonly string[]).includes(path));

/** A run with what was measured of it, in order of iteration. */
export interface Measured {
  run: RunRecord | null;
  evaluations: readonly Evaluation[];
}

/** The newest evaluations of one place: those before the world or its level was changed are of other problems. */
export function inOnePlace({ evaluations, run }: Measured): readonly Evaluation[] {
  const newest = evaluations.at(-1)?.iteration ?? 0;
  const move = run ? movesOf(run).findLast(({ iteration }) => iteration < newest) : undefined;
  return move ? evaluations.filter(({ iteration }) => iteration > move.iteration) : evaluations;
}

/** Shares of right answers at a run's best and now. */
export interface Fall {
  from: number;
  to: number;
}

/** Right answers that lie clearly below the best, of evaluations in one place; null where they do not. */
export function fallOf(evaluations: readonly Evaluation[]): Fall | null {
  const last = evaluations.at(-1);
  if (!last || last.iteration === 0) return null;
  const best = evaluations.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
  const isFallen = last.high < best.low && best.accuracy - last.accuracy > 0.1;
  return isFallen ? { from: best.accuracy, to: last.accuracy } : null;
}

/** Where a collapsed run can go back to, and what is changed there. */
export interface WayBack {
  /** Iteration of the checkpoint. */
  iteration: number;
  /** Share right of the last evaluation before the fall. */
  accuracy: number;
  path: string;
  value: number;
  /** `learning rate 0.001` */
  words: string;
}

/** The last checkpoint at which right answers were still as good as the best; null where none is kept. */
export function wayBack({ checkpoints, ...measured }: Measured & { checkpoints: readonly number[] }): WayBack | null {
  const { run } = measured;
  const evaluations = inOnePlace(measured);
  const best = Math.max(...evaluations.map(({ low }) => low));
  const good = evaluations.findLast(({ high }) => high >= best);
  const iteration = checkpoints.findLast((at) => good !== undefined && at <= good.iteration);
  if (!run || !good || iteration === undefined) return null;
  const { method, muonRate, learningRate } = run.config.optimiser;
  const [path, rate] = method === 'muon' ? ['optimiser.muonRate', muonRate] : ['optimiser.learningRate', learningRate];
  const { min = 0 } = fieldAt(path) as { min?: number };
  const value = Math.max(min, Number((rate / 10).toPrecision(3)));
  return { iteration, accuracy: good.accuracy, path, value, words: changeWords(path, value) };
}
