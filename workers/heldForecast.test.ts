// Tests the memory forecast for a run on a large model. For such a model, the trial has only a few trajectories.
import { expect, it } from 'vitest';
import { withSettings } from '../src/config/parse.ts';
import { heldFile } from '../src/formats/givenFile.ts';
import { digestOf, givenOf } from '../src/formats/llama/llamaModel.ts';
import { readLlama } from '../src/formats/llama/readLlama.ts';
import { heldConfig, heldGguf } from '../src/formats/testing/heldBase.ts';
import { runId } from '../src/records/ids.ts';
import { introduceModel, type ForeignModel } from '../src/records/stored/foreignModel.ts';
import { measureIteration } from '../src/training/preflight/preflight.ts';
import { startingCheckpoint } from '../src/training/run/start.ts';
import { openRun } from '../src/training/testing/microRun.ts';
import { onCpu } from '../src/training/testing/onCpu.ts';

onCpu();

it('the memory of rows that share beginnings is forecast within 5 % from a quarter of them, those of one problem sharing more', async () => {
  const model = await readLlama([heldFile('theirs.gguf', heldGguf())]);
  const name = `model-${digestOf(model)}`;
  const given = givenOf(model, 'theirs');
  introduceModel(name, given.foreign as ForeignModel, given.matrices);
  const config = withSettings(heldConfig(name), { 'learning.problemsPerIteration': 4, 'learning.groupSize': 8 });
  const loadShipped = () => Promise.reject(new Error('nothing ships for it'));
  const checkpoint = await startingCheckpoint({
    config,
    runId: runId('held'),
    backend: 'simd',
    loadModel: () => given,
    loadShipped,
  });
  const { session, events } = openRun(checkpoint, { now: () => performance.now() });
  const { memoryBytes } = await measureIteration(session.trainState, 0);
  await session.train(1);
  const [profile] = events.flatMap((event) => (event.kind === 'profile' ? [event.profile] : []));
  expect(profile?.peakBytes).toBeGreaterThan(1.5 * (profile?.usedBytes ?? NaN)); // mostly activations
  expect(Math.abs(memoryBytes / (profile?.peakBytes ?? NaN) - 1)).toBeLessThan(0.05);
});
