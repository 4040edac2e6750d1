// Computes the curves of several runs on a common axis. Each run has a curve. An arm with several seeds also has a
// curve of their mean, with its interval.
import { tInterval } from '../../base/intervals.ts';
import type { Arm } from './arms.ts';
import { placesOf, type Axis } from './differences.ts';
import type { StoredCurves } from './storedCurves.ts';

/** The quantity that a curve shows: accuracy, or a metric by its name. */
export type CurveMetric = { metric: string } | 'accuracy';

export interface Curve {
  /** Index in the list of arms. */
  arm: number;
  /** The seed of the run; null if the curve shows the mean of an arm. */
  seed: number | null;
  /** One value per position. */
  values: (number | null)[];
  low?: (number | null)[];
  high?: (number | null)[];
}

export interface Curves {
  /** The positions on the axis (iterations or numbers of tokens), in ascending order. */
  places: number[];
  curves: Curve[];
}

const finite = (x: number | undefined) => (x !== undefined && Number.isFinite(x) ? x : null);

/** The points of one run, by position. */
function pointsOf(run: StoredCurves, what: CurveMetric, axis: Axis) {
  const place = placesOf(run, axis);
  const of = (iteration: number, point: Point): [number, Point][] => {
    const at = place(iteration);
    return at === null ? [] : [[at, point]];
  };
  if (what === 'accuracy')
    return new Map(
      run.evaluations.flatMap(({ iteration, accuracy, low, high }) => of(iteration, { value: accuracy, low, high })),
    );
  return new Map(
    run.metrics.flatMap(({ iteration, values }) => {
      const value = finite(values[what.metric]);
      return value === null ? [] : of(iteration, { value });
    }),
  );
}
interface Point {
  value: number;
  low?: number;
  high?: number;
}

/**
 * The curves of all runs, and the mean curve of each arm with several seeds. The single runs of such an arm have no
 * interval. The mean is computed at positions at which all runs of the arm were measured, with a t-interval over the
 * seeds. If the axis is the number of tokens, there is no mean, because the runs were measured at different numbers of
 * tokens.
 */
export function curvesOf(arms: readonly Arm[], what: CurveMetric, axis: Axis): Curves {
  const points = arms.map(({ runs }) => runs.map((run) => pointsOf(run, what, axis)));
  const places = [...new Set(points.flat().flatMap((of) => [...of.keys()]))].sort((a, b) => a - b);
  const curves = points.flatMap((ofArm, arm): Curve[] => {
    const isAlone = ofArm.length === 1;
    const each = ofArm.map((of, i): Curve => {
      const at = places.map((place) => of.get(place));
      const hasBand = isAlone && at.some((point) => point?.low !== undefined);
      return {
        arm,
        seed: arms[arm]?.runs[i]?.run.config.run.seed ?? null,
        values: at.map((point) => point?.value ?? null),
        ...(hasBand && { low: at.map((point) => point?.low ?? null), high: at.map((point) => point?.high ?? null) }),
      };
    });
    if (isAlone || axis === 'tokens') return each;
    const means = places.map((place) => {
      const all = ofArm.flatMap((of) => of.get(place)?.value ?? []);
      return all.length < ofArm.length ? null : tInterval(all);
    });
    const mean: Curve = {
      ...{ arm, seed: null },
      values: means.map((one) => one?.mean ?? null),
      low: means.map((one) => one?.low ?? null),
      high: means.map((one) => one?.high ?? null),
    };
    return [mean, ...each];
  });
  return { places, curves };
}

/** The given metrics that are available in at least one of the runs. */
export const knownMetrics = <Name extends string>(arms: readonly Arm[], names: readonly Name[]): Name[] =>
  names.filter((name) =>
    arms.some(({ runs }) => runs.some(({ metrics }) => metrics.some(({ values }) => values[name] !== undefined))),
  );
