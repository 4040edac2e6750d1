// Tests a verifier that is trained on random answers: it learns only how hard the questions are, and with a balanced
// sample it learns nothing.
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/parse.ts';
import { Draws, streams } from '../../base/random.ts';
import { initialWeights } from '../../model/network/parameters.ts';
import type { RememberedAnswer } from '../../records/verifier.ts';
import { auc, withinQuestionAuc } from '../maths/calibration.ts';
import { disposeNetwork, downloadNetwork, freshState, uploadNetwork, type Network } from '../team/network.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { openGate } from '../testing/microRun.ts';
import { verifierBatches } from './trainedVerifier.ts';
import { buildAnswerRows, scoreAnswers, verifierStep } from './verifier.ts';

onCpu();

const configOf = (isBalanced: boolean) =>
  parseConfig({
    agents: { protocol: 'vote', size: 'micro' },
    optimiser: { warmupUpdates: 0 },
    verifier: { isTrained: true, isBalanced, steps: 40, batch: 32, learningRate: 1e-2 },
  });
const team = assembleTeam(configOf(true));

/**
 * Eight answers to each question. Answers to questions that begin with token 8 are mostly right, and answers to
 * questions that begin with token 9 are mostly wrong. The texts of the answers are random.
 */
function answersOf(questions: number, from: number): RememberedAnswer[] {
  const draws = new Draws(1, streams.control, 900 + from);
  return Array.from({ length: questions * 8 }, (_, i) => {
    const question = from + (i >> 3);
    const isEasy = question % 2 === 0;
    const noise = () => 10 + draws.below(10);
    return {
      iteration: 0,
      question: `q${question}`,
      tokens: [1, isEasy ? 8 : 9, noise(), 2, noise(), noise(), 2],
      start: 4,
      isRight: draws.next() < (isEasy ? 0.8 : 0.2),
    };
  });
}

async function withVerifier<T>(use: (network: Network) => Promise<T>): Promise<T> {
  const network = uploadNetwork(freshState(initialWeights(team.shape, 1), team.shape, true), team.shape);
  try {
    return await use(network);
  } finally {
    disposeNetwork(network);
  }
}

async function learn(network: Network, answers: readonly RememberedAnswer[], isBalanced: boolean): Promise<number[]> {
  const config = configOf(isBalanced);
  const losses: number[] = [];
  for (const members of verifierBatches(answers, config, 0)) {
    const chosen = members.map((at) => answers[at] as RememberedAnswer);
    const metrics = await verifierStep(network, chosen, { config, gate: openGate() });
    losses.push((await metrics.data<'float32'>())[0] as number);
    metrics.dispose();
  }
  return losses;
}

async function separation(isBalanced: boolean): Promise<{ all: number; within: number }> {
  const fresh = answersOf(32, 1000);
  const scores = await withVerifier(async (network) => {
    await learn(network, answersOf(64, 0), isBalanced);
    return scoreAnswers(network, fresh, openGate());
  });
  const judged = { scores, isRight: fresh.map(({ isRight }) => isRight) };
  const questions = fresh.map(({ question }) => question);
  return { all: auc(judged), within: withinQuestionAuc(judged, questions) };
}

it('rows of answers hold question and answer, and ask at each token of the answer', () => {
  const batch = buildAnswerRows([
    { tokens: [1, 5, 2, 7, 2], start: 3 },
    { tokens: [1, 2, 9], start: 2 },
  ]);
  expect([batch.rows, batch.length]).toEqual([2, 5]);
  expect([...batch.ids]).toEqual([1, 5, 2, 7, 2, 1, 2, 9, 0, 0]);
  expect([...batch.actionMask]).toEqual([0, 0, 0, 1, 1, 0, 0, 1, 0, 0]);
});

describe('a verifier', () => {
  it('says one half of everything before its first step', async () => {
    await withVerifier(async (network) => {
      const scores = await scoreAnswers(network, answersOf(2, 0), openGate());
      expect([...scores]).toEqual(Array.from({ length: 16 }, () => 0.5));
    });
  });

  it('learns which questions are easy from all answers, and nothing of that from a balanced sample', async () => {
    const unbalanced = await separation(false);
    expect(unbalanced.all).toBeGreaterThan(0.7);
    expect(unbalanced.within).toBeLessThan(0.6);
    const balanced = await separation(true);
    expect(balanced.all).toBeLessThan(0.6);
  });

  it('starts at the loss of a coin, and is surprised less as it learns', async () => {
    await withVerifier(async (network) => {
      const losses = await learn(network, answersOf(64, 0), false);
      expect(losses[0]).toBeCloseTo(Math.log(2), 5);
      expect(losses.slice(-8).reduce((a, b) => a + b) / 8).toBeLessThan(0.6);
    });
  });

  it('takes the same steps for the same answers, scores in any company alike, and leaves no tensor behind', async () => {
    const answers = answersOf(8, 0);
    const trained = () =>
      withVerifier(async (network) => {
        await learn(network, answers, false);
        const { numTensors } = tf.memory();
        await learn(network, answers, false);
        const all = await scoreAnswers(network, answers, openGate());
        const one = await scoreAnswers(network, answers.slice(3, 4), openGate());
        expect(tf.memory().numTensors).toBe(numTensors);
        expect(one[0]).toBeCloseTo(all[3] as number, 5);
        expect(network.updates).toBe(80);
        return downloadNetwork(network);
      });
    expect(await trained()).toEqual(await trained());
  });

  it('that reads its answers in pieces steps as if it read them whole', async () => {
    const answers = answersOf(32, 0);
    const head = (given: RememberedAnswer[]) =>
      withVerifier(async (network) => {
        const step = () => verifierStep(network, given, { config: configOf(false), gate: openGate() });
        for (let i = 0; i < 3; i++) (await step()).dispose();
        return (await downloadNetwork(network)).critic[0]?.values ?? new Float32Array();
      });
    const whole = await head(answers);
    // If the batch contains each answer twice, the mean is the same, but two microbatches are needed.
    const pieces = await head([...answers, ...answers]);
    expect(Math.max(...whole.map(Math.abs))).toBeGreaterThan(0.01);
    expect(Math.max(...whole.map((x, i) => Math.abs(x - (pieces[i] as number))))).toBeLessThan(1e-4);
  });
});
