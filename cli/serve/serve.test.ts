// Tests the shipped server over HTTP: its answers must have the same probabilities as the answers of the exported
// model.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Tokenizer } from '@huggingface/tokenizers';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { llamaLogits, type LlamaConfigFile } from '../../src/formats/reference/llama.ts';
import { readTensors } from '../../src/formats/reference/safetensors.ts';
import { buildProgram, cothink, programFile, removeProgram } from '../testing/program.ts';
import { eventsIn } from './testing/served.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-'));
const at = (name: string) => path.join(folder, name);
const children: ChildProcess[] = [];
let url = '';
let model = '';

interface Choice {
  text?: string;
  message?: { role: string; content: string };
  finish_reason: string;
  logprobs: { tokens: string[]; token_logprobs: number[]; content?: { token: string; logprob: number }[] } | null;
}
interface Answer {
  choices: Choice[];
  usage: { prompt_tokens: number; completion_tokens: number };
  error?: { message: string };
}

/** Starts a server and returns its address and the names of the models that it serves. */
function started(...args: string[]): Promise<{ url: string; models: string[] }> {
  const child = spawn(process.execPath, [programFile(), 'serve', '--port', '0', '--json', ...args]);
  children.push(child);
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) =>
      resolve(JSON.parse(line) as { url: string; models: string[] }),
    );
    child.stderr.on('data', (bytes: Buffer) => reject(new Error(bytes.toString())));
  });
}

