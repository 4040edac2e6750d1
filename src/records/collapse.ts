// Detects that a run has collapsed, and finds the checkpoint to which it can return. After a collapse, the page pauses
// the run, and the command line ends the run. If the run returns to the checkpoint, it continues with a tenth of its
// learning rate. Without this change it would collapse again, because all its random numbers are reproducible.
import { changeWords, fieldAt } from '../config/describe.ts';
import type { Evaluation } from './metrics.ts';
import type { RunRecord } from './stored/checkpoint.ts';

/** The settings that determine which held-out problems are used, apart from their number. */
export const placePaths = ['world.name', 'world.level'] as const;

/** The changes of a run's world or level, each with its iteration. */
export const movesOf = ({ changes }: Pick<RunRecord, 'changes'>) =>
  changes.filter(({ path }) => (placePaths as readonly string[]).includes(path));

/** A run and its evaluations, which are in the order of iterations. */
export interface Measured {
  run: RunRecord | null;
  evaluations: readonly Evaluation[];
}

/**
 * The newest evaluations with the same world and level; evaluations before the last change of world or level are left
 * out, because they were measured on other problems.
 */
export function inOnePlace({ evaluations, run }: Measured): readonly Evaluation[] {
  const newest = evaluations.at(-1)?.iteration ?? 0;
  const move = run ? movesOf(run).findLast(({ iteration }) => iteration < newest) : undefined;
  return move ? evaluations.filter(({ iteration }) => iteration > move.iteration) : evaluations;
}

/** A drop of the accuracy, from the best value (`from`) to the newest one (`to`). */
export interface Fall {
  from: number;
  to: number;
}

/**
 * The drop, if the newest accuracy is clearly below the best accuracy; otherwise null. All evaluations must have the
 * same world and level.
 */
export function fallOf(evaluations: readonly Evaluation[]): Fall | null {
  const last = evaluations.at(-1);
  if (!last || last.iteration === 0) return null;
  const best = evaluations.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
  const isFallen = last.high < best.low && best.accuracy - last.accuracy > 0.1;
  return isFallen ? { from: best.accuracy, to: last.accuracy } : null;
}

/**
 * How a collapsed run can continue: the checkpoint to which it returns, and the setting that is changed when it
 * continues.
 */
export interface WayBack {
  /** Iteration of the checkpoint. */
  iteration: number;
  /** The accuracy in the last evaluation before the drop. */
  accuracy: number;
  path: string;
  value: number;
  /** The changed setting in words, such as `learning rate 0.001`. */
  words: string;
}

/** Finds the last checkpoint before the accuracy dropped. Null if there is no such checkpoint. */
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
