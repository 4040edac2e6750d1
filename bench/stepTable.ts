// Rows of the step bench: what is kept of the samples, how it is printed, and bench/results/step.json.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { median } from '../src/base/stats.ts';
import { processor } from './nodeBackend.ts';
import { exactEngines } from './stepEngine.ts';
import type { Measured } from './stepRounds.ts';
import { stepWork, stretchedWork, updateOperations } from './stepWork.ts';

const file = 'bench/results/step.json';

export interface Row {
  workload: string;
  engine: string;
  backend: string;
  adapter: string;
  parameters: number | null;
  n: number;
  msMedian: number | null;
  msMin: number | null;
  /** Processor time of all threads. */
  cpuMsMedian: number | null;
  /** Synchronous part of a step; only where the work goes to a device. */
  submitMsMedian: number | null;
  dispatches: number | null;
  submits: number | null;
  tokensPerSecond: number | null;
  /** Of the reference of its workload: stock tfjs on wasm for A and B, our composed ops on wasm for C, the full forward for rollouts. */
  ratioOfMedians: number | null;
  ratioOfMinima: number | null;
  /** Reads from the backend in one turn. */
  readbacks?: number;
  /** Floating-point operations of one update, and how far its time for one operation is from that of 64 × 16. */
  operations?: number;
  deviation?: number;
  deviationOfMinima?: number;
  note?: string;
}

const references: Record<string, [engine: string, backend: string]> = {
  A: ['tfjs', 'wasm'],
  B: ['tfjs', 'wasm'],
  C: ['cothink', 'wasm'],
};
const largestLossGap = 1e-4;

/** One row for each engine, with its ratio to the reference of the workload. */
export function rowsOf(part: string, measured: readonly Measured[]): Row[] {
  const rows = measured.map(rowOf);
  for (const row of rows) {
    const [engine, backend] = references[part] ?? ['full forward', row.backend];
    const reference = part === 'growth' ? undefined : rows.find((other) => other.engine === engine && other.backend === backend);
    row.ratioOfMedians = share(row.msMedian, reference?.msMedian);
    row.ratioOfMinima = share(row.msMin, reference?.msMin);
  }
  if (part === 'A' || part === 'B') refuseOtherWork(measured);
  if (part === 'rollout') noteTokens(measured, rows);
  if (part === 'growth') addDeviations(rows);
  return rows;
}

function rowOf({ entry, opened, absent, samples }: Measured): Row {
  const { workload, engine, rows = 0, length = 0 } = entry;
  const of = (pick: (sample: Measured['samples'][number]) => number) => samples.map(pick);
  const middle = (numbers: number[]) => (numbers.length > 0 ? median(numbers) : null);
  const msMedian = middle(of(({ ms }) => ms));
  const submits = samples.flatMap(({ submitMs }) => (submitMs === null ? [] : [submitMs]));
  const isGpu = entry.backend === 'webgpu' && samples.length > 0;
  const work = workload === 'growth' ? stretchedWork(rows, length) : workload === 'A' || workload === 'B' ? stepWork(workload) : null;
  const tokens = middle(of((sample) => sample.tokens ?? (work ? work.rows * work.length : 0)));
  const readbacks = samples[0]?.extra['readbacks'];
  return {
    workload: workload === 'growth' ? `growth ${rows} × ${length}` : workload,
    engine,
    backend: opened?.backend ?? entry.backend,
    adapter: opened?.adapter ?? '',
    parameters: opened?.parameters ?? null,
    n: samples.length,
    msMedian,
    msMin: samples.length > 0 ? Math.min(...of(({ ms }) => ms)) : null,
    cpuMsMedian: middle(of(({ cpuMs }) => cpuMs)),
    submitMsMedian: middle(submits),
    dispatches: isGpu ? middle(of((sample) => sample.dispatches)) : null,
    submits: isGpu ? middle(of((sample) => sample.submits)) : null,
    tokensPerSecond: msMedian !== null && tokens !== null ? (1000 * tokens) / msMedian : null,
    ratioOfMedians: null,
    ratioOfMinima: null,
    ...(readbacks !== undefined && { readbacks }),
    ...(workload === 'growth' && work && { operations: updateOperations(work) }),
    ...((absent ?? opened?.note) && { note: absent ? `absent: ${absent}` : opened?.note }),
  };
}

