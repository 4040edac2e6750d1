// Shows rows of the step bench as tables in README.md and docs, and with further columns in the terminal.
import { milliseconds, table, type Column } from '../shared/table.ts';
import type { Row } from './row.ts';

const column = {
  workload: ['Workload', ({ workload }) => workload],
  engine: ['Engine', ({ engine, variant }) => (variant ? `${engine}, ${variant}` : engine)],
  backend: ['Backend', ({ backend }) => backend],
  // PyTorch was already installed on the machine, so its version is shown too.
  adapter: ['Adapter', ({ engine, adapter, note }) => (engine === 'pytorch' ? `${adapter}, ${note}` : adapter)],
  median: ['Median ms', ({ msMedian }) => milliseconds(msMedian)],
  reference: ['Compared with', comparison],
} as const satisfies Record<string, Column<Row>>;

const columns: Column<Row>[] = [
  ...[column.workload, column.engine, column.backend, column.adapter, column.median],
  ['n', ({ n }) => n],
  column.reference,
  ['Dispatches', ({ dispatches }) => dispatches],
  ['Submit ms', ({ submitMsMedian }) => milliseconds(submitMsMedian)],
  ['Tokens/s', ({ tokensPerSecond }) => tokensPerSecond && Math.round(tokensPerSecond)],
  ['Floor', ({ shareOfFloor }) => shareOfFloor && percent(shareOfFloor)],
];

/** Columns for developers. */
const furtherColumns: Column<Row>[] = [
  ['Least ms', ({ msMin }) => milliseconds(msMin)],
  ['CPU ms', ({ cpuMsMedian }) => milliseconds(cpuMsMedian)],
  ['Encode ms', ({ encodeMsMedian }) => milliseconds(encodeMsMedian)],
  ['Ratio of minima', ({ ratioOfMinima }) => ratioOfMinima?.toFixed(3)],
  ['Further', further],
];

function further(row: Row): string {
  const parts = [
    row.submits !== null && `${row.submits} submits`,
    row.gpuMsMedian !== undefined && `on the device ${milliseconds(row.gpuMsMedian)} ms`,
    row.floorMs !== undefined && `floor ${row.floorMs.toFixed(3)} ms of ${row.floorOf}`,
    row.readbacks !== undefined && `readbacks a turn: ${row.readbacks}`,
    row.deviation !== undefined &&
      `compared with the operation count: minima ${percent(row.deviationOfMinima as number)}, cpu ${percent(row.deviationOfCpu as number)}`,
    row.parameters !== null && `${row.parameters} parameters`,
    row.note,
  ];
  return parts.filter(Boolean).join('; ');
}

function comparison({ engine, backend, reference, ratioOfMedians, deviation }: Row): string | null {
  if (deviation !== undefined)
    return `${deviation < 0 ? '−' : '+'}${percent(Math.abs(deviation))} from the operation count`;
  if (!reference || ratioOfMedians === null || reference === `${engine} on ${backend}`) return null;
  return `${ratioOfMedians.toFixed(ratioOfMedians < 1 ? 3 : 2)} of ${reference}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

/** Returns these rows with all columns, for the terminal. */
export const describeTable = (rows: readonly Row[]) => table([...columns, ...furtherColumns], rows);

/** Returns the measured rows in the order of the workloads, then the projects that the bench did not find. */
export function stepTable({ rows }: { rows: readonly Row[] }): string {
  const measured = rows.filter(({ n }) => n > 0);
  if (measured.length === 0) return '';
  const order = ['A', 'B', 'C', 'rollout', 'growth'];
  const backends = ['simd', 'simd-threads', 'wasm', 'native', 'cpu', 'webgpu'];
  const placeOf = ({ workload, backend }: Row) =>
    10 * order.findIndex((name) => workload.startsWith(name)) + (workload === 'A' ? backends.indexOf(backend) : 0);
  const machines = new Set(measured.map(({ machine }) => machine).filter(Boolean));
  const load = Math.max(...measured.map(({ loadAverage = 0 }) => loadAverage));
  const isMissing = ({ n, engine, backend }: Row) =>
    n === 0 && !measured.some((row) => row.engine === engine && row.backend === backend);
  const absent = new Set(
    rows.filter(isMissing).map(({ engine, backend, note }) => `${engine} on ${backend} (${note})`),
  );
  const facts = [
    machines.size > 0 &&
      `Measured on ${[...machines].join(' and ')}, with a load average of at most ${load.toFixed(1)}.`,
    absent.size > 0 && `There is no row for ${[...absent].join(', ')}.`,
  ].filter(Boolean);
  const sorted = measured.toSorted((a, b) => placeOf(a) - placeOf(b));
  return [table(columns, sorted), ...facts].join('\n\n');
}

/** Returns the table of the step that all engines can run, on the processor: one row for each engine and backend. */
export function stepShortTable({ rows }: { rows: readonly Row[] }): string {
  const measured = rows.filter(({ n, workload, variant }) => n > 0 && workload === 'A' && !variant);
  const { engine, backend, adapter, median } = column;
  return measured.length === 0 ? '' : table([engine, backend, adapter, median], measured.filter(isOnProcessor));
}

function isOnProcessor({ backend }: Row): boolean {
  return ['simd', 'simd-threads', 'wasm', 'native'].includes(backend);
}
