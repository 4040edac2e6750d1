// Tests an external model in the shipped program: it is described, copied and served.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Template } from '@huggingface/jinja';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelCard } from '../../src/records/stored/modelCard.ts';
import type { GivenFile } from '../../src/formats/givenFile.ts';
import {
  configFileOf,
  jsonFile,
  sampleFiles,
  sampleShape,
  sampleTemplate,
  sampleTokenizer,
  sampleWeights,
} from '../../src/formats/llama/testing/sample.ts';
import { ggufShapeOf, sampleGguf } from '../../src/formats/gguf/testing/sampleGguf.ts';
import { llamaLogits } from '../../src/formats/reference/llama.ts';
import { tokenizerOf } from '../../src/text/tokenizer.ts';
import { StorageError } from '../../src/base/errors.ts';
import { CommandArguments } from '../command.ts';
import { openRun } from '../runFolder.ts';
import { inTime } from '../serve/http.ts';
import { importModel, labelOf } from './model.ts';
import { buildProgram, cothink, programFile, removeProgram } from '../testing/program.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-'));
const at = (name: string) => path.join(folder, name);
const children: ChildProcess[] = [];

async function write(into: string, files: readonly GivenFile[]): Promise<void> {
  mkdirSync(at(into), { recursive: true });
  for (const { name, bytes } of files) writeFileSync(path.join(at(into), name), await bytes());
}

beforeAll(async () => {
  buildProgram();
  await write('llama', sampleFiles({ type: 'BF16', shards: 2 }));
  const entries = await Promise.all(
    sampleFiles().map(async ({ name, bytes }) => [`llama/${name}`, await bytes()] as const),
  );
  writeFileSync(at('llama.zip'), zipSync(Object.fromEntries(entries)));
}, 120_000);
afterAll(() => {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true });
  removeProgram();
});

const told = async (...args: string[]) => {
  const { code, out, err } = await cothink([...args, '--json']);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as ModelCard & { folder: string };
};

/** Starts a server of a model. */
function served(name: string): Promise<{ url: string; models: string[] }> {
  const child = spawn(process.execPath, [programFile(), 'serve', at(name), '--port', '0', '--json']);
  children.push(child);
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) =>
      resolve(JSON.parse(line) as { url: string; models: string[] }),
    );
    child.stderr.on('data', (bytes: Buffer) => reject(new Error(bytes.toString())));
  });
}

it.each(['m1', 'm1.zip', 'm1.gguf', 'm1/config.json', './m1/'])(
  '%s gets the name of its folder or its file',
  (place) => {
    expect(labelOf(place)).toBe('m1');
  },
);

describe('weights without the rest of their model', () => {
  it.each(['model.safetensors', 'pytorch_model.bin'])('as %s alone are reported as what they are', async (name) => {
    writeFileSync(at(name), 'GGUF');
    for (const command of ['info', 'serve', 'import']) {
      const { code, err } = await cothink([command, at(name)]);
      expect([code, err]).toEqual([
        2,
        expect.stringContaining(`${name}: this is only one of several files of a model`),
      ]);
    }
  });

  it('in a folder are reported with the missing parts', async () => {
    await write(
      'half',
      sampleFiles().filter(({ name }) => name !== 'config.json'),
    );
    const { code, err } = await cothink(['info', at('half')]);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('half/config.json: this file is missing next to model.safetensors'),
    ]);
  });
});