const share = (x: number | null, of: number | null | undefined) => (x === null || !of ? null : x / of);

/** Throws where an engine that has the same weights and tokens does not get the same losses. */
function refuseOtherWork(measured: readonly Measured[]): void {
  const exact = measured.filter(({ entry, warm }) => exactEngines.includes(entry.engine) && warm.length > 0);
  const [first] = exact;
  for (const { entry, warm } of exact) {
    warm.forEach(({ loss }, step) => {
      const expected = first?.warm[step]?.loss ?? loss;
      if (!(Math.abs(loss - expected) < largestLossGap))
        throw new Error(`${entry.engine} on ${entry.backend}: loss ${loss} at step ${step + 1}, expected ${expected}`);
    });
  }
}

/** Says where two ways of decoding did not draw the same tokens. */
function noteTokens(measured: readonly Measured[], rows: Row[]): void {
  const sums = measured.map(({ samples }) => samples[0]?.extra['checksum']);
  rows.forEach((row, i) => {
    if (sums[i] !== undefined && sums[i] !== sums[0]) row.note = `${row.note ?? ''}; other tokens than the first row`;
  });
}

function addDeviations(rows: Row[]): void {
  const [base] = rows;
  for (const row of rows) {
    const relative = (of: (row: Row) => number | null) =>
      (of(row) ?? Number.NaN) / (row.operations ?? 1) / ((of(base as Row) ?? 1) / (base?.operations ?? 1)) - 1;
    row.deviation = relative(({ msMedian }) => msMedian);
    row.deviationOfMinima = relative(({ msMin }) => msMin);
  }
}

/** One line of the table. */
export function describeRow(row: Row): string {
  const ms = (x: number | null) => (x === null ? '–' : x.toFixed(x < 10 ? 2 : 1)).padStart(9);
  const ratio = (x: number | null) => (x === null ? '–' : x.toFixed(3)).padStart(7);
  const percent = (x: number) => `${x >= 0 ? '+' : ''}${(100 * x).toFixed(0)} %`;
  const notes = [
    row.dispatches !== null && `${row.dispatches} dispatches in ${row.submits} submits`,
    row.submitMsMedian !== null && `submitting ${row.submitMsMedian.toFixed(2)} ms`,
    row.readbacks !== undefined && `${row.readbacks} readbacks a turn`,
    row.deviation !== undefined &&
      `${percent(row.deviation)} (minima ${percent(row.deviationOfMinima as number)}) off the operation count`,
    row.note,
  ];
  return [
    row.workload.padEnd(16),
    row.engine.padEnd(13),
    row.backend.padEnd(7),
    `n ${String(row.n).padStart(3)}`,
    `median${ms(row.msMedian)} ms`,
    `least${ms(row.msMin)} ms`,
    `cpu${ms(row.cpuMsMedian)} ms`,
    `× reference${ratio(row.ratioOfMedians)} (minima${ratio(row.ratioOfMinima)})`,
    `${row.tokensPerSecond === null ? '–' : Math.round(row.tokensPerSecond)} tokens/s`,
    row.adapter,
    ...notes.filter(Boolean),
  ].join(' · ');
}

/** Puts the rows in the place of earlier ones of the same workloads on the same adapters. */
export function writeResults(rows: readonly Row[]): void {
  const earlier = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { rows: Row[] }).rows : [];
  const isNew = (old: Row) => rows.some((row) => row.workload === old.workload && isSamePlace(row, old));
  const all = [...earlier.filter((old) => !isNew(old)), ...rows];
  const facts = {
    machine: `${processor}, ${cpus().length} cores`,
    node: process.version,
    operations: 'tokens · (6·M + 6·L·H·D·(T+1)) + 15·P',
    workloadA: describeWork('A'),
    workloadB: describeWork('B'),
  };
  mkdirSync('bench/results', { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...facts, rows: all }, null, 2)}\n`);
}

const isSamePlace = (a: Row, b: Row) => a.engine === b.engine && a.backend === b.backend && a.adapter === b.adapter;

function describeWork(workload: 'A' | 'B'): string {
  const { shape, rows, length } = stepWork(workload);
  return `Llama, ${shape.numLayers} layers, width ${shape.hiddenSize}, ${shape.numHeads} heads, ff ${shape.intermediateSize}, vocabulary ${shape.vocabSize}; ${rows} rows of ${length} tokens`;
}
