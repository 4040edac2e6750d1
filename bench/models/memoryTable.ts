// The results of `npm run bench:memory`, as a table of docs/results.md.
import { table } from '../shared/table.ts';

export interface MemoryRow {
  workload: string;
  forecastBytes: number;
  /** Peak usage in two iterations. */
  peakBytes: number;
  ratio: number;
  /** The time of an iteration, including its share of the evaluations; absent: only memory was measured. */
  forecastMs?: number;
  iterationMs?: number;
  timeRatio?: number;
  failure: string;
  /** How long the forecast took. */
  forecastSeconds?: number;
  /** How long the whole measurement took. */
  seconds: number;
  machine?: string;
}

const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0);
const seconds = (ms?: number) => ms !== undefined && (ms / 1000).toFixed(1);

export function memoryTable(rows: readonly MemoryRow[]): string {
  return table<MemoryRow>(
    [
      ['Run', ({ workload }) => workload],
      ['MiB forecast', ({ forecastBytes }) => mebibytes(forecastBytes)],
      ['Peak MiB', ({ peakBytes }) => mebibytes(peakBytes)],
      ['Ratio', ({ ratio }) => ratio],
      ['Seconds of an iteration, forecast', ({ forecastMs }) => seconds(forecastMs)],
      ['Seconds measured', ({ iterationMs }) => seconds(iterationMs)],
      ['Ratio of times', ({ timeRatio }) => timeRatio],
      ['Seconds of the forecast', ({ forecastSeconds }) => forecastSeconds],
      ['Failure', ({ failure }) => failure],
    ],
    rows,
  );
}