describe('an external model', () => {
  const micro = [
    '--preset',
    'micro',
    '--set',
    'run.backend=cpu',
    '--set',
    'run.iterations=1',
    '--set',
    'warmStart.source=none',
  ];
  const trained = async (out: string, ...set: string[]) => {
    const args = ['train', ...micro, ...set.flatMap((one) => ['--set', one]), '--out', at(out)];
    expect((await cothink(args)).err).toBe('');
    const run = await openRun(at(out));
    return { first: await run.checkpoint(0), last: await run.checkpoint(1) };
  };

  it('is described from a folder of shards and from a zip, and is the same after it is copied', async () => {
    const card = await told('info', at('llama'));
    expect(card).toMatchObject({
      label: 'llama',
      shape: sampleShape(),
      types: ['BF16'],
      endings: ['</s>'],
      hasTemplate: true,
    });
    const { name, folder: copied } = await told('import', at('llama.zip'), '--out', at('copied'));
    expect([name, copied]).toEqual([card.name, at('copied')]);
    expect((await told('info', copied)).name).toBe(card.name);
    const again = await cothink(['import', at('llama.zip'), '--out', at('copied')]);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('choose another folder')]);
  });

  it('in a single GGUF file is described, copied, served, and used as a start', async () => {
    const shape = ggufShapeOf({ maxPositions: 512 });
    writeFileSync(at('alone.gguf'), sampleGguf({ shape, format: 'Q4_1' }));
    const card = await told('info', at('alone.gguf'));
    expect(card).toMatchObject({ label: 'alone', types: ['Q4_1', 'F32'], endings: ['</s>'], hasTemplate: true });
    const { name, folder: copied } = await told('import', at('alone.gguf'), '--out', at('unpacked'));
    expect([name, readdirSync(copied)]).toEqual([card.name, ['alone.gguf']]);
    expect(readFileSync(at('unpacked/alone.gguf'))).toEqual(readFileSync(at('alone.gguf')));
    const { url, models } = await served('unpacked');
    expect(models).toEqual(['unpacked']);
    const answer = await fetch(`${url}/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'unpacked', prompt: 'two', max_tokens: 2 }),
    });
    expect(answer.status).toBe(200);
    const { first, last } = await trained(
      'onGguf',
      'agents.parameters=lora',
      'agents.loraRank=2',
      `agents.start=${at('alone.gguf')}`,
      'agents.inWords=false',
    );
    expect(first.config.agents.start).toBe(card.name);
    expect(last.base?.map((array) => array.name)).toEqual(card.tensors.map((tensor) => tensor.name));
  });

  it('in a GGUF file that is damaged is refused in one line', async () => {
    writeFileSync(at('cut.gguf'), sampleGguf().subarray(0, 50_000));
    for (const command of ['info', 'import', 'serve']) {
      const { code, err } = await cothink([command, at('cut.gguf')]);
      expect([code, err.trimEnd().split('\n')]).toEqual([
        2,
        [expect.stringMatching(/cut\.gguf: GGUF: .*is the file complete\?/)],
      ]);
    }
  });

  it('of another family, or an incomplete one, is refused in one line, and nothing is copied', async () => {
    const other = jsonFile('config.json', { ...configFileOf(sampleShape()), architectures: ['Gemma2ForCausalLM'] });
    await write('gemma2', [...sampleFiles().filter(({ name }) => name !== 'config.json'), other]);
    await write('cut', sampleFiles({ weights: sampleWeights(sampleShape()).slice(0, -1) }));
    for (const [place, words] of [
      ['gemma2', 'choose one of these'],
      ['cut', 'lm_head.weight: this array of the shape'],
    ] as const) {
      const { code, err } = await cothink(['import', at(place), '--out', at('refused')]);
      expect([code, err.trimEnd().split('\n')]).toEqual([2, [expect.stringContaining(words)]]);
    }
    expect(readdirSync(folder)).not.toContain('refused');
  });

  it('is copied completely or not at all, so that an interrupted copy can be repeated', async () => {
    const files = sampleFiles();
    // In the check, the file is read array by array. In the copy, the whole file is read, and this read fails.
    const failing = files.map((file) =>
      file.name === 'model.safetensors'
        ? {
            ...file,
            range: (from: number, to: number) =>
              to - from === file.size ? Promise.reject(new Error('gone')) : file.range(from, to),
          }
        : file,
    );
    const given = new CommandArguments([at('llama')], new Map([['out', [`${at('broken')}/`]]]));
    await expect(importModel(given, failing)).rejects.toThrow(StorageError);
    expect(readdirSync(folder).filter((name) => name.startsWith('broken'))).toEqual([]);
    expect((await told('import', at('llama'), '--out', `${at('broken')}/`)).label).toBe('llama');
  });

  it('with a template that takes too long is refused with the reason, and the next request is answered', async () => {
    const wild = "{{ range(90000)|length }}{{ messages[0]['content'] }}";
    const config = jsonFile('tokenizer_config.json', { eos_token: '</s>', chat_template: wild });
    await write('wild', [...sampleFiles().filter(({ name }) => name !== 'tokenizer_config.json'), config]);
    const { url } = await served('wild');
    const ask = (place: string, body: object) =>
      fetch(`${url}/v1/${place}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ max_tokens: 1, ...body }),
      });
    const refused = await ask('chat/completions', { messages: [{ role: 'user', content: 'two' }] });
    const { error } = (await refused.json()) as { error: { message: string } };
    expect([refused.status, error.message]).toEqual([
      400,
      expect.stringContaining('chat template produces a text or a list that is too long; shorten the chat'),
    ]);
    expect((await ask('completions', { prompt: 'two' })).status).toBe(200);
  });

  it('has a time limit for each text, for every kind of search', () => {
    const search = () => /^(a+)+$/.test(`${'a'.repeat(26)}!`);
    expect(() => inTime(search, 20)).toThrow(/takes longer than 0.02 s for it; shorten the text/);
    expect(inTime(() => 3, 1000)).toBe(3);
    expect(() =>
      inTime(() => {
        throw new StorageError('x');
      }, 1000),
    ).toThrow(StorageError);
  });

  it('answers /v1 with its own tokens and template, and with the probabilities of a second implementation', async () => {
    const { url, models } = await served('llama');
    expect(models).toEqual(['llama']);
    const ask = async (place: string, body: object) => {
      const response = await fetch(`${url}/v1/${place}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'llama', seed: 3, max_tokens: 6, ...body }),
      });
      expect(response.status).toBe(200);
      return (await response.json()) as {
        choices: { text: string; message: { content: string }; logprobs: { token_logprobs: number[] } }[];
        usage: { prompt_tokens: number };
      };
    };
    const tokenizer = tokenizerOf(sampleTokenizer());
    const messages = [{ role: 'user', content: 'two and two' }];
    const prompt = new Template(sampleTemplate).render({
      messages,
      add_generation_prompt: true,
      bos_token: '<s>',
      eos_token: '</s>',
    });
    expect(prompt).toBe('<s><|user|>two and two</s><|assistant|>');
    const [plain, chat] = [
      await ask('completions', { prompt, logprobs: 0, temperature: 0 }),
      await ask('chat/completions', { messages, temperature: 0 }),
    ];
    expect(chat.choices[0]?.message.content).toBe(plain.choices[0]?.text);
    const ids = tokenizer.encode(prompt);
    expect([plain.usage.prompt_tokens, chat.usage.prompt_tokens]).toEqual([ids.length, ids.length]);
    const weights = sampleWeights(sampleShape());
    const config = { ...configFileOf(sampleShape()), rope_theta: sampleShape().ropeTheta };
    const row = [...ids];
    const logprobsOf = (logits: readonly number[]) => {
      const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
      return logits.map((logit) => logit - total);
    };
    for (const logprob of plain.choices[0]?.logprobs.token_logprobs ?? []) {
      const last = logprobsOf(llamaLogits(config, weights, row).at(-1) as number[]);
      const best = last.indexOf(Math.max(...last));
      row.push(best);
      // At temperature 0, the likeliest token is taken, with its log-probability at temperature 1.
      expect(logprob).toBeCloseTo(last[best] as number, 4);
    }
    expect(plain.choices[0]?.text).toBe(tokenizer.decode(row.slice(ids.length)));
    const sampled = await ask('completions', { prompt, logprobs: 0, temperature: 1, max_tokens: 1 });
    const of = logprobsOf(llamaLogits(config, weights, ids).at(-1) as number[]);
    const nearest = Math.min(...of.map((one) => Math.abs(one - (sampled.choices[0]?.logprobs.token_logprobs[0] ?? 9))));
    expect(nearest).toBeLessThan(1e-4);
  });

  it('of ours is what a run starts from, bit for bit: exported, or as a stored run has it; whole, as adapters, or one agent’s', async () => {
    const { first, last } = await trained('teacher');
    await cothink(['export', at('teacher'), '--as', 'weights', '--out', at('teacher.zip')]);
    const [wanted] = last.networks.map(({ weights }) => weights);
    const again = await trained('again', `agents.start=${at('teacher.zip')}`, 'run.seed=9');
    expect(again.first.networks[0]?.weights).toEqual(wanted);
    expect(again.first.config.agents.start).toMatch(/^model-/);
    const apart = await trained('apart', 'agents.parameters=separate', `agents.otherStart=${at('teacher')}@1`);
    expect(apart.first.networks[0]?.weights).not.toEqual(wanted);
    expect(apart.first.networks[1]?.weights).toEqual(wanted);
    const three = await trained(
      'three',
      ...['protocol=debate', 'count=3', 'parameters=separate'].map((one) => `agents.${one}`),
      `agents.otherStart=${at('teacher')}@1,${at('teacher')}@0`,
    );
    expect([1, 2].map((n) => three.first.networks[n]?.weights)).toEqual([wanted, first.networks[0]?.weights]);
    const adapted = await trained('adapted', 'agents.parameters=lora', `agents.start=${at('teacher')}#1`);
    expect(adapted.first.base).toEqual(wanted);
    expect(adapted.last.base).toEqual(wanted);
  });

  it('of other tokens is what a run of adapters stands on: trained, taken up again, measured, taken away, and begun from once more', async () => {
    await write('theirs', sampleFiles({ type: 'BF16', shards: 2, shape: { ...sampleShape(), maxPositions: 512 } }));
    const stands = [
      'agents.parameters=lora',
      'agents.inWords=false',
      'agents.loraRank=4',
      `agents.start=${at('theirs')}`,
    ];
    const { first, last } = await trained('stands', ...stands);
    expect(last.base).toEqual(first.base);
    expect(first.base?.map(({ values }) => [...values])).toEqual(
      sampleWeights(sampleShape()).map(({ values }) => [...values]),
    );
    expect(last.networks.map(({ weights }) => weights)).not.toEqual(first.networks.map(({ weights }) => weights));
    expect((await cothink(['train', '--resume', '--out', at('stands')])).err).toBe('');
    expect((await cothink(['eval', at('stands')])).err).toBe('');
    await cothink(['export', at('stands'), '--as', 'weights', '--out', at('stands.zip')]);
    const { endings, shape } = await told('info', at('stands.zip'));
    expect([endings, shape.maxPositions]).toEqual([['</s>', '<|user|>'], 512]);
    const again = await trained('again-theirs', ...stands.slice(0, 3), `agents.start=${at('stands.zip')}`);
    expect(again.first.base).not.toEqual(first.base);
    const { code, err } = await cothink(['export', at('stands'), '--for', 'trl', '--out', at('stands-trl')]);
    expect([code, err]).toEqual([2, expect.stringContaining('--as weights')]);
  });

  it('talks in plain English if its world has it: Pass it on is trained, measured and exported', async () => {
    await write('talker', sampleFiles({ shape: { ...sampleShape(), maxPositions: 512 } }));
    const few = [
      'run.backend=cpu',
      'run.iterations=2',
      'evaluation.problems=8',
      'agents.loraRank=4',
      'learning.groupSize=4',
    ];
    const set = few.flatMap((one) => ['--set', one]);
    const untaught = await cothink(['train', '--preset', 'passItOn', ...set, '--out', at('passed')]);
    expect([untaught.code, untaught.err]).toEqual([2, expect.stringContaining('pass its file with --model FILE.gguf')]);
    const start = ['--preset', 'passItOn', '--model', at('talker')];
    const { code, err, news } = await cothink(['train', ...start, ...set, '--out', at('passed')]);
    expect([code, err]).toEqual([0, '']);
    expect(news.filter(({ event }) => event === 'iteration')).toHaveLength(2);
    const run = await openRun(at('passed'));
    const { networks, foreign } = await run.checkpoint(2);
    expect(networks).toHaveLength(1);
    expect(foreign?.chat?.template).toBe(sampleTemplate);
    expect((await cothink(['eval', at('passed')])).err).toBe('');
    await cothink(['export', at('passed'), '--as', 'weights', '--out', at('passed.zip')]);
    expect((await told('info', at('passed.zip'))).hasTemplate).toBe(true);
    // Its run file names the model by its content, so another file is refused.
    await cothink(['export', at('passed'), '--as', 'run', '--out', at('passed.yaml')]);
    const other = await cothink(['train', at('passed.yaml'), '--model', at('teacher.zip'), '--out', at('never')]);
    expect([other.code, other.err]).toEqual([
      2,
      expect.stringMatching(/another model \(model-.*the run file \(model-/),
    ]);
    const again = await cothink([
      'train',
      at('passed.yaml'),
      '--model',
      at('talker'),
      '--seeds',
      '1',
      '--out',
      at('two'),
    ]);
    expect([again.code, again.err]).toEqual([0, '']);
    const [seed] = readdirSync(at('two'));
    const same = await (await openRun(at(`two/${seed}`))).checkpoint(2);
    expect(same.networks[0]?.weights).toEqual(networks[0]?.weights);
  });

  it('that has another size or other tokens, or is missing, is refused as a start with a remedy', async () => {
    const refused = async (...set: string[]) => {
      const { code, err } = await cothink([
        'train',
        ...micro,
        ...set.flatMap((one) => ['--set', one]),
        '--out',
        at('none'),
      ]);
      expect([code, err.trimEnd().split('\n').length]).toEqual([2, 1]);
      return err;
    };
    expect(await refused(`agents.start=${at('teacher.zip')}`, 'agents.size=tiny')).toContain('use agents.size = micro');
    expect(await refused(`agents.start=${at('llama')}`)).toContain('and these agents use different tokens');
    expect(await refused('agents.start=model-0123456789abcdef')).toContain('are not available');
    expect(await refused(`agents.start=${at('adapted')}`)).toContain('export');
    expect(await refused(`agents.start=${at('teacher')}#7`)).toContain('expected an agent from 0 to 1');
    expect(await refused(`agents.start=${at('nowhere')}`)).toContain('there is no such file or folder');
  });
});
