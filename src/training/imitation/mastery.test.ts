// Tests that a warm start ends soon after the dialogue was mastered, and not before.
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { KeptWarmStart, WarmStartStore } from '../../records/stored/warmStart.ts';
import { customWorld } from '../../tasks/custom/customWorld.ts';
import { templates } from '../../tasks/custom/templates.ts';
import { assembleTeam } from '../team/team.ts';
import { disposeNetwork } from '../team/network.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, openGate } from '../testing/microRun.ts';
import { areAsGood, masteryOf } from './mastery.ts';
import { startingNetworks, trainedHere } from './trainedHere.ts';
import { lastStep, scheduledRate, trainWarmStart, warmStartSchedule } from './warmStart.ts';

onCpu();

const attempts = (right: number, ended: number) =>
  Array.from({ length: 100 }, (_, i) => ({ isRight: i < right, finishCode: i < ended ? (0 as const) : (1 as const) }));

it('attempts are as good as demonstrations if 95 % end and nine tenths as many answers are right', () => {
  expect(areAsGood(attempts(45, 95), 0.5)).toBe(true);
  expect(areAsGood(attempts(44, 95), 0.5)).toBe(false);
  expect(areAsGood(attempts(45, 94), 0.5)).toBe(false);
  expect(areAsGood(attempts(0, 100), 0)).toBe(true);
});

it('the learning rate falls to a tenth after the dialogue was mastered, and the warm start ends', () => {
  const schedule = warmStartSchedule(microConfig({ warmStart: { steps: 1000, learningRate: 1e-2 } }));
  const mastered = { ...schedule, masteredAt: 500 };
  expect([lastStep(schedule), lastStep(mastered), lastStep({ ...schedule, masteredAt: 950 })]).toEqual([
    1000, 600, 1000,
  ]);
  // At half of the steps, the cosine gives 0.1 + 0.45 = 0.55 of the highest rate.
  expect(scheduledRate(mastered, 499)).toBe(scheduledRate(schedule, 499));
  expect(scheduledRate(mastered, 500)).toBeCloseTo(5.5e-3, 12);
  expect(scheduledRate(mastered, 550)).toBeCloseTo(5.5e-3 * 0.55, 12);
  expect(scheduledRate(mastered, 599)).toBeCloseTo(5.5e-3 * 0.109, 12);
});

it('random weights have not mastered the dialogue, and the measurement leaves no tensors behind', async () => {
  const team = assembleTeam(microConfig());
  const held = tf.memory().numTensors;
  const networks = startingNetworks(team, null);
  const { isMastered } = masteryOf(team, networks);
  expect([await isMastered(), await isMastered()]).toEqual([false, false]);
  networks.forEach(disposeNetwork);
  expect(tf.memory().numTensors).toBe(held);
});

it('a dialogue that is never mastered takes all steps', async () => {
  const team = assembleTeam(microConfig({ warmStart: { steps: 6, batchSize: 4 } }));
  const networks = startingNetworks(team, null);
  const asked: number[] = [];
  const ended = await trainWarmStart(team, networks, {
    gate: openGate(),
    mastery: { every: 2, isMastered: () => Promise.resolve(asked.push(1) < 0) },
  });
  expect([ended.masteredAt, asked.length]).toEqual([undefined, 3]);
  networks.forEach(disposeNetwork);
});

const easy: ConfigInput = {
  agents: { protocol: 'single', roundLimit: 1 },
  warmStart: { source: 'train', untilMastered: true, steps: 3000, batchSize: 16, learningRate: 0.03, goodPlans: 0 },
};

it('a mastered warm start ends early, and is the same if it was interrupted or stored', async () => {
  const kept = new Map<string, KeptWarmStart>();
  const warmStarts: WarmStartStore = {
    load: (key) => Promise.resolve(structuredClone(kept.get(key) ?? null)),
    save: (one) => Promise.resolve(void kept.set(one.key, structuredClone(one))),
  };
  const request = { config: microConfig(easy), world: await customWorld(templates.answer.source), backend: 'simd' };
  const fresh = await trainedHere({ ...request, warmStarts });
  const [whole] = kept.values();
  const { masteredAt = 0, step = 0 } = whole ?? {};
  expect([masteredAt % 100, step]).toEqual([0, masteredAt + 100]);
  expect(step).toBeLessThan(3000);
  kept.clear();
  let done = 0;
  const interrupted = { ...request, warmStarts, isLeft: () => ++done === masteredAt + 30 };
  await expect(trainedHere(interrupted)).rejects.toThrow(ConfigError);
  expect([...kept.values()]).toMatchObject([{ step: masteredAt + 30, masteredAt }]);
  const shares: number[] = [];
  const onProgress = ({ share }: { share: number }) => shares.push(share);
  expect(await trainedHere({ ...request, warmStarts, onProgress })).toEqual(fresh);
  expect(shares.at(-1)).toBe(1);
  expect(await trainedHere({ ...request, warmStarts })).toEqual(fresh);
});
