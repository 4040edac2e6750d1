// What runs with the largest network need on the CPU: `npm run bench:memory`. Each is begun from random weights, its
// memory foretold, and two iterations trained, with an evaluation before and after them; the forecast stands beside the
// measured peak in bench/results/memory.json. Ends with 1 where one of them fails or lies further than a tenth from its forecast.
import { parseConfig } from '../src/config/parse.ts';
import type { ConfigInput } from '../src/config/schema.ts';
import { memoryBytes } from '../src/engine/memory.ts';
import { measureIteration } from '../src/training/preflight/preflight.ts';
import { memoryStore } from '../src/training/run/memoryStore.ts';
import { microCheckpoint, openRun } from '../src/training/testing/microRun.ts';
import { startBackend } from './shared/nodeBackend.ts';
import { writeResults } from './shared/runner.ts';
import { table, type Column } from './shared/table.ts';

/**
 * Fewer dialogues than usual: of what is held in parts, one part after another, more would need no more memory. All are
 * of full length: from random weights they would end with the first turn, but for a few that chance makes longer.
 */
const settings: ConfigInput = {
  agents: { size: 'medium', stopWhenTruncated: false, maskUnfinished: false },
  learning: { problemsPerIteration: 4 },
  evaluation: { problems: 64, every: 2 },
  warmStart: { source: 'none' },
  run: { iterations: 2 },
};

async function measure(level: number) {
  const started = performance.now();
  const checkpoint = await microCheckpoint(parseConfig({ ...settings, world: { level } }));
  const { session, events } = openRun(checkpoint, {
    store: memoryStore({ keepsIterations: false }),
    now: () => performance.now(),
  });
  const { memoryBytes: foretoldBytes } = await measureIteration(session.trainState);
  await session.train();
  await session.dispose();
  const peaks = events.flatMap((event) => (event.kind === 'profile' ? event.profile.peakBytes : []));
  const failures = events.flatMap((event) => (event.kind === 'failed' ? `${event.name}: ${event.message}` : []));
  const peakBytes = Math.max(0, ...peaks);
  return {
    workload: `medium, level ${level}`,
    foretoldBytes,
    peakBytes,
    failure: failures[0] ?? '',
    ratio: Number((foretoldBytes / peakBytes).toFixed(3)),
    seconds: Math.round((performance.now() - started) / 1000),
  };
}

type Row = Awaited<ReturnType<typeof measure>>;
const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0);
const columns: Column<Row>[] = [
  ['Workload', ({ workload }) => workload],
  ['MiB foretold', ({ foretoldBytes }) => mebibytes(foretoldBytes)],
  ['MiB used at most', ({ peakBytes }) => mebibytes(peakBytes)],
  ['Ratio', ({ ratio }) => ratio],
  ['Seconds', ({ seconds }) => seconds],
  ['Failure', ({ failure }) => failure],
];

const adapter = await startBackend('simd', { ours: true }); // threads change no byte
const rows: Row[] = [];
for (const level of [1, 3]) {
  rows.push(await measure(level));
  writeResults('memory', { adapter, memoryBytes: memoryBytes(), rows });
}
console.log(table(columns, rows));
if (rows.some(({ ratio, failure }) => failure !== '' || Math.abs(ratio - 1) > 0.1)) process.exitCode = 1;
