// Computes the bars and texts of the profiler from the profiles of iterations.
import { mean, median } from '../../base/stats.ts';
import type { IterationMetrics } from '../../records/metrics.ts';
import {
  profileMs,
  profileParts,
  profilePartNames,
  profileTable,
  type IterationProfile,
  type ProfilePart,
  type ProfileRow,
  type ProfileUnit,
} from '../../records/profile.ts';
import { bytes, count, decimal, nothing, percent } from '../words.ts';
import { midSentence, said } from '../../state/visitor/language.svelte.ts';

export interface PartShare {
  part: ProfilePart;
  /** Whether this is the time in which the processor waits for the device in this part of the iteration. */
  isWaiting: boolean;
  label: string;
  ms: number;
  /** The share of the total time, in [0, 1]. */
  share: number;
}

type Parts = Pick<IterationProfile, 'waits'> & { parts: Partial<IterationProfile['parts']> };

/**
 * The parts of an iteration that took any time, in the order in which they are drawn. After each part, the list
 * contains the time in which the part waited for the device.
 */
export function partShares({ parts, waits }: Parts): PartShare[] {
  const whole = withWaits({ parts, waits });
  const total = profilePartNames.reduce((sum, part) => sum + (whole[part] ?? 0), 0);
  const share = (part: ProfilePart, ms: number, isWaiting: boolean): PartShare[] =>
    ms > 0 ? [{ part, isWaiting, label: said(profileParts[part].label), ms, share: ms / total }] : [];
  return profilePartNames.flatMap((part) => {
    const waited = waits[part] ?? 0;
    return [...share(part, (whole[part] ?? 0) - waited, false), ...share(part, waited, true)];
  });
}

/** The two largest parts of an iteration with their waiting times, in words: `52 % rollout, 41 % update`. */
export function largestWords(shares: readonly PartShare[]): string {
  const byLabel = new Map<string, number>();
  for (const { label, share } of shares) byLabel.set(label, (byLabel.get(label) ?? 0) + share);
  return [...byLabel]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 2)
    .filter(([, share]) => share >= 0.1)
    .map(([label, share]) => `${percent(share)} ${midSentence(label)}`)
    .join(', ');
}

/**
 * The time of each part, including the time that it waits for the device. The time of readback includes only waiting
 * times that belong to no other part.
 */
export function withWaits({ parts, waits }: Parts): Partial<Record<ProfilePart, number>> {
  const waited = profilePartNames.reduce((sum, part) => sum + (waits[part] ?? 0), 0);
  return Object.fromEntries(
    profilePartNames.map((part) => {
      const ms = (parts[part] ?? 0) + (waits[part] ?? 0);
      return [part, part === 'readback' ? Math.max(0, ms - waited) : ms];
    }),
  );
}

/** Formats a time for tables, such as `4.2 ms`, `412 ms` or `1.24 s`. */
export function time(ms: number): string {
  if (ms < 9.95) return `${decimal(ms, 1)} ms`;
  return ms < 999.5 ? `${decimal(ms, 0)} ms` : `${decimal(ms / 1000, ms < 9_995 ? 2 : 1)} s`;
}

const writers: Record<ProfileUnit, (value: number) => string> = {
  ms: time,
  bytes,
  count: (value) => (value < 1000 ? decimal(value, Number.isInteger(value) ? 0 : 1) : count(value)),
  perSecond: (value) => `${count(value)}/s`,
};

/** Formats a number of a profile with its unit. If the number cannot be measured, the result is a dash. */
export function write(row: ProfileRow, value: number | null | undefined): string {
  return value === null || value === undefined ? nothing : writers[row.unit](value);
}

/**
 * The rows of the table that are shown. Rows whose number was always zero are left out. Rows about the GPU are shown
 * only if a GPU is used.
 */
export function shownRows(profiles: readonly IterationProfile[], isGpu: boolean): ProfileRow[] {
  return profileTable.filter(({ name }) =>
    name === 'gpuMs' || name === 'submits' ? isGpu : profiles.some((profile) => profile[name] !== 0),
  );
}

/** The mean of a number over the profiles in which it was measured; null if there are no such profiles. */
export function meanOf(
  profiles: readonly IterationProfile[],
  read: (profile: IterationProfile) => number | null,
): number | null {
  const values = profiles.flatMap((profile) => read(profile) ?? []);
  return values.length === 0 ? null : mean(values);
}

/** A bar of the history. Each segment extends from `low` to `high`, which are shares of the chart's height. */
export interface HistoryBar {
  iteration: number;
  segments: { part: ProfilePart; isWaiting: boolean; low: number; high: number }[];
  /** Whether the bar is taller than the chart, so that it is cut off. */
  isCut: boolean;
}

export interface History {
  bars: HistoryBar[];
  /** The number of milliseconds at the top of the chart. */
  topMs: number;
}

/**
 * A bar is cut off if it is higher than this multiple of the median. There are such bars because code is compiled in
 * the first iteration, and because some iterations include an evaluation.
 */
const tallest = 2.5;

/** An iteration with its timing. */
export type Profiled = Required<Pick<IterationMetrics, 'iteration' | 'profile'>>;

/** The iterations as stacked bars with a common scale. */
export function historyBars(profiled: readonly Profiled[]): History {
  if (profiled.length === 0) return { bars: [], topMs: 0 };
  const totals = profiled.map(({ profile }) => profileMs(profile));
  const topMs = Math.max(1e-3, Math.min(Math.max(0, ...totals), tallest * median(totals)));
  const bars = profiled.map(({ iteration, profile }, i): HistoryBar => {
    let low = 0;
    const segments = partShares(profile).flatMap(({ part, isWaiting, ms }) => {
      const high = low + ms / topMs;
      const segment = { part, isWaiting, low: Math.min(1, low), high: Math.min(1, high) };
      low = high;
      return segment.high > segment.low ? [segment] : [];
    });
    return { iteration, segments, isCut: (totals[i] as number) > topMs * (1 + 1e-9) };
  });
  return { bars, topMs };
}
