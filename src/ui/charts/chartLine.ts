// Describes the content of a chart as plain data.
import { brief, decimal } from '../words.ts';
import { say } from '../../state/visitor/language.svelte.ts';

/** The names of colours in the theme. */
type ColourName = 'ink' | 'mute' | 'meta' | 'reason' | 'first' | 'second' | 'third';

export interface ChartLine {
  /** The name of the line in the legend above the plot; empty if there is only one line. */
  label: string;
  /** The name of the line's column in the data of a saved figure, if this name differs from the label. */
  column?: string;
  colour: ColourName;
  /** One value for each entry of the chart's `iterations`. */
  values: readonly (number | null)[];
  /** An interval around each value, drawn as a band. */
  low?: readonly (number | null)[];
  high?: readonly (number | null)[];
  /** The width of the line in CSS pixels. */
  width?: number;
  dash?: readonly number[];
  hasPoints?: boolean;
}

/** A horizontal dotted line across the chart. */
export interface ChartLevel {
  label: string;
  value: number;
  /** The range in which a measured value would lie by chance, drawn as a band. */
  low?: number;
  high?: number;
}

/** The last finite value and its index. */
export function lastValue(values: readonly (number | null)[]): { index: number; value: number } | null {
  const index = values.findLastIndex((value) => Number.isFinite(value));
  return index < 0 ? null : { index, value: values[index] as number };
}

/** Formats a number on an axis with few digits, because the exact number is shown next to the title. */
export function axisNumber(y: number): string {
  if (Math.abs(y) >= 10) return decimal(y, 0);
  if (Math.abs(y) >= 1 || y === 0) return decimal(y, Number.isInteger(y) ? 0 : 1);
  return brief(y).replace(/^(−?\d[.,]\d*?)0+$/, '$1');
}

/** The smallest and the largest finite number in all lines, bands and levels; null if there is no such number. */
export function extent(lines: readonly ChartLine[], levels: readonly ChartLevel[]): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  const take = (x: number | null | undefined) => {
    if (x === null || x === undefined || !Number.isFinite(x)) return;
    if (x < low) low = x;
    if (x > high) high = x;
  };
  for (const line of lines) for (const xs of [line.values, line.low, line.high]) xs?.forEach(take);
  levels.forEach((level) => take(level.value));
  return low <= high ? [low, high] : null;
}

/**
 * The chart in one sentence for screen readers, such as `Entropy: meta-thinking 0.50 at the start, 0.21 at iteration 96.`
 */
export function spokenChart(
  title: string,
  iterations: readonly number[],
  lines: readonly ChartLine[],
  { write, place = say('iteration') }: { write: (x: number) => string; place?: string },
): string {
  const said = lines.flatMap((line) => {
    const last = lastValue(line.values);
    if (!last) return [];
    const first = line.values.find((value) => value !== null) ?? last.value;
    return say('{label} {first} at the start, {value} at {place} {iterations}', {
      label: line.label,
      first: write(first),
      value: write(last.value),
      place,
      iterations: iterations[last.index] ?? 0,
    }).trim();
  });
  return said.length > 0 ? `${title}: ${said.join('; ')}.` : say('{title}: nothing measured yet.', { title });
}

/** The index of the position nearest to `x`; null if there is none. The positions are in ascending order. */
export function nearest(places: readonly number[], x: number): number | null {
  const after = places.findIndex((place) => place >= x);
  if (after < 0) return places.length > 0 ? places.length - 1 : null;
  const isBefore = after > 0 && x - (places[after - 1] as number) < (places[after] as number) - x;
  return isBefore ? after - 1 : after;
}

/**
 * The index in the chart of the past iteration that is inspected. In the chart of a long run, each entry stands for
 * several iterations; the index is then that of the entry with this iteration. If no past iteration is inspected, the
 * index is −1.
 */
export const placeOf = (iterations: readonly number[], at: number | null): number =>
  at === null ? -1 : iterations.findIndex((iteration) => iteration >= at);
