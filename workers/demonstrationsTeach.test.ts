// Tests that SFT on demonstrations improves the shipped team: at the end of training, the team's plans follow the rule
// as often as the demonstrated plans.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { mean } from '../src/base/stats.ts';
import { parseConfig } from '../src/config/parse.ts';
import { shippedFor } from '../src/config/warmStarts.ts';
import { readSafetensors } from '../src/formats/safetensors.ts';
import { runId } from '../src/records/ids.ts';
import { startingCheckpoint } from '../src/training/run/start.ts';
import { onCpu } from '../src/training/testing/onCpu.ts';
import { openRun } from '../src/training/testing/microRun.ts';

onCpu();

it('after ten iterations on demonstrations that follow the rule more answers are right', async () => {
  const config = parseConfig({
    learning: { learner: 'sft', imitate: 'demonstrations', problemsPerIteration: 8, groupSize: 8 },
    kl: { place: 'off' },
    warmStart: { goodPlans: 1, resultNoise: 0 },
    optimiser: { learningRate: 1e-3, warmupUpdates: 0 },
    evaluation: { problems: 16 },
    run: { iterations: 10, backend: 'cpu' },
  });
  const file = new URL(`../public/warmstart/${shippedFor(config).name}.safetensors`, import.meta.url);
  const checkpoint = await startingCheckpoint({
    config,
    runId: runId('shown'),
    backend: 'simd',
    loadShipped: async () => readSafetensors(await readFile(file)).tensors,
  });
  const { session, collected } = openRun(checkpoint);
  await session.train();
  await session.dispose();
  const shares = collected().map((all) => mean(all.map(({ isRight }) => Number(isRight))));
  expect(shares).toHaveLength(10);
  expect(mean(shares.slice(-4))).toBeGreaterThan(mean(shares.slice(0, 2)) + 0.12);
});
