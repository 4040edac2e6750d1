// The results of `npm run bench:models`, as the table of docs/results.md.
import { table, type Column } from '../shared/table.ts';
import type { Vectors } from './vectors.ts';
import { type Work, works } from './work.ts';

export interface ModelsRow {
  model: string;
  /** The number format of the weights. */
  format: string;
  backend: 'simd' | 'pytorch' | 'llama.cpp';
  threads: number;
  work: Work;
  tokensPerS: number;
  mostTokensPerS: number;
  /** The speed relative to PyTorch, from medians in the same rounds. */
  ofPytorch?: number;
  ofLlamaCpp?: number;
  /** The speed relative to one thread. */
  ofOneThread?: number;
  /** The ratios from the processor time of all threads, which other work disturbs least. */
  ofPytorchCpu?: number;
  ofLlamaCppCpu?: number;
  /** Peak memory of the process up to the last end of this workload. */
  peakMiB: number;
  /** Peak usage of our kernels' memory during this workload. */
  heapMiB?: number;
  machine: string;
  /** The load of the machine at the end. If it is above the number of cores, the times are not reliable. */
  loadAverage: number;
}

const engines = { simd: 'ours', pytorch: 'PyTorch', 'llama.cpp': 'llama.cpp' };

const workNames: Record<Work, string> = {
  prefill: `one row reads ${works.prefill.heard} tokens`,
  decode1: 'one row generates tokens',
  decode8: 'eight rows generate tokens',
  loraStep: `a step of adapters: ${works.loraStep.rows} rows of ${works.loraStep.heard} tokens`,
  iteration: `an iteration: 2 roles, ${works.iteration.rows} × (${works.iteration.heard} + ${works.iteration.said}) tokens`,
};

/** A ratio by wall-clock time and, after it, by processor time. */
const share = (time?: number, cpu?: number) => time !== undefined && `${time.toFixed(2)} (${cpu?.toFixed(2)})`;

export const modelsColumns: readonly Column<ModelsRow>[] = [
  ['Work', ({ work }) => workNames[work]],
  ['Threads', ({ threads }) => threads],
  ['Engine', ({ backend, format }) => `${engines[backend]}, ${format}`],
  ['Tokens/s', ({ tokensPerS }) => tokensPerS.toFixed(1)],
  ['of PyTorch', ({ ofPytorch, ofPytorchCpu }) => share(ofPytorch, ofPytorchCpu)],
  ['of llama.cpp', ({ ofLlamaCpp, ofLlamaCppCpu }) => share(ofLlamaCpp, ofLlamaCppCpu)],
  ['of one thread', ({ ofOneThread }) => ofOneThread?.toFixed(2)],
  ['Process', ({ peakMiB }) => `${peakMiB} MiB`],
  ['Heap', ({ heapMiB }) => heapMiB !== undefined && `${heapMiB} MiB`],
];

/** How close to PyTorch a page can come, in a sentence. */
const limit = ({ ofFour, pytorch }: Vectors) =>
  `WebAssembly has vectors of four numbers, so one core of this machine can do at most ${ofFour} thousand million multiply-adds per second.` +
  (pytorch === null
    ? ''
    : ` A matrix product of PyTorch, which uses the longer vectors of the processor, does ${pytorch}. In such a product alone, a page reaches at most ${(ofFour / pytorch).toFixed(2)} of the speed of PyTorch; whole workloads also contain operations in which PyTorch is slower.`);

export interface ModelsResults {
  /** Older results do not have this. */
  vectors?: Vectors;
  rows: readonly ModelsRow[];
}

export function modelsTable({ vectors, rows }: ModelsResults): string {
  const order = Object.keys(works);
  const sorted = [...rows].sort((a, b) => order.indexOf(a.work) - order.indexOf(b.work) || a.threads - b.threads);
  const loads = rows.map(({ loadAverage }) => loadAverage);
  const machines = [...new Set(rows.map(({ machine }) => machine))].join('; ');
  const facts = `${rows[0]?.model}, random weights. ${machines}; load average from ${Math.min(...loads)} to ${Math.max(...loads)}.`;
  return [facts, ...(vectors ? [limit(vectors)] : []), table(modelsColumns, sorted)].join('\n\n');
}
