// Tests that an exported verifier gives the same scores as the verifier of the run.
import { strFromU8, unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import type { ConfigInput } from '../src/config/schema.ts';
import { llamaLogits, type LlamaConfigFile } from '../src/formats/reference/llama.ts';
import { readTensors } from '../src/formats/reference/safetensors.ts';
import { startRun } from '../src/training/testing/microRun.ts';
import { scoreAnswers } from '../src/training/verifier/verifier.ts';
import type { Verifier } from '../src/training/verifier/trainedVerifier.ts';
import { zipOfVerifier } from './exports.ts';
import { onCpu } from '../src/training/testing/onCpu.ts';

onCpu();

const learned = (more: ConfigInput): ConfigInput => ({
  ...more,
  verifier: { isTrained: true, isBalanced: false, learningRate: 0.01, ...more.verifier },
  learning: { problemsPerIteration: 2, groupSize: 2 },
});

it.each<[string, ConfigInput]>([
  ['answers', learned({ agents: { protocol: 'single' } })],
  ['whole dialogues', learned({})],
])('an independent reader of the zip computes the same score for %s as the run', async (_, settings) => {
  const { session } = await startRun(settings);
  await session.train(2);
  const files = unzipSync(await zipOfVerifier(session));
  const config = JSON.parse(strFromU8(files['config.json']!)) as LlamaConfigFile;
  const tensors = readTensors(files['model.safetensors']!);
  const score = tensors.find(({ name }) => name === 'score.weight')!;
  const bias = Number(tensors.find(({ name }) => name === 'score.bias')!.values[0]);
  // The weights that compute the score are stored in place of the weights that compute the first logit.
  const values = new Float64Array(config.vocab_size * config.hidden_size);
  values.set(Array.from(score.values));
  const head = { name: 'lm_head.weight', shape: [config.vocab_size, config.hidden_size], values };
  const { network, answers } = session.trainState.verifier as Verifier;
  const beliefs = await scoreAnswers(network, answers, session.gate);
  expect(new Set(beliefs).size).toBeGreaterThan(1);
  expect(Math.abs(bias)).toBeGreaterThan(0);
  for (const [i, { tokens }] of answers.entries()) {
    const logits = llamaLogits({ ...config, tie_word_embeddings: false }, [...tensors, head], [...tokens]);
    const belief = 1 / (1 + Math.exp(-(logits.at(-1)![0]! + bias)));
    expect(belief).toBeCloseTo(beliefs[i]!, 5);
  }
});

it('the export is refused with a remedy if no verifier is trained', async () => {
  const { session } = await startRun({});
  await expect(zipOfVerifier(session)).rejects.toThrow('start a run with verifier.isTrained = true');
});
