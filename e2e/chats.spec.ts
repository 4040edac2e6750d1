// The adapters of a model imitate chats from a file before reinforcement learning. The page shows a loss curve, the
// imitation continues after a stop, and the adapters can be saved before the first iteration.
import { unzipSync, zipSync } from 'fflate';
import { expect } from 'vitest';
import { sampleFiles, sampleShape } from '../src/formats/llama/testing/sample.ts';
import { readSafetensors } from '../src/formats/safetensors.ts';
import type { RunRecord } from '../src/records/stored/checkpoint.ts';
import { test } from './browser.ts';
import { iterationOf, step, untilState } from './contract.ts';
import { readStore } from './database.ts';
import { download, faultsInBothThemes, fileOf, modelsOf } from './visitor.ts';

const link =
  '/?preset=countLegs&backend=cpu&warmStart.source=none&warmStart.modelSteps=2000&warmStart.modelImitates=chats&warmStart.batchSize=4&agents.loraRank=4&run.iterations=3&learning.problemsPerIteration=1&learning.groupSize=2&evaluation.problems=8';

const chat = (content: string, more: object = {}) =>
  `${JSON.stringify({
    ...more,
    messages: [
      { role: 'user', content: 'two and two' },
      { role: 'assistant', content },
    ],
  })}\n`;

test('imported chats are imitated with a loss curve, also after a stop, and the trained adapters can be saved', async ({
  open,
}) => {
  const page = await open(link);
  await untilState(page, ['idle']);
  const files = sampleFiles({ shape: { ...sampleShape(), maxPositions: 2048 } });
  const entries = await Promise.all(files.map(async (file) => [`tiny/${file.name}`, await file.bytes()] as const));
  const buffer = Buffer.from(zipSync(Object.fromEntries(entries)));
  const dialog = await modelsOf(page);
  await dialog
    .getByLabel('Open a model (a GGUF file, its files, or a zip)')
    .setInputFiles({ name: 'tiny.zip', mimeType: 'application/zip', buffer });
  await dialog.getByRole('button', { name: 'Continue training with adapters' }).click();
  await page.keyboard.press('Escape');
  // Without its chats the run does not start, and the page says that they are missing.
  await page.getByText('no chats have been imported').first().waitFor();
  const input = page.getByLabel('Import chats (JSONL)');
  await input.setInputFiles(fileOf('chats.jsonl', chat('four') + chat('', { agent: 'planner' })));
  await page.getByText(/line 2: messages: expected a message of the assistant/).waitFor();
  await input.setInputFiles(fileOf('chats.jsonl', chat('four') + chat('the sum', { agent: 'reasoner' })));
  await page.getByRole('img', { name: /^Supervised loss:/ }).waitFor();
  await page.getByText('2 chats to imitate.').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await untilState(page, ['idle']);
  await page.getByRole('button', { name: /^(Continue preparing|Prepare)$/ }).click();
  await page.getByRole('img', { name: /^Supervised loss:/ }).waitFor();
  expect(await faultsInBothThemes(page, '.standing')).toEqual([]);
  await untilState(page, ['idle']);
  await page.getByText('The adapters imitated chats.jsonl.').waitFor();
  expect(await iterationOf(page)).toBe(0);
  // The trained adapters are saved before reinforcement learning.
  const { bytes } = await download(page, 'Weights · planner');
  const adapter = unzipSync(bytes)['adapter/adapter_model.safetensors'];
  const moved = readSafetensors(adapter as Uint8Array).tensors.filter(({ name }) => name.includes('lora_B'));
  expect(moved.length).toBeGreaterThan(0);
  for (const { values } of moved) expect([...values].some((value) => value !== 0)).toBe(true);
  await step(page, 1);
  const [run] = await readStore<RunRecord>(page, 'runs');
  expect(run?.imports).toMatchObject([{ kind: 'chats', name: 'chats.jsonl', iteration: 0 }]);
});
