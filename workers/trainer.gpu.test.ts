// Tests how the trainer reacts to the failure of a real device, while a run is being prepared and during a run.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { inWords } from '../src/base/spoken.ts';
import { forgetWebGpuKernels } from '../src/engine/webgpuKernels.ts';
import type { Checkpoint } from '../src/records/stored/checkpoint.ts';
import { loadMetrics } from '../src/storage/reading.ts';
import { newestCheckpoint } from '../src/storage/testing/newestCheckpoint.ts';
import { microConfig } from '../src/training/testing/microRun.ts';
import { heardTrainer, standIn } from './testing/heardTrainer.ts';

standIn();
afterEach(() => {
  vi.restoreAllMocks();
});
// After the tests, the kernels are removed, because other test files in this process need the backend without these
// kernels.
afterAll(forgetWebGpuKernels);

const config = microConfig({
  agents: { roundLimit: 1, metaWindow: 4, reasonWindow: 4 },
  learning: { problemsPerIteration: 2, groupSize: 2, numMinibatches: 1, updateEpochs: 1 },
  evaluation: { problems: 8, every: 50 },
  run: { iterations: 6, backend: 'webgpu', checkpointEvery: 2 },
});
const warmed = { ...config, warmStart: { ...config.warmStart, source: 'train' as const, steps: 40, batchSize: 4 } };

type Heard = Awaited<ReturnType<typeof heardTrainer>>;
const device = () => (tf.backend() as unknown as { device: GPUDevice }).device;
const told = ({ heard }: Heard) => heard('state').map(({ state }) => state);
const soon = (is: () => boolean) => vi.waitUntil(is, { timeout: 100_000, interval: 2 });

/** An operation that every device rejects. */
async function refuse() {
  const buffer = device().createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ });
  const commands = device().createCommandEncoder();
  commands.copyBufferToBuffer(buffer, 0, buffer, 0, 16);
  device().queue.submit([commands.finish()]);
  await device().queue.onSubmittedWorkDone();
  expect(globalThis.refusals.splice(0).length).toBeGreaterThan(0);
}

/** The newest checkpoint of an undisturbed run, and its metrics. The run is trained once for all tests. */
let first: ReturnType<typeof trainUndisturbed> | undefined;
const undisturbed = () => (first ??= trainUndisturbed());
async function trainUndisturbed() {
  const whole = await heardTrainer();
  await whole.trainer.open({ config, preset: 'micro' });
  await whole.trainer.train();
  await whole.state('done');
  return kept(whole);
}
async function kept({ run }: Heard) {
  const checkpoint = (await newestCheckpoint(run().id)) as Checkpoint;
  const { metrics } = await loadMetrics(run().id);
  return { networks: checkpoint.networks, values: metrics.map(({ values }) => trimmed(values)) };
}
/** Removes measured times from metrics. */
const trimmed = (values: Record<string, number>) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !/^(charts|time)\//.test(name)));

describe('a device that fails while a run is prepared', () => {
  it('ends the preparation, leaves no run to train, and the next one has another device', async () => {
    const trained = await heardTrainer();
    const { trainer, heard, state } = trained;
    const opening = trainer.open({ config: warmed, preset: 'micro' });
    await soon(() => heard('progress').length >= 2);
    await Promise.all([refuse(), expect(opening).rejects.toThrow(/^The graphics device refused work: /)]);
    await state('failed');
    expect(told(trained)).toEqual(['preparing', 'failed']);
    await expect(trainer.train()).rejects.toThrow('run: no run is open');
    await trainer.open({ config: warmed, preset: 'micro' });
    await state('idle');
    await trainer.step();
    await state('paused');
    expect(heard('iteration')).toHaveLength(1);
    await trainer.stop();
  });

  it('is also noticed after the weights are ready, while the run is measured', async () => {
    const trained = await heardTrainer();
    const { trainer, heard, state } = trained;
    const opening = trainer.open({ config, preset: 'micro' });
    opening.catch(() => undefined);
    await soon(() => heard('run').length > 0);
    await refuse();
    await expect(opening).rejects.toThrow(/^The graphics device refused work: /);
    await state('failed');
    expect(told(trained)).toEqual(['preparing', 'preparing', 'failed']);
  });
});

describe('a device that fails in the middle of a run', () => {
  const destroy = () => Promise.resolve(device().destroy());
  const failures: [string, () => Promise<void>][] = [
    ['is lost', destroy],
    ['refuses work', refuse],
  ];
  it.each(failures)('that %s is replaced, and the run ends like an undisturbed one', async (_, fail) => {
    const expected = await undisturbed();
    const one = await heardTrainer();
    await one.trainer.open({ config, preset: 'micro' });
    await one.trainer.train();
    await soon(() => one.heard('iteration').length >= 3);
    await fail();
    await one.state('done');
    expect(one.heard('failed')).toEqual([]);
    const [revived] = one.heard('revived');
    expect(revived?.engine.backend).toBe('webgpu');
    expect(inWords(revived?.engine.reason ?? '')).toMatch(
      /^The device failed after iteration \d\. A new device took over\. The run continued from iteration \d\.$/,
    );
    expect(told(one)).toEqual(['preparing', 'preparing', 'idle', 'training', 'training', 'done']);
    expect(await kept(one)).toEqual(expected);
  });

  it('is replaced by the CPU if there is no other device, with the reason', async () => {
    const one = await heardTrainer();
    await one.trainer.open({ config, preset: 'micro' });
    await one.trainer.train();
    await soon(() => one.heard('iteration').length >= 3);
    vi.spyOn(navigator.gpu, 'requestAdapter').mockResolvedValue(null);
    device().destroy();
    await one.state('done');
    const [revived] = one.heard('revived');
    expect(revived?.engine.backend).toBe('simd');
    expect(inWords(revived?.engine.reason ?? '')).toContain('but there is no graphics adapter, so the CPU took over.');
    expect((await newestCheckpoint(one.run().id))?.backend).toBe('simd');
    // The next run requires the requested engine again.
    await expect(one.trainer.open({ config, preset: 'micro' })).rejects.toThrow('run.backend: webgpu was requested');
  });

  it('twice in a row is replaced by the CPU, with the reason, and the run reaches its end', async () => {
    const one = await heardTrainer();
    await one.trainer.open({ config, preset: 'micro' });
    await one.trainer.train();
    await soon(() => one.heard('iteration').length >= 3);
    device().destroy();
    await soon(() => one.heard('revived').length > 0);
    device().destroy();
    await one.state('done');
    expect(one.heard('failed')).toEqual([]);
    expect(one.heard('revived').map(({ engine }) => engine.backend)).toEqual(['webgpu', 'simd']);
    expect(inWords(one.heard('revived')[1]?.engine.reason ?? '')).toContain('so training continues on the CPU.');
    expect((await newestCheckpoint(one.run().id))?.backend).toBe('simd');
  });

  it('while the run is paused is replaced immediately', async () => {
    const one = await heardTrainer();
    await one.trainer.open({ config, preset: 'micro' });
    await one.state('idle');
    device().destroy();
    await soon(() => one.heard('revived').length > 0);
    await one.trainer.step();
    await one.state('paused');
    expect(told(one)).toEqual(['preparing', 'preparing', 'idle', 'idle', 'training', 'paused']);
    expect(tf.getBackend()).toBe('webgpu');
  });
});
