// The explained variance of a critic is the share of the variance of returns that the critic's values explain, overall
// and for the turns of each role. Explained variance is measured on plain returns, before the critic is trained on
// these dialogues. λ-returns are not used, because they contain the critic's own values and would therefore be close
// even to wrong values.
import { placesByKey } from '../../base/groups.ts';
import type { Role } from '../../records/ids.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { explainedVariance } from '../maths/loss.ts';
import type { RowBatch } from '../rows/rows.ts';
import { discountsOf, plainReturns, type Discounts, type Track } from '../rows/tracks.ts';
import { stage } from '../stages/stage.ts';
import { criticRows } from './criticUpdates.ts';

declare module '../stages/stage.ts' {
  interface Parts {
    /** The explained variance; null if the learner has no tracks. */
    explained: Explained | null;
  }
}

export interface Explained {
  /** The explained variance over all turns; NaN if all returns are equal. */
  all: number;
  byRole: Partial<Record<Role, number>>;
}

interface Predicted {
  /** The rows that the critic read, and the values [B·T] that it predicted there. */
  rows: RowBatch;
  values: Float32Array;
  trajectories: readonly Trajectory[];
  discounts: Discounts;
}

/** The explained variance over all steps of these tracks; null if there are no steps. */
export function explainedOf(tracks: readonly Track[], predicted: Predicted): Explained | null {
  if (tracks.length === 0) return null;
  const { rows, values, trajectories, discounts } = predicted;
  const places = tracks.flatMap((track) => {
    const returns = plainReturns(track, discounts);
    return track.places.flatMap((own, step) => own.map((at) => ({ at, followed: returns[step] as number })));
  });
  const roleAt = (at: number) => {
    const { turns } = trajectories[rows.trajectoryIds[Math.floor(at / rows.length)] as number] as Trajectory;
    return turns[rows.turnIds[at] as number]?.role as Role;
  };
  const shareOf = (some: readonly number[]) =>
    explainedVariance(
      some.map((i) => values[places[i]?.at as number] as number),
      some.map((i) => places[i]?.followed as number),
    );
  const byRole = placesByKey(places.map(({ at }) => roleAt(at)));
  return {
    all: shareOf([...places.keys()]),
    byRole: Object.fromEntries([...byRole].map(([role, some]) => [role, shareOf(some)])),
  };
}

export const explainedStage = stage({
  name: 'explained variance',
  phase: 'count',
  reads: ['paid', 'batch', 'before', 'estimate'],
  run: (context) => {
    const { config, paid, estimate } = context;
    const predicted = { ...criticRows(context), trajectories: paid.trajectories, discounts: discountsOf(config) };
    return { explained: explainedOf(estimate.tracks ?? [], predicted) };
  },
});
