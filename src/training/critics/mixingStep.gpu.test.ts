// Tests steps of a mixing critic on WebGPU. Replayed steps must give exactly the same losses, weights and slow copy as
// steps without replay.
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import type { ModelShape } from '../../config/sizes.ts';
import { startOwnDevice } from '../../engine/testing/ownDevice.ts';
import { initialWeights } from '../../model/network/parameters.ts';
import { Gate } from '../team/gate.ts';
import { freshMixingState } from './mixingCritic.ts';
import type { Transcript } from './mixingRows.ts';
import { lookMixed, mixingStep } from './mixingStep.ts';
import { downloadTarget, freshTarget, uploadTarget } from './mixingCritic.ts';
import { disposeNetwork, downloadNetwork, uploadNetwork } from '../team/network.ts';
import { microConfig } from '../testing/microRun.ts';

const shape: ModelShape = {
  ...{ vocabSize: 32, hiddenSize: 16, intermediateSize: 24, numLayers: 1, numHeads: 2, numKvHeads: 1, headSize: 8 },
  ...{ ropeTheta: 10000, normEps: 1e-5, isTied: true, maxPositions: 32 },
};
const kind = { isMixed: true, agents: 2, hidden: 4 };

beforeAll(() => startOwnDevice());

/** There are two rounds. In the second round, the second agent is silent. */
const transcripts = (seed: number): Transcript[] =>
  Array.from({ length: 5 }, (_, n) => ({
    ids: Uint16Array.from({ length: 7 + ((n + seed) % 2) }, (_x, t) => (n * 7 + t * 5 + seed) % 32),
    rounds: [
      {
        stateAt: 0,
        reward: 0.25 * (n % 2),
        messages: [
          { agent: 0, turn: 0, from: 1, to: 2 },
          { agent: 1, turn: 1, from: 3, to: 4 },
        ],
      },
      { stateAt: 4, reward: (n + seed) % 2, messages: [{ agent: 0, turn: 2, from: 5, to: 7 }] },
    ],
  }));

/** Trains a critic for four steps. Returns the losses, one evaluation, and all arrays that the steps changed. */
async function train(isReplayed: boolean) {
  const state = freshMixingState(initialWeights(shape, 1), shape, { kind, seed: 2 });
  const critic = uploadNetwork(state, shape, isReplayed);
  const target = uploadTarget(freshTarget(state), shape);
  const config = microConfig({ learning: { learner: 'qmix', targetRate: 0.1 } });
  const gate = new Gate();
  const losses: number[] = [];
  for (let step = 0; step < 4; step++) {
    const metrics = await mixingStep({ critic, target }, transcripts(step), { config, kind, gate });
    losses.push(...(await metrics.data()));
    metrics.dispose();
  }
  const look = await lookMixed({ critic, target }, 'critic', transcripts(9), { kind, gate });
  const learned = { losses, look, critic: await downloadNetwork(critic), target: await downloadTarget(target) };
  const { captures, note } = critic.replays;
  disposeNetwork(critic);
  disposeNetwork(target);
  return { learned, captures, note };
}

it('are the same with and without replay: look, gradient with update, and the slow copy that follows', async () => {
  const plain = await train(false);
  const { numTensors } = tf.memory();
  const replayed = await train(true);
  expect(replayed.note).toBe('');
  expect(replayed.captures).toBe(3);
  expect(plain.captures).toBe(0);
  expect(replayed.learned).toEqual(plain.learned);
  expect(plain.learned.losses.every(Number.isFinite)).toBe(true);
  expect(plain.learned.losses[0]).toBeGreaterThan(0.01);
  expect(tf.memory().numTensors).toBe(numTensors);
});
