// It learns: from the shipped warm start, a few iterations of the default preset already show.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../src/config/parse.ts';
import { readSafetensors } from '../src/formats/safetensors.ts';
import { runId } from '../src/records/ids.ts';
import { memoryStore } from '../src/records/memoryStore.ts';
import { startingCheckpoint } from '../src/training/start.ts';
import { startCpuEngine } from '../src/training/testing/cpuEngine.ts';
import { openRun } from '../src/training/testing/microRun.ts';

beforeAll(startCpuEngine);

const shipped = () => readSafetensors(readFileSync('public/warmstart/houseRule-1-tiny.safetensors')).tensors;

it('measures', async () => {
  for (const seed of [1,2,3]) {
  const config = parseConfig({ run: { seed, iterations: 12 }, evaluation: { every: 4 } });
  const checkpoint = await startingCheckpoint({ config, runId: runId('learns'), backend: 'simd', loadShipped: () => Promise.resolve(shipped()), onProgress: () => undefined });
  const { session, events } = openRun(checkpoint, { store: memoryStore({ keepsIterations: false }) });
  const t = performance.now();
  await session.train();
  console.log(seed, (performance.now()-t)/1000, events.flatMap(e=>e.kind==='evaluation'?[e.evaluation.iteration+':'+e.evaluation.accuracy.toFixed(3)]:[]).join(' '), events.flatMap(e=>e.kind==='iteration'?[e.metrics.values['charts/training_accuracy']!.toFixed(3)]:[]).join(' '));
  await session.dispose();
  }
}, 400000);
