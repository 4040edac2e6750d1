// Converts samples to rows: medians, minima, rates, and ratios to the reference engine of each row.
import { loadavg } from 'node:os';
import { median } from '../../src/base/stats.ts';
import { machine } from '../shared/runner.ts';
import type { DeviceSpeed } from '../gpu/floor.ts';
import { exactEngines, ways } from './engine.ts';
import type { Part } from './plan.ts';
import type { Sample } from './process.ts';
import type { Measured } from './rounds.ts';
import { stepWork, stretchedWork, updateBytes, updateOperations, type StepWork } from './work.ts';

export type Row = ReturnType<typeof rowOf> & {
  /** The deviation of an update's time per operation from that of 64 × 16. */
  deviation?: number;
  deviationOfMinima?: number;
  deviationOfCpu?: number;
};

const largestLossGap = 1e-4;

/** Returns one row for each engine. Throws if engines with the same weights and tokens have different losses. */
export function rowsOf(part: Part, measured: readonly Measured[]): Row[] {
  if (part === 'A' || part === 'B' || part === 'chromium') refuseOtherWork(measured);
  const rows: Row[] = measured.map(rowOf);
  for (const row of rows) {
    const [engine, backend] = referenceOf(part, row);
    const found = rows.find(
      (other) =>
        other.engine === engine &&
        other.backend === backend &&
        other.workload === row.workload &&
        !other.variant &&
        (backend !== 'webgpu' || other.adapter === row.adapter),
    );
    if (!found || row.n === 0 || found.n === 0) continue;
    row.reference = `${engine} on ${backend}`;
    row.ratioOfMedians = share(row.msMedian, found.msMedian);
    row.ratioOfMinima = share(row.msMin, found.msMin);
    row.ratioOfCpu = share(row.cpuMsMedian, found.cpuMsMedian);
  }
  if (part === 'rollout') noteTokens(measured, rows);
  if (part === 'growth') addDeviations(rows);
  return rows;
}

function referenceOf(part: Part, { backend }: Row): [engine: string, backend: string] {
  switch (part) {
    case 'A':
    case 'B':
    case 'chromium':
      return ['tfjs', backend === 'webgpu' ? 'webgpu' : 'wasm'];
    case 'C':
      return ['cothink', 'wasm'];
    case 'rollout':
      return ['full forward', backend];
    case 'growth':
      return ['', ''];
  }
}

function rowOf({ entry, opened, absent, samples }: Measured) {
  const { workload, engine } = entry;
  const work = workOf(entry);
  const of = (pick: (sample: Sample) => number | null | undefined) =>
    samples.map(pick).filter((x): x is number => typeof x === 'number' && Number.isFinite(x));
  const middle = (pick: (sample: Sample) => number | null | undefined) => {
    const numbers = of(pick);
    return numbers.length > 0 ? median(numbers) : null;
  };
  // An engine that runs in a process of its own reports its duration itself.
  const time = ({ ms, extra }: Sample) => extra['ms'] ?? ms;
  const msMedian = middle(time);
  const tokens = middle((sample) => sample.tokens ?? (work ? work.rows * work.length : null));
  const readbacks = samples[0]?.extra['readbacks'];
  const isGpu = entry.backend === 'webgpu';
  const dispatches = isGpu ? middle((sample) => sample.dispatches) : null;
  const gpuMs = middle(({ extra }) => extra['gpuMs']);
  const note = absent ? `absent: ${absent}` : opened?.note;
  return {
    workload: nameOf(entry),
    engine,
    backend: entry.backend,
    adapter: opened?.adapter ?? '',
    /** A variant of this engine in addition to its usual form. */
    ...(entry.variant !== undefined && { variant: entry.variant }),
    /**
     * The machine of the measurement, the CPU kernels of Cothink on it, and its load at the end. If the load is above
     * the number of cores, the times are not reliable.
     */
    machine,
    loadAverage: Number((loadavg()[0] ?? 0).toFixed(1)),
    parameters: opened?.parameters ?? null,
    n: samples.length,
    msMedian,
    msMin: samples.length > 0 ? Math.min(...of(time)) : null,
    /** Processor time of the process, all threads. */
    cpuMsMedian: middle(({ cpuMs, extra }) => (extra['ms'] === undefined ? cpuMs : null)),
    /**
     * Processor time until all work was submitted to the device, and the part of it outside `queue.submit`; only if
     * there is a device.
     */
    submitMsMedian: middle(({ submitMs }) => submitMs),
    encodeMsMedian: middle(({ encodeMs }) => encodeMs),
    dispatches,
    submits: isGpu ? middle(({ submits }) => submits) : null,
    tokensPerSecond: msMedian !== null && tokens !== null ? (1000 * tokens) / msMedian : null,
    /**
     * The reference of the ratios: engine and backend of another row of this workload, on the same adapter for webgpu.
     */
    reference: null as string | null,
    ratioOfMedians: null as number | null,
    ratioOfMinima: null as number | null,
    /** The ratio of the medians of processor time, which other work on the machine disturbs least. */
    ratioOfCpu: null as number | null,
    /** The device's own measurement of its work, if it supports this. */
    ...(gpuMs !== null && { gpuMsMedian: gpuMs }),
    ...(dispatches && msMedian !== null && opened?.speed && floorOf(opened.speed, { dispatches, msMedian, work })),
    /** Reads from the backend in one turn. */
    ...(readbacks !== undefined && { readbacks }),
    /** Floating-point operations of one update. */
    ...(workload === 'growth' && work && { operations: updateOperations(work) }),
    ...(note !== undefined && { note }),
  };
}

