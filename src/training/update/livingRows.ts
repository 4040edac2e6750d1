// Determines which rows of a step have a gradient. If the loss contains only the policy loss, the gradient is 0 for a
// row in which all tokens have the advantage 0. This is so for all rows of a dead group. Such rows are left out of the
// update. The weights of the policy loss are still computed from all rows of the step, so the gradient does not change.
// Metrics are averaged only over the remaining tokens or spans.
import { placesByKey } from '../../base/groups.ts';
import { criticOf } from '../../config/learners/registry.ts';
import type { Config } from '../../config/schema.ts';
import type { RowBatch } from '../rows/rows.ts';
import type { Objective } from './objectives.ts';

/** The rows of a step, and their [B·T] columns by name. */
interface Step {
  batch: RowBatch;
  columns: Readonly<Record<string, Float32Array>>;
}

/**
 * Whether only living rows (rows with an advantage other than 0) get the entropy bonus. If the value loss or the KL
 * gives all rows a gradient, all rows get the bonus.
 */
export function isBonusOfLiving(config: Config): boolean {
  const { learning, kl } = config;
  return learning.livingEntropy && learning.entCoef > 0 && criticOf(config) !== 'head' && kl.place !== 'loss';
}

interface Context {
  config: Config;
  klCoef: number;
  objective?: Objective;
}

/**
 * Whether rows whose advantages are all 0 have no gradient in this step. They have no gradient if the loss contains no
 * value loss and no KL, and if only living rows get an entropy bonus. If there is a limit of the KL (kl.targetKl), all
 * rows are kept to compute the KL, unless only living rows get the bonus.
 */
function onlyAdvantagesTeach({ columns }: Step, { config, klCoef, objective }: Context): boolean {
  const { learning, kl } = config;
  const hasValues = columns['returns'] !== undefined && learning.vfCoef > 0;
  const isFree = learning.entCoef === 0 && kl.targetKl === 0;
  return (
    !objective &&
    columns['advantages'] !== undefined &&
    !hasValues &&
    klCoef === 0 &&
    (isFree || isBonusOfLiving(config))
  );
}

/** Whether at least one token of a row has an advantage other than 0. `advantages` is [B·T]. */
export function lives({ advantages, length }: { advantages: Float32Array; length: number }, row: number): boolean {
  return advantages.subarray(row * length, (row + 1) * length).some((x) => x !== 0);
}

/**
 * Whether the rows of a step get an entropy bonus. If only living rows get the bonus, this is false for a step in which
 * no row is living.
 */
export function hasBonus({ batch, columns }: Step, rows: readonly number[], config: Config): boolean {
  const { advantages } = columns;
  if (!advantages || !isBonusOfLiving(config)) return true;
  return rows.some((row) => lives({ advantages, length: batch.length }, row));
}

/**
 * Removes rows without a gradient from units, which are lists of rows. With `isTied`, the rows of a unit have a common
 * ratio, so the whole unit is kept if one of its rows has a gradient. If no row of the step has a gradient, the first
 * unit is returned, because the optimiser must still take a step, which uses its momentum.
 */
export function livingUnits(
  units: readonly number[][],
  step: Step,
  { context, isTied }: { context: Context; isTied: boolean },
): readonly number[][] {
  if (!onlyAdvantagesTeach(step, context)) return units;
  const { length } = step.batch;
  const isAlive = (row: number) => lives({ advantages: step.columns['advantages'] as Float32Array, length }, row);
  const living = units
    .map((unit) => (isTied ? (unit.some(isAlive) ? unit : []) : unit.filter(isAlive)))
    .filter((unit) => unit.length > 0);
  return living.length > 0 ? living : units.slice(0, 1);
}

/**
 * Groups of rows that have a common ratio. Each trajectory is given as a list of its rows. Returns null if each
 * token or each turn has its own ratio.
 */
export function tiedRows(
  trajectories: readonly number[][],
  { agentIds }: { agentIds: ArrayLike<number> },
  { learning }: Config,
): readonly number[][] | null {
  if (learning.ratioLevel === 'dialogue') return trajectories;
  if (learning.ratioLevel !== 'trajectory') return null;
  return trajectories.flatMap((rows) =>
    [...placesByKey(rows.map((row) => agentIds[row])).values()].map((own) => own.map((i) => rows[i] as number)),
  );
}
