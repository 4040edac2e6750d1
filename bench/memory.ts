// What runs with the largest network need on the CPU: `npm run bench:memory`. Each is begun from random weights, its
// memory foretold, and two iterations trained, with an evaluation before and after them; the forecast stands beside the
// measured peak in bench/results/memory.json. Ends with 1 where one of them fails or lies further than a tenth from its forecast.
import { writeFileSync } from 'node:fs';
import * as tf from '@tensorflow/tfjs-core';
import { parseConfig } from '../src/config/parse.ts';
import type { ConfigInput } from '../src/config/schema.ts';
import { memoryBytes } from '../src/engine/memory.ts';
import { checkpointFormat } from '../src/records/checkpoint.ts';
import type { TrainerEvent } from '../src/records/events.ts';
import { runId } from '../src/records/ids.ts';
import { memoryStore } from '../src/training/testing/memoryStore.ts';
import { measureIteration } from '../src/training/preflight/preflight.ts';
import { Session } from '../src/training/run/session.ts';
import { startingCheckpoint } from '../src/training/run/start.ts';
import { startBackend } from './shared/nodeBackend.ts';

const file = 'bench/results/memory.json';

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
  const config = parseConfig({ ...settings, world: { level } });
  const checkpoint = await startingCheckpoint({
    config,
    runId: runId('memory'),
    backend: tf.getBackend(),
    loadShipped: () => Promise.reject(new Error('this bench starts from random weights')),
    onProgress: () => undefined,
  });
  const seen = { peakBytes: 0, failure: '' };
  const emit = (event: TrainerEvent) => {
    if (event.kind === 'profile') seen.peakBytes = Math.max(seen.peakBytes, event.profile.peakBytes);
    if (event.kind === 'failed') seen.failure = `${event.name}: ${event.message}`;
  };
  const run = { format: checkpointFormat, id: checkpoint.runId, name: 'memory', preset: 'default', config };
  const session = new Session({
    run: { ...run, changes: [], backend: checkpoint.backend, createdMs: 0, iteration: 0, isDone: false },
    checkpoint,
    store: memoryStore({ keepsIterations: false }),
    emit,
    now: () => performance.now(),
  });
  const { memoryBytes: foretoldBytes } = await measureIteration(session.learning);
  await session.train();
  await session.dispose();
  const ratio = foretoldBytes / seen.peakBytes;
  const seconds = (performance.now() - started) / 1000;
  return {
    workload: `medium, level ${level}`,
    foretoldBytes,
    ...seen,
    ratio: round(ratio, 3),
    seconds: round(seconds, 0),
  };
}

const round = (value: number, digits: number) => Number(value.toFixed(digits));

const adapter = await startBackend('simd', { ours: true }); // threads change no byte
const rows: Awaited<ReturnType<typeof measure>>[] = [];
for (const level of [1, 3]) {
  const row = await measure(level);
  console.log(
    `${row.workload}: ${(row.foretoldBytes / 2 ** 20).toFixed(0)} MiB foretold, ${(row.peakBytes / 2 ** 20).toFixed(0)} MiB ` +
      `used at most, ratio ${row.ratio}, ${row.seconds} s ${row.failure}`,
  );
  rows.push(row);
  writeFileSync(file, `${JSON.stringify({ adapter, memoryBytes: memoryBytes(), rows }, null, 2)}\n`);
}
if (rows.some(({ ratio, failure }) => failure !== '' || Math.abs(ratio - 1) > 0.1)) process.exitCode = 1;