/**
 * Returns the lower limit of the time of such an update on this device, and its share of the median. The limit is
 * dispatches · launch, or bytes / bandwidth if that is more; bytes are known only for a single update.
 */
function floorOf(
  { launchMicroseconds, bytesPerSecond }: DeviceSpeed,
  { dispatches, msMedian, work }: { dispatches: number; msMedian: number; work: StepWork | null },
) {
  const launchesMs = (dispatches * launchMicroseconds) / 1000;
  const bytesMs = work ? (1000 * updateBytes(work)) / bytesPerSecond : 0;
  const floorMs = Math.max(launchesMs, bytesMs);
  const floorOf = launchesMs >= bytesMs ? 'launches' : 'bytes';
  return { floorMs, floorOf, shareOfFloor: floorMs / msMedian, launchMicroseconds, bytesPerSecond };
}

function workOf({ workload, rows = 0, length = 0 }: Measured['entry']) {
  if (workload === 'growth') return stretchedWork(rows, length);
  return workload === 'A' || workload === 'B' ? stepWork(workload) : null;
}

function nameOf({ workload, rows, length }: Measured['entry']): string {
  if (workload === 'growth') return `growth ${rows} × ${length}`;
  return workload === 'rollout' && length ? `rollout, ${length} tokens` : workload;
}

const share = (x: number | null, of: number | null) => (x === null || of === null ? null : x / of);

function refuseOtherWork(measured: readonly Measured[]): void {
  // If several updates are performed before a read, the read loss is a later one.
  const exact = measured.filter(
    ({ entry, warm }) =>
      exactEngines.includes(entry.engine) && (ways[entry.variant ?? '']?.updates ?? 1) === 1 && warm.length > 0,
  );
  for (const { entry, warm } of exact) {
    warm.forEach(({ loss }, step) => {
      const expected = exact[0]?.warm[step]?.loss ?? loss;
      if (!(Math.abs(loss - expected) < largestLossGap))
        throw new Error(`${entry.engine} on ${entry.backend}: loss ${loss} at step ${step + 1}, expected ${expected}`);
    });
  }
}

/**
 * Adds a note to rows whose tokens differ from the cached way, as is possible if a draw falls between their roundings.
 */
function noteTokens(measured: readonly Measured[], rows: Row[]): void {
  const sums = measured.map(({ samples }) => samples[0]?.extra['checksum']);
  rows.forEach((row, i) => {
    const first = rows.findIndex(({ workload, backend }) => workload === row.workload && backend === row.backend);
    if (sums[i] !== sums[first]) row.note = `${row.note ?? ''}; not quite the same tokens as the cached way`;
  });
}

function addDeviations(rows: Row[]): void {
  const perOperation = (of: 'msMedian' | 'msMin' | 'cpuMsMedian', row: Row | undefined) =>
    (row?.[of] ?? Number.NaN) / (row?.operations ?? Number.NaN);
  for (const row of rows) {
    const base = rows.find(({ backend }) => backend === row.backend);
    row.deviation = perOperation('msMedian', row) / perOperation('msMedian', base) - 1;
    row.deviationOfMinima = perOperation('msMin', row) / perOperation('msMin', base) - 1;
    row.deviationOfCpu = perOperation('cpuMsMedian', row) / perOperation('cpuMsMedian', base) - 1;
  }
}
