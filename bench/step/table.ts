// How rows of the step bench are printed and kept in bench/results/step.json.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { growthPlot } from './growthPlot.ts';
import type { Row } from './row.ts';
import { stepWork } from './work.ts';

const file = 'bench/results/step.json';
const plotFile = 'bench/results/growth.svg';

const ms = (x: number | null) => (x === null ? '–' : x.toFixed(x < 10 ? 2 : 1));
const ratio = (x: number | null) => (x === null ? '–' : x.toFixed(3));
const percent = (x: number) => `${x >= 0 ? '+' : ''}${(100 * x).toFixed(0)} %`;

const columns: [head: string, cell: (row: Row) => string][] = [
  ['workload', (row) => row.workload],
  ['engine', (row) => row.engine + (row.variant === undefined ? '' : `, ${row.variant}`)],
  ['backend', (row) => row.backend],
  ['n', (row) => String(row.n)],
  ['median ms', (row) => ms(row.msMedian)],
  ['least ms', (row) => ms(row.msMin)],
  ['cpu ms', (row) => ms(row.cpuMsMedian)],
  ['tokens/s', (row) => (row.tokensPerSecond === null ? '–' : String(Math.round(row.tokensPerSecond)))],
  ['of reference', (row) => ratio(row.ratioOfMedians)],
  ['of minima', (row) => ratio(row.ratioOfMinima)],
  ['dispatches', (row) => String(row.dispatches ?? '–')],
  ['submit ms', (row) => ms(row.submitMsMedian)],
  ['encode ms', (row) => ms(row.encodeMsMedian)],
  ['adapter', (row) => row.adapter || '–'],
  ['further', further],
];

function further(row: Row): string {
  const parts = [
    row.reference && `reference: ${row.reference}`,
    row.submits !== null && `${row.submits} submits`,
    row.gpuMsMedian !== undefined && `on the device ${ms(row.gpuMsMedian)} ms`,
    row.floorMs !== undefined &&
      `floor ${row.floorMs.toFixed(3)} ms of ${row.floorOf}, ${(100 * (row.shareOfFloor as number)).toFixed(0)} % of the median`,
    row.readbacks !== undefined && `readbacks a turn: ${row.readbacks}`,
    row.deviation !== undefined &&
      `${percent(row.deviation)} off the operation count (minima ${percent(row.deviationOfMinima as number)}, cpu ${percent(row.deviationOfCpu as number)})`,
    row.parameters !== null && `${row.parameters} parameters`,
    row.note,
  ];
  return parts.filter(Boolean).join('; ');
}

/** All rows as one table with aligned columns. */
export function describeTable(rows: readonly Row[]): string {
  const cells = [columns.map(([head]) => head), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => (line[at] as string).length)));
  const isText = (at: number) => at < 3 || at > 12;
  return cells
    .map((line) =>
      line
        .map((cell, at) => (isText(at) ? cell.padEnd(widths[at] as number) : cell.padStart(widths[at] as number)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** What was written before. */
export function readRows(from = file): Row[] {
  return existsSync(from) ? (JSON.parse(readFileSync(from, 'utf8')) as { rows: Row[] }).rows : [];
}

/** Puts each row in the place of the one that was made of the same on the same adapter, or behind all others. */
export function writeRows(rows: readonly Row[]): void {
  const isReplaced = (old: Row) =>
    rows.some(
      ({ workload, engine, backend, adapter, variant }) =>
        workload === old.workload &&
        engine === old.engine &&
        backend === old.backend &&
        variant === old.variant &&
        (adapter === old.adapter || old.n === 0),
    );
  const facts = {
    node: process.version,
    operations: 'tokens · (6·M + 6·L·H·D·(T+1)) + 15·P',
    floor: 'the larger of dispatches · launch latency and bytes ÷ bandwidth, both measured on the device',
    workloadA: describeWork('A'),
    workloadB: describeWork('B'),
    workloadC: 'one iteration of the default preset from the shipped warm start: collect, look back, credit, update',
  };
  const all = [...readRows().filter((old) => !isReplaced(old)), ...rows];
  mkdirSync('bench/results', { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...facts, rows: all }, null, 2)}\n`);
  const plot = growthPlot(all);
  if (plot) writeFileSync(plotFile, plot);
}

function describeWork(workload: 'A' | 'B'): string {
  const { shape, rows, length } = stepWork(workload);
  return (
    `Llama, ${shape.numLayers} layers, width ${shape.hiddenSize}, ${shape.numHeads} heads, ff ${shape.intermediateSize}, ` +
    `vocabulary ${shape.vocabSize}; ${rows} rows of ${length} tokens as one microbatch; forward, backward, AdamW with a ` +
    'global clip'
  );
}
