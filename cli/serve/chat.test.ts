// Tests the command-line chat with an external model, through the shipped program.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleGguf } from '../../src/formats/gguf/testing/sampleGguf.ts';
import { shown } from '../terminal.ts';
import { buildProgram, programFile, removeProgram } from '../testing/program.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-chat-'));
const template = '{% for m in messages %}{{ m.content }}\n{% endfor %}';
const model = path.join(folder, 'theirs.gguf');

beforeAll(() => {
  buildProgram();
  writeFileSync(model, sampleGguf({ format: 'Q8_0', metadata: { 'tokenizer.chat_template': template } }));
}, 120_000);
afterAll(() => {
  removeProgram();
  rmSync(folder, { recursive: true });
});

async function chat(lines: string, ...options: string[]) {
  const child = spawn(process.execPath, [programFile(), 'chat', model, '--tokens', '12', ...options]);
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.end(lines);
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, out, err };
}

it('answers each line, the same from the same seed, and remembers what was said before', async () => {
  const [first, again] = [await chat('tell me\nand then\n', '--json'), await chat('tell me\nand then\n')];
  expect([first.code, again.code]).toEqual([0, 0]);
  const said = first.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { text: string; tokens: number });
  expect(said).toHaveLength(2);
  for (const { tokens } of said) expect(tokens).toBeLessThanOrEqual(12);
  expect(again.out).toBe(said.map(({ text }) => `${shown(text)}\n`).join(''));
  const { err } = await chat('tell me\nand then\n', '--prompt');
  expect(err.split('tell me')).toHaveLength(3); // once in each prompt
});

it('shows the prompt as the model reads it, with the system’s words', async () => {
  const { err } = await chat('tell me\n', '--prompt', '--system', 'be brief');
  expect(err).toContain('be brief');
  expect(err).toContain('tell me');
});

it('refuses settings by name', async () => {
  expect(await chat('', '--temperature', 'hot')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--temperature: expected a number from 0 to 2, got "hot".') as string,
  });
  expect(await chat('', '--agent', 'nobody')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--agent: expected theirs') as string,
  });
});
