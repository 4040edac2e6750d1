// The numbers of a run as a table: CSV for spreadsheets and plots, JSON for programs. The table has one row per
// iteration. Metrics have the same names as in the metric table. The numbers of the profile are called `profile/…`, and
// the names of these numbers include the unit.
import { metricTable, type IterationMetrics } from '../../records/metrics.ts';
import { profilePartNames, profileTable } from '../../records/profile.ts';

/**
 * The table as CSV (RFC 4180): a header, then one line per iteration. Values that were not measured are empty; NaN
 * stays NaN.
 */
export function metricsCsv(rows: readonly IterationMetrics[]): string {
  const flat = rows.map(flatRow);
  const known = ['iteration', ...metricNames(rows), ...profileColumns];
  const columns = known.filter((name) => flat.some((row) => name in row));
  const lines = flat.map((row) => columns.map((name) => row[name] ?? '').join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}

/** The table as a JSON array of the records, in which NaN becomes null, because JSON has no NaN. */
export function metricsJson(rows: readonly IterationMetrics[]): string {
  return `${JSON.stringify(rows, null, 1)}\n`;
}

const partColumn = (part: string) => `profile/parts/${part}Ms`;
const tokenNames = ['sampledTokens', 'trainedTokens'] as const;
const waitColumn = (part: string) => `profile/waits/${part}Ms`;
const profileColumns = [
  ...profilePartNames.map(partColumn),
  ...profilePartNames.map(waitColumn),
  ...[...profileTable.map(({ name }) => name), ...tokenNames.filter(isNotInTable)].map((name) => `profile/${name}`),
];

function isNotInTable(name: string): boolean {
  return profileTable.every((row) => row.name !== name);
}

/**
 * The names of all metrics that occur. The metrics in the metric table come first, in the order of the table. All other
 * metrics, such as the metrics of one role, follow.
 */
function metricNames(rows: readonly IterationMetrics[]): string[] {
  const found = new Set(rows.flatMap(({ values }) => Object.keys(values)));
  const listed = metricTable.map(({ name }): string => name).filter((name) => found.has(name));
  return [...new Set([...listed, ...found])];
}

/** All numbers of an iteration, by the name of their column. */
export function flatRow({ iteration, values, profile }: IterationMetrics): Record<string, number> {
  const row: Record<string, number> = { iteration, ...values };
  if (!profile) return row;
  const { parts, waits, ...numbers } = profile;
  for (const part of profilePartNames) row[partColumn(part)] = parts[part];
  for (const [part, ms] of Object.entries(waits)) row[waitColumn(part)] = ms;
  for (const [name, value] of Object.entries(numbers)) if (value !== null) row[`profile/${name}`] = value;
  return row;
}
