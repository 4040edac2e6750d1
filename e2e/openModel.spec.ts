// An external model on the page: its zip is dropped, and the model is inspected and talked to. A model of another family is
// refused by name, and a run starts from weights of Cothink.
import { zipSync } from 'fflate';
import { expect } from 'vitest';
import { sizes } from '../src/config/sizes.ts';
import type { GivenFile } from '../src/formats/givenFile.ts';
import {
  configFileOf,
  givenFile,
  jsonFile,
  sampleFiles,
  sampleShape,
  sampleWeights,
  tensorFile,
} from '../src/formats/llama/testing/sample.ts';
import type { Checkpoint, NamedArray } from '../src/records/stored/checkpoint.ts';
import tokenizerJson from '../src/extensions/worlds/houseRule/tokenizer.json' with { type: 'json' };
import { tokenizerOf } from '../src/text/tokenizer.ts';
import { test } from './browser.ts';
import { iterationOf, step, untilState } from './contract.ts';
import { readStore } from './database.ts';
import { faultsInBothThemes, modelsOf } from './visitor.ts';

const zipped = async (name: string, files: readonly GivenFile[]) => {
  const entries = await Promise.all(files.map(async (file) => [`tiny/${file.name}`, await file.bytes()] as const));
  return { name, mimeType: 'application/zip', buffer: Buffer.from(zipSync(Object.fromEntries(entries))) };
};
const micro = 'preset=micro&backend=cpu&warmStart.source=none&run.iterations=4&agents.inWords=false';

test('a model is dropped, inspected and chatted with, and one of another family is refused by name', async ({
  open,
}) => {
  const page = await open(`/?${micro}`);
  await untilState(page, ['idle']);
  const dialog = await modelsOf(page);
  const input = dialog.getByLabel('Open a model (a GGUF file, its files, or a zip)');
  const other = jsonFile('config.json', { ...configFileOf(sampleShape()), architectures: ['GPT2LMHeadModel'] });
  await input.setInputFiles(await zipped('gpt.zip', [other, ...sampleFiles().slice(1)]));
  await dialog.getByText(/LlamaForCausalLM.*, got "GPT2LMHeadModel"/).waitFor();
  await input.setInputFiles(
    await zipped('tiny.zip', sampleFiles({ type: 'BF16', shards: 2, shape: { ...sampleShape(), maxPositions: 512 } })),
  );
  await dialog.getByText(/parameters, 2 layers, width 16, 4 heads of 4, 2 of keys and values/).waitFor();
  await dialog.getByText('BF16', { exact: true }).waitFor();
  await dialog.getByText('Its 21 tensors').click();
  await dialog.getByRole('rowheader', { name: 'model.layers.1.self_attn.k_proj.weight' }).waitFor();
  const chat = dialog.getByRole('region', { name: 'Chat' });
  const say = async (words: string, answers: number) => {
    await chat.getByLabel('Say to the model').fill(words);
    await chat.getByRole('button', { name: 'Say', exact: true }).click();
    // The speed appears with the last token of an answer. The first answer must start an engine.
    await expect.poll(() => chat.getByText(/tokens\/s/).count(), { timeout: 30_000 }).toBe(answers);
  };
  await say('two and two', 1);
  await say('the cat', 2);
  await expect.poll(() => chat.getByRole('listitem').nth(1).textContent()).toMatch(/^\s*tiny/);
  expect(await faultsInBothThemes(page, 'dialog[open]')).toEqual([]);
  // With an instruction, the same text with the same draws gets another answer.
  const answer = () => chat.getByRole('listitem').nth(1).locator('p').first().innerText();
  const without = await answer();
  await chat.getByRole('button', { name: 'Begin another chat' }).click();
  await say('two and two', 1);
  expect(await answer()).toBe(without);
  await chat.getByRole('button', { name: 'Begin another chat' }).click();
  await chat.getByLabel('Instruction (system)').fill('the cat');
  await say('two and two', 1);
  expect(await answer()).not.toBe(without);
  // A text that is too long is reported, and another chat begins.
  await chat.getByLabel('Say to the model').fill('two '.repeat(600));
  await chat.getByRole('button', { name: 'Say', exact: true }).click();
  await chat.getByText(/begin another chat/).waitFor();
  await chat.getByRole('button', { name: 'Begin another chat' }).click();
  await expect.poll(() => chat.getByRole('listitem').count()).toBe(0);
});

