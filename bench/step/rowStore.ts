// Reads and writes the rows of the step bench in bench/results/step.json, and the growth figure next to it.
import { writeFileSync } from 'node:fs';
import { readResults, writeResults } from '../shared/runner.ts';
import { growthPlot } from './growthPlot.ts';
import type { Row } from './row.ts';
import { stepWork } from './work.ts';

/** Returns the stored rows, or the rows of another file. */
export function readRows(file?: string): Row[] {
  return readResults<{ rows: Row[] }>('step', file)?.rows ?? [];
}

/** Stores rows. A new row replaces the row of the same measurement on the same adapter. */
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
  const all = [...readRows().filter((old) => !isReplaced(old)), ...rows];
  writeResults('step', {
    node: process.version,
    operations: 'tokens · (6·M + 6·L·H·D·(T+1)) + 15·P',
    floor: 'the larger of dispatches · launch latency and bytes ÷ bandwidth, both measured on the device',
    workloadA: describeWork('A'),
    workloadB: describeWork('B'),
    workloadC: 'one iteration of the default preset from the shipped warm start: collect, look back, credit, update',
    rows: all,
  });
  const plot = growthPlot(all);
  if (plot) writeFileSync('bench/results/growth.svg', plot);
}

function describeWork(workload: 'A' | 'B'): string {
  const { shape, rows, length } = stepWork(workload);
  return (
    `Llama, ${shape.numLayers} layers, width ${shape.hiddenSize}, ${shape.numHeads} heads, ff ${shape.intermediateSize}, ` +
    `vocabulary ${shape.vocabSize}; ${rows} rows of ${length} tokens as one microbatch; forward, backward, AdamW with a ` +
    'global clip'
  );
}
