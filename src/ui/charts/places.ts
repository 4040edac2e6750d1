// Prepares evaluations for display if there are several places, that is, pairs of a world and a level. All places are
// shown as table rows, and the places of training problems also as chart lines.
import { placesWords } from '../../config/describe.ts';
import type { Evaluation, IterationMetrics, MetricName, PlaceMeasured } from '../../records/metrics.ts';
import { decimal } from '../words.ts';
import { say } from '../../state/visitor/language.svelte.ts';
import { sliceLooks } from './accuracyLines.ts';
import type { ChartLine } from './chartLine.ts';

interface Change {
  /** The accuracy in the first measurement; null if the newest measurement is also the first measurement. */
  before: number | null;
  now: number;
  ceiling: number | undefined;
  title: string;
}

export interface PlaceRow {
  world: string;
  level: number;
  heldOut: Change | null;
  harder: Change | null;
}

/**
 * The rows of the table, in the order of the newest evaluation. `measured` contains evaluations in order of iteration.
 */
export function placeRows(measured: readonly Evaluation[]): PlaceRow[] {
  const newest = measured.at(-1)?.places ?? [];
  const change = (of: PlaceMeasured | undefined): Change | null => {
    if (!of) return null;
    const first = measured.find(({ places }) => places?.some((place) => isSamePlace(place, of)));
    const isFirst = first === measured.at(-1);
    return {
      before: isFirst ? null : (first?.places?.find((place) => isSamePlace(place, of))?.accuracy ?? null),
      now: of.accuracy,
      ceiling: of.ceiling,
      title:
        say('{low} to {high}, 95 % interval over {problems} problems', {
          low: decimal(of.low),
          high: decimal(of.high),
          problems: of.problems,
        }) +
        (isFirst ? '' : say('; the earlier value is from iteration {iteration}', { iteration: first?.iteration ?? 0 })),
    };
  };
  const rows = new Map<string, PlaceRow>();
  for (const { world, level } of newest) {
    const split = (wanted: PlaceMeasured['split']) =>
      change(newest.find((place) => isSamePlace(place, { world, level, split: wanted })));
    rows.set(`${world} ${level}`, { world, level, heldOut: split('heldOut'), harder: split('harder') });
  }
  return [...rows.values()];
}

type Place = Pick<PlaceMeasured, 'world' | 'level' | 'split'>;
const isSamePlace = (a: Place, b: Place) => a.world === b.world && a.level === b.level && a.split === b.split;

/**
 * The lines of a metric that is recorded separately for each world and level. If the problems came from only one world
 * and level, there are no lines.
 */
export function placeLines(name: MetricName, metrics: readonly IterationMetrics[]): ChartLine[] {
  const kept = metrics.flatMap(({ values }) => Object.keys(values).filter((key) => key.startsWith(`${name}/`)));
  return [...new Set(kept)].map((key, i) => {
    const [world = '', level] = key.slice(name.length + 1).split(' ');
    return {
      label: placesWords([{ name: world, level: Number(level), weight: 1 }]),
      column: key,
      ...(sliceLooks[i % sliceLooks.length] as (typeof sliceLooks)[number]),
      width: 1.5,
      values: metrics.map(({ values }) => values[key] ?? null),
    };
  });
}
