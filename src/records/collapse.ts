// Detects that a run has collapsed, and finds the checkpoint to which it can return. The page, which pauses the run,
// and the command line, which ends it, use the same rule. Every random number has a fixed address, so an unchanged run
// would collapse again. It therefore continues with a tenth of its learning rate.
import { changeWords, fieldAt } from '../config/describe.ts';
import type { Evaluation } from './metrics.ts';
import type { RunRecord } from './stored/checkpoint.ts';

/**
 * The settings that determine which held-out problems are used, in addition to their number. These problems are not
 * drawn at random.
 */
export const placePaths = ['world.name', 'world.level'] as const;

/** The iterations at which a run changed its world or level, and the settings that changed it. */
export const movesOf = ({ changes }: Pick<RunRecord, 'changes'>) =>
  changes.filter(({ path }) => (placePaths as readonly string[]).includes(path));

/** A run and its measurements, which are in order of iteration. */
export interface Measured {
  run: RunRecord | null;
  evaluations: readonly Evaluation[];
}

/** The newest evaluations with the same world and level; evaluations before a change of either used other problems. */
export function inOnePlace({ evaluations, run }: Measured): readonly Evaluation[] {
  const newest = evaluations.at(-1)?.iteration ?? 0;
  const move = run ? movesOf(run).findLast(({ iteration }) => iteration < newest) : undefined;
  return move ? evaluations.filter(({ iteration }) => iteration > move.iteration) : evaluations;
}

/** The best accuracy of a run and its current one. */
export interface Fall {
  from: number;
  to: number;
}

/**
 * The drop if accuracy is clearly below the best one, otherwise null; the evaluations must have the same world and
 * level.
 */
export function fallOf(evaluations: readonly Evaluation[]): Fall | null {
  const last = evaluations.at(-1);
  if (!last || last.iteration === 0) return null;
  const best = evaluations.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
  const isFallen = last.high < best.low && best.accuracy - last.accuracy > 0.1;
  return isFallen ? { from: best.accuracy, to: last.accuracy } : null;
}

/** The checkpoint to which a collapsed run can return, and the setting that is changed there. */
export interface WayBack {
  /** Iteration of the checkpoint. */
  iteration: number;
  /** Accuracy of the last evaluation before it fell. */
  accuracy: number;
  path: string;
  value: number;
  /** `learning rate 0.001` */
  words: string;
}

/** The last checkpoint at which accuracy was still as good as the best one; null if there is no such checkpoint. */
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
