// Tests that a stored warm start equals a newly trained one.
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { runId } from '../../records/ids.ts';
import type { Glimpse } from '../../records/events.ts';
import type { KeptWarmStart, WarmStartStore } from '../../records/stored/warmStart.ts';
import { Gate } from '../team/gate.ts';
import { startingCheckpoint, type StartRequest } from '../run/start.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig } from '../testing/microRun.ts';
import { forecastWarmStart } from '../preflight/warmStartForecast.ts';

onCpu();
afterEach(() => vi.restoreAllMocks());

/** A store that copies its data, as the store of a browser does, and records all saved states. */
function keeping() {
  const kept = new Map<string, KeptWarmStart>();
  const saved: number[] = [];
  const store: WarmStartStore = {
    load: (key) => Promise.resolve(structuredClone(kept.get(key) ?? null)),
    save: (warmStart) => {
      saved.push(warmStart.step);
      kept.set(warmStart.key, structuredClone(warmStart));
      return Promise.resolve();
    },
  };
  return { store, kept, saved };
}

/**
 * A clock that advances by this much at each reading, so that the warm start is saved several times during training.
 */
function slowClock(ms = 10_000) {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += ms));
}

const settings: ConfigInput = { warmStart: { source: 'train', steps: 12, batchSize: 8, learningRate: 0.03 } };
const start = (given: ConfigInput, request: Partial<StartRequest> = {}) =>
  startingCheckpoint({
    config: microConfig(given),
    runId: runId('r'),
    backend: 'simd',
    loadShipped: () => Promise.reject(new Error('nothing ships here')),
    ...request,
  });

const teams: [string, ConfigInput][] = [
  ['one network', settings],
  ['two networks', { ...settings, agents: { parameters: 'separate' } }],
  ['adapters', { ...settings, agents: { parameters: 'lora' } }],
  ['a critic', { ...settings, learning: { learner: 'ppo' } }],
];

describe('a warm start trained here', () => {
  it.each(teams)('that was kept starts a run as one that is trained again (%s)', async (_, given) => {
    const { store, saved } = keeping();
    const fresh = await start(given);
    expect(await start(given, { warmStarts: store })).toEqual(fresh);
    expect(saved).toEqual([12]);
    const steps: number[] = [];
    const again = await start(given, { warmStarts: store, onProgress: ({ share }) => steps.push(share) });
    expect(again).toEqual(fresh);
    expect(steps).toEqual([]);
    expect(saved).toEqual([12]);
  });

  it.each(teams)('that was broken off goes on to the same weights, bit for bit (%s)', async (_, given) => {
    const fresh = await start(given);
    const { store, kept, saved } = keeping();
    slowClock();
    const gate = new Gate();
    const stopped = new ConfigError('stopped');
    const breaking: WarmStartStore = {
      load: (key) => store.load(key),
      save: async (warmStart) => {
        await store.save(warmStart);
        if (saved.length === 2) gate.break(stopped);
      },
    };
    await expect(start(given, { warmStarts: breaking, gate })).rejects.toBe(stopped);
    const brokenAt = saved.at(-1) as number;
    expect(brokenAt).toBeGreaterThan(1);
    expect(brokenAt).toBeLessThan(12);
    const shares: number[] = [];
    expect(await start(given, { warmStarts: store, onProgress: ({ share }) => shares.push(share) })).toEqual(fresh);
    expect(Math.min(...shares)).toBe((brokenAt + 1) / 12);
    expect(kept.size).toBe(1);
  });

  it('shows an example and then attempts, which do not change the weights', async () => {
    const fresh = await start(settings);
    slowClock();
    const shown: Glimpse[] = [];
    const held = tf.memory().numTensors;
    const watched = await start(settings, { onGlimpse: (glimpse) => shown.push(glimpse) });
    expect(watched).toEqual(fresh);
    expect(tf.memory().numTensors).toBe(held);
    const [example, ...attempts] = shown;
    expect(example).toMatchObject({ after: null, trajectory: { isRight: expect.any(Boolean) as boolean } });
    const steps = attempts.map(({ after }) => after);
    expect(steps.length).toBeGreaterThan(1);
    expect(steps).toEqual([...new Set(steps)].sort((a, b) => Number(a) - Number(b)));
    // The problem is always the same, so that one sees how the attempts improve.
    expect(new Set(attempts.map(({ trajectory }) => JSON.stringify(trajectory.problem))).size).toBe(1);
  });

  it('is kept without moments once it is whole', async () => {
    const { store, kept } = keeping();
    await start(settings, { warmStarts: store });
    const [only] = [...kept.values()];
    expect(only?.networks.map(({ m, v, critic }) => [m, v, critic])).toEqual([[[], [], []]]);
  });

  it('is the same for another learning rate of the run, and not for another seed', async () => {
    const { store, saved } = keeping();
    await start(settings, { warmStarts: store });
    await start({ ...settings, optimiser: { learningRate: 1e-4 } }, { warmStarts: store });
    expect(saved).toEqual([12]);
    await start({ ...settings, run: { seed: 2 } }, { warmStarts: store });
    expect(saved).toEqual([12, 12]);
  });

  it('says how long it still takes at the pace so far', async () => {
    slowClock(1000);
    const told: { share: number; msLeft?: number }[] = [];
    await start(settings, { onProgress: ({ share, msLeft = NaN }) => told.push({ share, msLeft }) });
    expect(told[0]?.share).toBe(1 / 12);
    // The clock was read several times in the first step and advanced by one second each time. Eleven such steps
    // remain.
    expect((told[0]?.msLeft ?? 0) % 11_000).toBe(0);
    expect(told[0]?.msLeft).toBeGreaterThan(0);
    expect(told.at(-1)).toEqual({ share: 1, msLeft: 0 });
  });
});

describe('the forecast of a warm start', () => {
  const forecast = (given: ConfigInput, warmStarts?: WarmStartStore) =>
    forecastWarmStart({ config: microConfig(given), backend: 'simd', ...(warmStarts && { warmStarts }) });

  it('is for all steps, and leaves no tensors behind', async () => {
    await forecast(settings);
    const before = tf.memory().numTensors;
    const told = await forecast({ warmStart: { ...settings.warmStart, steps: 1000 } });
    expect(told?.share).toBe(0);
    expect(told?.msLeft).toBeGreaterThan(0);
    expect(tf.memory().numTensors).toBe(before);
  });

  it('is for the steps that are left of one that was broken off, and none of one that is kept', async () => {
    const { store, kept } = keeping();
    await start(settings, { warmStarts: store });
    expect(await forecast(settings, store)).toBeNull();
    for (const warmStart of kept.values()) warmStart.step = 9;
    expect((await forecast(settings, store))?.share).toBe(0.75);
  });

  it('is for adapters the share that is done, without a trial of the large model', async () => {
    const { store } = keeping();
    const taught = { agents: { parameters: 'lora', start: 'model-0123456789abcdef' } } as const;
    const warmStart = { ...settings.warmStart, modelSteps: 8 };
    expect(await forecast({ ...taught, warmStart }, store)).toEqual({ share: 0 });
    expect(await forecast({ ...taught, warmStart: { ...warmStart, modelImitates: 'chats' } }, store)).toBeNull();
  });

  it('is none where other weights are asked for', async () => {
    expect(await forecast({ warmStart: { source: 'none' } })).toBeNull();
  });
});