test('a run can start from weights with the size and the vocabulary of its agents', async ({ open }) => {
  const page = await open(`/?${micro}`);
  await untilState(page, ['idle']);
  const shape = { ...sizes.micro, vocabSize: tokenizerOf(tokenizerJson).vocabSize, maxPositions: 96 };
  const weights = sampleWeights(shape);
  const dialog = await modelsOf(page);
  await dialog
    .getByLabel('Open a model (a GGUF file, its files, or a zip)')
    .setInputFiles(
      await zipped('ours.zip', [
        jsonFile('config.json', configFileOf(shape)),
        jsonFile('tokenizer.json', tokenizerJson),
        givenFile('model.safetensors', tensorFile(weights, 'F32')),
      ]),
    );
  await dialog.getByRole('button', { name: 'Begin runs with it' }).click();
  await dialog.getByRole('button', { name: 'Runs begin with it' }).waitFor();
  await page.keyboard.press('Escape');
  await untilState(page, ['idle']);
  await step(page, 1);
  const checkpoints = await readStore<Checkpoint>(page, 'checkpoints');
  const first = checkpoints.find(({ iteration, config }) => iteration === 0 && config.agents.start !== 'warmStart');
  // The transfer to the test turns −0 into 0, so the signs of zeros are ignored.
  const numbers = (arrays: readonly NamedArray[] = []) =>
    arrays.map(({ name, values }) => [name, ...Array.from(values, (value) => value + 0)]);
  expect(numbers(first?.networks[0]?.weights)).toEqual(numbers(weights));
});

test('one click sets up training with adapters on an external model, whose weights do not change', async ({ open }) => {
  const page = await open(`/?${micro}&learning.problemsPerIteration=2&learning.groupSize=2&agents.roundLimit=1`);
  await untilState(page, ['idle']);
  const dialog = await modelsOf(page);
  const shape = { ...sampleShape(), maxPositions: 512 };
  const input = dialog.getByLabel('Open a model (a GGUF file, its files, or a zip)');
  await input.setInputFiles(await zipped('theirs.zip', sampleFiles({ type: 'BF16', shards: 2, shape })));
  await dialog.getByRole('button', { name: 'Continue training with adapters' }).click();
  await dialog.getByRole('button', { name: 'Runs need it' }).waitFor();
  await dialog.getByText(/the agents share theirs, which stays frozen, and each learns a LoRA adapter/).waitFor();
  expect(await faultsInBothThemes(page, 'dialog[open]')).toEqual([]);
  await page.keyboard.press('Escape');
  await untilState(page, ['idle']);
  await step(page, 1);
  await step(page, 2);
  const stored = (await readStore<Checkpoint>(page, 'checkpoints')).filter(({ foreign }) => foreign);
  const [first, last] = [stored[0], stored.at(-1)];
  expect([first?.iteration, first?.foreign?.label, first?.config.agents.parameters]).toEqual([0, 'theirs', 'lora']);
  const numbers = (arrays: readonly NamedArray[] = []) =>
    arrays.map(({ name, values }) => [name, ...Array.from(values, (value) => value + 0)]);
  expect(last?.iteration).toBeGreaterThan(0);
  expect(numbers(last?.base)).toEqual(numbers(sampleWeights(shape)));
  for (const [n, { weights }] of (last?.networks ?? []).entries())
    expect(numbers(weights)).not.toEqual(numbers(first?.networks[n]?.weights));
  // A page that has never opened the model can continue the run, because the model is stored with the run.
  await page.goto(`${new URL(page.url()).origin}/?${micro}`);
  await untilState(page, ['idle']);
  await page.getByRole('button', { name: 'Resume' }).click();
  await untilState(page, ['done']);
  expect(await iterationOf(page)).toBe(4);
});
