// Tests the costs of an iteration that the profiler reports, on a real device with a real clock.
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { startOwnDevice } from '../../engine/testing/ownDevice.ts';
import { profileMs, type IterationProfile } from '../../records/profile.ts';
import { microCheckpoint, microConfig, openRun } from '../testing/microRun.ts';

let device: GPUDevice;

beforeAll(async () => {
  ({ device } = await startOwnDevice());
});

it('an iteration on WebGPU says what the device was given, what came back and how long that was waited for', async () => {
  const config = microConfig({
    learning: { problemsPerIteration: 2, groupSize: 4 },
    evaluation: { every: 50, problems: 8 },
    run: { iterations: 3 },
  });
  const run = openRun(await microCheckpoint(config), { now: () => performance.now() });
  const started = performance.now();
  await run.session.train();
  const tookMs = performance.now() - started;
  expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
  expect(tf.getBackend()).toBe('webgpu');
  const told = run.events.flatMap((event) => (event.kind === 'profile' ? [event.profile] : []));
  expect(told).toHaveLength(3);
  const isTimed = device.features.has('timestamp-query');
  for (const profile of told) {
    const { parts, waits, dispatches, submits, readbacks, readBytes, uploadedBytes } = profile;
    for (const work of [dispatches, submits, readbacks, readBytes, uploadedBytes]) expect(work).toBeGreaterThan(0);
    expect(dispatches).toBeGreaterThan(submits);
    expect(parts.readback).toBeGreaterThan(0);
    const waited = Object.values(waits).reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeCloseTo(parts.readback, 6);
    expect(profile.usedBytes).toBeGreaterThan(0);
    expect(profile.peakBytes).toBeGreaterThanOrEqual(profile.usedBytes);
    expect(profile.gpuMs === null).toBe(!isTimed);
  }
  // A step is recorded before it is replayed, and only replays are timed.
  const [, , last] = told as [IterationProfile, IterationProfile, IterationProfile];
  if (isTimed) expect(last.gpuMs).toBeGreaterThan(0);
  expect(told.reduce((sum, profile) => sum + profileMs(profile), 0)).toBeLessThan(tookMs);
  await run.session.dispose();
});

it('a run that goes on holds hardly more of the device once it has seen how long its dialogues get', async () => {
  const config = microConfig({
    learning: { problemsPerIteration: 2, groupSize: 4 },
    evaluation: { every: 100, problems: 8 },
    run: { iterations: 48, checkpointEvery: 12 },
  });
  const run = openRun(await microCheckpoint(config), { now: () => performance.now() });
  await run.session.train();
  const used = run.events.flatMap((event) => (event.kind === 'profile' ? [event.profile.usedBytes ?? NaN] : []));
  expect(used).toHaveLength(48);
  // When a row length occurs for the first time, the step for this length is recorded, and the recording stays in
  // memory.
  expect(Math.max(...used.slice(24))).toBeLessThan(1.05 * (used[23] as number));
  await run.session.dispose();
});