const post = (place: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${url}${place}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const ask = async (place: string, body: object) => {
  const response = await post(place, body);
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
};

beforeAll(async () => {
  buildProgram();
  const { code } = await cothink([
    'train',
    '--preset',
    'micro',
    '--set',
    'run.backend=cpu',
    '--set',
    'run.iterations=2',
    '--out',
    at('run'),
  ]);
  expect(code).toBe(0);
  const served = await started(at('run'));
  url = served.url;
  model = served.models.find((id) => id.endsWith('/reasoning')) ?? '';
}, 120_000);
afterAll(() => {
  for (const child of children) child.kill('SIGTERM');
  removeProgram();
  rmSync(folder, { recursive: true });
});

/** The log-probability of a token under these logits. */
function logprobIn(logits: ArrayLike<number>, id: number): number {
  const row = Array.from(logits);
  return (row[id] as number) - Math.log(row.reduce((sum, logit) => sum + Math.exp(logit), 0));
}

describe('cothink serve', () => {
  it('serves the page with the headers that isolate it', async () => {
    const response = await fetch(url);
    expect(await response.text()).toContain('<title>');
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(response.headers.get('cross-origin-embedder-policy')).toBe('require-corp');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
  });

  it('lists the team and one model for each agent, each with an example that it answers', async () => {
    interface Listed {
      id: string;
      vocabulary?: string[];
      max_model_len: number;
      example: { messages?: object[]; prompt?: string };
    }
    const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: Listed[] };
    expect(data.map(({ id }) => id.split('/')[1])).toEqual([undefined, 'metaThinking', 'reasoning']);
    expect(data[1]?.vocabulary).toContain('<eot>');
    for (const { id, example, max_model_len: window } of data) {
      expect(window).toBeGreaterThan(0);
      expect(await (await fetch(`${url}/v1/models/${id}`)).json()).toMatchObject({ id });
      await ask(example.messages ? '/v1/chat/completions' : '/v1/completions', { model: id, ...example });
    }
  });

  it('gives each token the probability that the exported weights give it', async () => {
    await cothink(['export', at('run'), '--as', 'weights', '--agent', '1', '--out', at('model.zip')]);
    const files = unzipSync(readFileSync(at('model.zip')));
    const json = (name: string) => JSON.parse(new TextDecoder().decode(files[name])) as object;
    const tokenizer = new Tokenizer(json('tokenizer.json'), json('tokenizer_config.json'));
    const prompt = '<bos>2+3<eot><meta>+<eot><reason>';
    const { choices, usage } = await ask('/v1/completions', { model, prompt, max_tokens: 5, logprobs: 0, seed: 3 });
    const { tokens, token_logprobs: logprobs } = choices[0]?.logprobs ?? { tokens: [], token_logprobs: [] };
    const { ids } = tokenizer.encode(prompt, { add_special_tokens: false });
    expect(usage.prompt_tokens).toBe(ids.length);
    const said = tokens.map((token) => tokenizer.token_to_id(token) as number);
    const logits = llamaLogits(
      json('config.json') as LlamaConfigFile,
      readTensors(files['model.safetensors'] as Uint8Array),
      [...ids, ...said],
    );
    for (const [i, id] of said.entries()) {
      expect(logprobs[i]).toBeCloseTo(logprobIn(logits[ids.length - 1 + i] as ArrayLike<number>, id), 4);
    }
    expect(said.length).toBeGreaterThan(0);
    const scored = await ask('/v1/completions', {
      ...{ model, prompt: [ids], max_tokens: 1, temperature: 0 },
      ...{ logprobs: 1, echo: true },
    });
    const [none, ...given] = scored.choices[0]?.logprobs?.token_logprobs ?? [];
    expect(none).toBeNull();
    // The generated token is counted even if it ends the answer without a text, so clients find the end of the prompt.
    expect(given).toHaveLength(ids.length);
    for (const [i, logprob] of given.slice(0, -1).entries())
      expect(logprob).toBeCloseTo(logprobIn(logits[i] as ArrayLike<number>, ids[i + 1] as number), 4);
  });

  it('answers a chat with the template of the role, the same for one seed, and streamed token by token', async () => {
    const messages = [
      { role: 'user', content: '2+3' },
      { role: 'user', content: '+' },
    ];
    const asked = { model, messages, seed: 7, max_tokens: 6, logprobs: true, n: 2 };
    const whole = await ask('/v1/chat/completions', asked);
    expect(await ask('/v1/chat/completions', asked)).toMatchObject({ choices: whole.choices, usage: whole.usage });
    const raw = await ask('/v1/completions', {
      model,
      prompt: '<bos>2+3<eot><meta>+<eot><reason>',
      seed: 7,
      max_tokens: 6,
      n: 2,
    });
    expect(whole.choices.map(({ message }) => message?.content)).toEqual(raw.choices.map(({ text }) => text));
    const response = await post('/v1/chat/completions', { ...asked, stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const chunks = eventsIn(await response.text()) as {
      choices: [{ index: number; delta: { content?: string }; finish_reason: string | null }];
    }[];
    const streamed = [0, 1].map((index) =>
      chunks
        .filter(({ choices: [one] }) => one.index === index)
        .map(({ choices: [one] }) => one.delta.content ?? '')
        .join(''),
    );
    expect(streamed).toEqual(whole.choices.map(({ message }) => message?.content));
    expect(whole.choices[0]?.logprobs?.content?.map(({ token }) => token).join('')).toBe(streamed[0]);
  });

  it('answers 100 requests at once, each by its seed', async () => {
    const wish = (seed: number) => ({ model, prompt: '<bos>2+3<eot><reason>', max_tokens: 3, seed });
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => (await post('/v1/completions', wish(i))).status),
    );
    // If the queue is full, the client gets status 503, which means that it should try again later.
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(64);
    expect((await ask('/v1/completions', wish(1))).choices).toEqual((await ask('/v1/completions', wish(1))).choices);
  });

  it.each([
    ['no JSON', '{', 400, 'expected JSON'],
    ['a field of another kind', { model: 'x', prompt: 3 }, 400, 'prompt: expected'],
    ['a field out of bounds', { prompt: 'x', n: 99 }, 400, 'n: expected a whole number from 1 to 16'],
    ['no text', {}, 400, 'prompt: expected a value, got nothing'],
    ['signs that the model does not know', { prompt: '<bos>é' }, 400, ''],
    ['a text longer than any context', { prompt: '<bos>'.repeat(999) }, 400, 'prompt: expected at most'],
    ['a model that is none', { model: 'gpt', prompt: '<bos>' }, 404, 'model: expected one of'],
    ['more than a megabyte', { prompt: 'x'.repeat(1_100_000) }, 413, 'at most 1000000 bytes'],
  ])('refuses %s by name, and goes on', async (_, body, status, words) => {
    const response = await post('/v1/completions', body);
    expect(response.status).toBe(status);
    expect(((await response.json()) as Answer).error?.message).toContain(words);
    expect((await fetch(`${url}/v1/models`)).status).toBe(200);
  });

  it('gives the rewards of completions over HTTP, and survives a request without a path', async () => {
    const problem = { shown: '1-2*9', hidden: { rule: '<precedence>' } };
    const response = await post('/reward', { world: 'houseRule', problem, completions: ['3', '4'] });
    expect(await response.json()).toMatchObject({ rewards: [1, 0], answers: ['3', '4'] });
    const refused = await post('/reward', { world: 'houseRule', problem });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('completions') } },
    ]);
    const { port } = new URL(url);
    await new Promise((resolve) => request({ port, path: '//' }, resolve).end());
    expect((await fetch(`${url}/v1/models`)).status).toBe(200);
  });

  it('refuses what a page of another site could send', async () => {
    const plain = await post('/v1/completions', { prompt: '<bos>' }, { 'content-type': 'text/plain' });
    expect(plain.status).toBe(415);
    const status = await new Promise((resolve) => {
      request(`${url}/v1/models`, { headers: { host: 'elsewhere.example' } }, (response) =>
        resolve(response.statusCode),
      ).end();
    });
    expect(status).toBe(403);
  });

  it('with a token answers only those who send it', async () => {
    const guarded = await started(at('run'), '--token', 'secret');
    const status = async (authorization?: string) =>
      (await fetch(`${guarded.url}/v1/models`, authorization ? { headers: { authorization } } : {})).status;
    expect([await status(), await status('Bearer other'), await status('Bearer secret')]).toEqual([401, 401, 200]);
  });

  it('does not listen for other machines without a token, and names a port that is in use', async () => {
    const open = await cothink(['serve', at('run'), '--host', '0.0.0.0']);
    expect([open.code, open.err]).toEqual([2, expect.stringContaining('add --token')]);
    const taken = await cothink(['serve', '--port', new URL(url).port]);
    expect([taken.code, taken.err.trimEnd().split('\n')]).toEqual([
      2,
      [expect.stringContaining('is used by another program')],
    ]);
  });
});
