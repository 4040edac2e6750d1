// How rows of the step bench are printed and kept in bench/results/step.json.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { processor } from './nodeBackend.ts';
import type { Row } from './stepRow.ts';
import { stepWork } from './stepWork.ts';

const file = 'bench/results/step.json';

/** One line of the table. */
export function describeRow(row: Row): string {
  const ms = (x: number | null) => (x === null ? '–' : x.toFixed(x < 10 ? 2 : 1)).padStart(8);
  const ratio = (x: number | null) => (x === null ? '–' : x.toFixed(3));
  const percent = (x: number) => `${x >= 0 ? '+' : ''}${(100 * x).toFixed(0)} %`;
  const rate = row.tokensPerSecond === null ? '–' : String(Math.round(row.tokensPerSecond));
  const further = [
    row.reference &&
      `${ratio(row.ratioOfMedians)} of ${row.reference} (minima ${ratio(row.ratioOfMinima)}, cpu ${ratio(row.ratioOfCpu)})`,
    row.dispatches !== null && `${row.dispatches} dispatches in ${row.submits} submits`,
    row.submitMsMedian !== null && `submitting ${row.submitMsMedian.toFixed(2)} ms`,
    row.readbacks !== undefined && `readbacks a turn: ${row.readbacks}`,
    row.deviation !== undefined &&
      `${percent(row.deviation)} off the operation count (minima ${percent(row.deviationOfMinima as number)})`,
    row.parameters !== null && `${row.parameters} parameters`,
    row.note,
  ].filter(Boolean);
  return [
    `${row.workload.padEnd(18)} ${row.engine.padEnd(12)} ${row.backend.padEnd(6)} n ${String(row.n).padStart(2)}`,
    `median ${ms(row.msMedian)} ms  least ${ms(row.msMin)}  cpu ${ms(row.cpuMsMedian)}  ${rate.padStart(7)} tokens/s`,
    ...further,
    row.adapter,
  ].join('  ');
}

/** Puts the rows in the place of all earlier ones of their workloads that were made on the same adapters, or nowhere. */
export function writeRows(rows: readonly Row[]): void {
  const earlier = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { rows: Row[] }).rows : [];
  const isReplaced = (old: Row) =>
    rows.some(
      ({ workload, engine, backend, adapter }) =>
        workload === old.workload &&
        engine === old.engine &&
        backend === old.backend &&
        (adapter === old.adapter || old.n === 0),
    );
  const facts = {
    machine: `${processor}, ${cpus().length} cores`,
    node: process.version,
    /** Beside the bench itself, at the end of the newest part: above 2 the numbers are provisional. */
    loadAverage: loadavg()[0]?.toFixed(1),
    operations: 'tokens · (6·M + 6·L·H·D·(T+1)) + 15·P',
    workloadA: describeWork('A'),
    workloadB: describeWork('B'),
  };
  const all = [...earlier.filter((old) => !isReplaced(old)), ...rows];
  mkdirSync('bench/results', { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...facts, rows: all }, null, 2)}\n`);
}

function describeWork(workload: 'A' | 'B'): string {
  const { shape, rows, length } = stepWork(workload);
  return (
    `Llama, ${shape.numLayers} layers, width ${shape.hiddenSize}, ${shape.numHeads} heads, ff ${shape.intermediateSize}, ` +
    `vocabulary ${shape.vocabSize}; ${rows} rows of ${length} tokens; forward, backward, AdamW with a global clip`
  );
}
