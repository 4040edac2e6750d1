// Compares a whole run on WebGPU with the same run on the CPU. The run consists of warm start, dialogues and update.
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { parseConfig } from '../../config/parse.ts';
import { presetConfig } from '../../config/presets.ts';
import { startOwnDevice } from '../../engine/testing/ownDevice.ts';
import { checkpointFormat } from '../../records/stored/checkpoint.ts';
import type { TrainerEvent } from '../../records/events.ts';
import { runId } from '../../records/ids.ts';
import { memoryStore } from './memoryStore.ts';
import { Session } from './session.ts';
import { startingCheckpoint } from './start.ts';

/** The supervised losses, sampled tokens and metrics of a short run with the micro preset. */
async function microRun(backend: string) {
  await tf.setBackend(backend);
  await tf.ready();
  const micro = presetConfig('micro');
  const config = parseConfig({
    ...micro,
    learning: { ...micro.learning, problemsPerIteration: 2 },
    warmStart: { ...micro.warmStart, steps: 10, batchSize: 8 },
    evaluation: { problems: 8 },
    run: { iterations: 1, seed: 3 },
  });
  const id = runId('parity');
  const warmLosses: number[] = [];
  const checkpoint = await startingCheckpoint({
    config,
    runId: id,
    backend,
    loadShipped: () => Promise.reject(new Error('nothing ships here')),
    onProgress: ({ loss }) => {
      if (loss !== null && loss !== warmLosses.at(-1)) warmLosses.push(loss);
    },
  });
  const run = {
    format: checkpointFormat,
    id,
    name: 'parity',
    preset: 'micro',
    config,
    changes: [],
    backend,
    createdMs: 0,
    iteration: 0,
    isDone: false,
  };
  const events: TrainerEvent[] = [];
  const store = memoryStore({ keepsIterations: true });
  const session = new Session({ run, checkpoint, store, now: () => 0, emit: (event) => events.push(event) });
  await session.train();
  await session.dispose();
  expect(events.filter(({ kind }) => kind === 'failed')).toEqual([]);
  const [first] = store.iterations;
  return {
    warmLosses,
    tokens: first?.trajectories.map(({ turns }) => turns.map((turn) => turn.tokens)),
    losses: Object.entries(first?.metrics.values ?? {}).filter(([name]) => name.startsWith('losses/')),
  };
}

// The test starts a new device as the page does, because the device of another test file may use kernels that are slow
// here.
beforeAll(() => startOwnDevice());

it('a run on WebGPU samples the same tokens and has the same losses as on the CPU', async () => {
  const onCpu = await microRun('cpu');
  const onGpu = await microRun('webgpu');
  expect(onCpu.warmLosses).toHaveLength(1);
  expect(onGpu.warmLosses[0]).toBeCloseTo(onCpu.warmLosses[0] as number, 4);
  expect(onGpu.tokens).toEqual(onCpu.tokens);
  expect(onGpu.losses.length).toBeGreaterThan(8);
  for (const [i, [name, value]] of onGpu.losses.entries()) {
    expect(onCpu.losses[i]?.[0]).toBe(name);
    expect(Math.abs(value - (onCpu.losses[i]?.[1] as number)), name).toBeLessThan(1e-4);
  }
});
