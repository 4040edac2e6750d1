// Tests that a verifier learns to distinguish right answers from wrong ones, also for new questions. The answers are
// those of the shipped agent, and about half of them are right.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parseConfig } from '../src/config/parse.ts';
import { shippedFor } from '../src/config/warmStarts.ts';
import { readSafetensors } from '../src/formats/safetensors.ts';
import { runId } from '../src/records/ids.ts';
import type { RememberedAnswer } from '../src/records/verifier.ts';
import { auc, withinQuestionAuc } from '../src/training/maths/calibration.ts';
import { collectRollouts } from '../src/training/collect/collect.ts';
import { Gate } from '../src/training/team/gate.ts';
import { agentPolicies } from '../src/training/collect/agentPolicies.ts';
import { disposeTrainState, restoreTrainState } from '../src/training/run/trainState.ts';
import { startingCheckpoint } from '../src/training/run/start.ts';
import { onCpu } from '../src/training/testing/onCpu.ts';
import { verifierBatches, type Verifier } from '../src/training/verifier/trainedVerifier.ts';
import { rememberedAnswers, scoreAnswers, verifierStep } from '../src/training/verifier/verifier.ts';

onCpu();

const config = parseConfig({
  agents: { protocol: 'single' },
  learning: { problemsPerIteration: 384, groupSize: 3, numMinibatches: 1 },
  verifier: { isTrained: true, steps: 90, batch: 32 },
});

it('after 90 steps it scores a right answer to a new question above a wrong one more than seven times of ten', async () => {
  const { name } = shippedFor(config);
  const file = new URL(`../public/warmstart/${name}.safetensors`, import.meta.url);
  const checkpoint = await startingCheckpoint({
    config,
    runId: runId('verifier'),
    backend: 'simd',
    loadShipped: async () => readSafetensors(await readFile(file)).tensors,
  });
  const gate = new Gate();
  const learning = restoreTrainState(checkpoint, gate);
  const { network } = learning.verifier as Verifier;
  const said = async (iteration: number) => {
    const { trajectories } = await collectRollouts(learning.team, { policies: agentPolicies(learning), iteration });
    return rememberedAnswers(trajectories, learning.team, iteration);
  };
  const [own, fresh] = [await said(0), (await said(1)).slice(0, 384)];
  for (const members of verifierBatches(own, config, 0)) {
    const answers = members.map((at) => own[at] as RememberedAnswer);
    (await verifierStep(network, answers, { config, gate })).dispose();
  }
  const judged = { scores: await scoreAnswers(network, fresh, gate), isRight: fresh.map(({ isRight }) => isRight) };
  disposeTrainState(learning);
  expect(auc(judged)).toBeGreaterThan(0.7);
  const questions = fresh.map(({ question }) => question);
  expect(withinQuestionAuc(judged, questions)).toBeGreaterThan(0.65);
});
