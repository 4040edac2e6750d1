// Tests steps of a verifier on WebGPU. Replayed steps must give exactly the same weights as steps without replay, even
// if the answers differ, and must agree with steps of composed operations.
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { parseConfig } from '../../config/parse.ts';
import { startOwnDevice } from '../../engine/testing/ownDevice.ts';
import { initialWeights } from '../../model/network/parameters.ts';
import { Gate } from '../team/gate.ts';
import { disposeNetwork, downloadNetwork, freshState, uploadNetwork } from '../team/network.ts';
import { assembleTeam } from '../team/team.ts';
import { scoreAnswers, verifierStep } from './verifier.ts';

beforeAll(() => startOwnDevice());

const config = parseConfig({
  agents: { protocol: 'vote', size: 'micro' },
  optimiser: { warmupUpdates: 0 },
  verifier: { isTrained: true, learningRate: 1e-2 },
});
const team = assembleTeam(config);

/** Twenty answers of five to seven tokens. The answers differ in each step, but their shapes are the same. */
function answersOf(step: number) {
  const draws = new Draws(1, streams.control, 700 + step);
  return Array.from({ length: 20 }, (_, i) => ({
    tokens: [1, 8, ...Array.from({ length: i === 0 ? 5 : 3 + draws.below(3) }, () => 10 + draws.below(10))],
    start: 2 + draws.below(2),
    isRight: draws.next() < 0.5,
  }));
}

async function train(isReplayed: boolean) {
  const gate = new Gate();
  const state = freshState(initialWeights(team.shape, 1), team.shape, true);
  const network = uploadNetwork(state, team.shape, isReplayed);
  const losses: number[] = [];
  for (let step = 0; step < 5; step++) {
    const metrics = await verifierStep(network, answersOf(step), { config, gate });
    losses.push((await metrics.data<'float32'>())[0] as number);
    metrics.dispose();
  }
  const scores = [...(await scoreAnswers(network, answersOf(9), gate))];
  const { captures, note } = network.replays;
  const after = await downloadNetwork(network);
  disposeNetwork(network);
  return { losses, scores, after, captures, note };
}

it('five steps on five batches are the same with and without replay, recorded once', async () => {
  const plain = await train(false);
  const { numTensors } = tf.memory();
  const replayed = await train(true);
  expect(replayed.note).toBe('');
  expect(replayed.captures).toBe(1);
  expect(replayed.losses).toEqual(plain.losses);
  expect(replayed.scores).toEqual(plain.scores);
  expect(replayed.after).toEqual(plain.after);
  expect(tf.memory().numTensors).toBe(numTensors);
  expect(plain.losses[0]).toBeCloseTo(Math.log(2), 5);
  expect(new Set(plain.scores).size).toBeGreaterThan(1);
});
