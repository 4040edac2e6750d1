// Tests measurements of a team on WebGPU. Steps of dialogues whose shapes have occurred before are replayed from
// recordings, even if other agents spoke in between.
import { beforeAll, expect, it, vi } from 'vitest';
import { startOwnDevice } from '../../engine/testing/ownDevice.ts';
import type { CapturingBackend } from '../../engine/webgpu/device/capturingBackend.ts';
import type { Evaluation } from '../../records/metrics.ts';
import { microCheckpoint, microConfig, openRun } from '../testing/microRun.ts';

let backend: CapturingBackend;
beforeAll(async () => {
  backend = await startOwnDevice();
});

it('records nothing in shapes that were seen before, also after an iteration', async () => {
  const few = { problemsPerIteration: 1, groupSize: 4 };
  // The learning rate is so low that no sampled token changes, so the shapes stay the same.
  const config = microConfig({ learning: few, optimiser: { learningRate: 1e-6 } });
  const { session } = openRun(await microCheckpoint(config));
  const recordings = vi.spyOn(backend, 'record');
  const measured = async (): Promise<{ evaluation: Evaluation; recorded: number }> => {
    recordings.mockClear();
    const evaluation = await session.evaluate();
    return { evaluation, recorded: recordings.mock.calls.length };
  };
  // A shape is recorded when it occurs for the second time. This already happens in the first measurement, which runs
  // once with and once without messages.
  const [first, second] = [await measured(), await measured()];
  expect(first.recorded).toBeGreaterThan(0);
  expect(second.recorded).toBe(0);
  await session.train(1);
  expect(session.run.iteration).toBe(1);
  const after = await measured();
  expect(after.recorded).toBe(0);
  for (const { evaluation } of [second, after]) expect(evaluation.right).toEqual(first.evaluation.right);
  expect(session.trainState.rooms?.note).toBe('');
  await session.dispose();
});
