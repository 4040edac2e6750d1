// Tests, with the shipped program, adapters that imitate chats from a file, and a training that is broken off meanwhile.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/base/sha256.ts';
import { sampleFiles, sampleShape } from '../../src/formats/llama/testing/sample.ts';
import { readSafetensors } from '../../src/formats/safetensors.ts';
import { openRun } from '../runFolder.ts';
import { buildProgram, cothink, removeProgram } from '../testing/program.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-chats-'));
const at = (name: string) => path.join(folder, name);
const set = (settings: Record<string, string | number>) =>
  Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
const asked = (settings: Record<string, string | number> = {}) => [
  ...['train', '--preset', 'countLegs'],
  ...set({
    'run.backend': 'cpu',
    'run.iterations': 1,
    'agents.start': at('tiny'),
    'agents.loraRank': 4,
    'learning.problemsPerIteration': 1,
    'learning.groupSize': 2,
    'evaluation.problems': 8,
    'optimiser.learningRate': 0.01,
    'warmStart.batchSize': 4,
    'warmStart.modelSteps': 150,
    'warmStart.modelImitates': 'chats',
    ...settings,
  }),
];
const chat = (content: string) =>
  `${JSON.stringify({
    messages: [
      { role: 'user', content: 'two and two' },
      { role: 'assistant', content },
    ],
  })}\n`;
const chats = chat('four') + chat('the sum');
const given = ['--chats', at('chats.jsonl')];

beforeAll(async () => {
  buildProgram();
  mkdirSync(at('tiny'));
  for (const { name, bytes } of sampleFiles({ shape: { ...sampleShape(), maxPositions: 2048 } }))
    writeFileSync(path.join(at('tiny'), name), await bytes());
  writeFileSync(at('chats.jsonl'), chats);
  writeFileSync(at('bad.jsonl'), `${chats}{"messages":[{"role":"user","content":"two"}]}\n`);
}, 120_000);
afterAll(() => {
  removeProgram();
  rmSync(folder, { recursive: true });
});

describe('cothink train --chats', () => {
  it('is refused with the missing file or settings, or with the faulty line', async () => {
    const refused = async (args: string[]) => {
      const { code, err } = await cothink([...args, '--out', at('refused')]);
      expect(code).toBe(2);
      return err;
    };
    expect(await refused(asked())).toContain('warmStart.modelImitates: no chats have been imported');
    expect(await refused([...asked({ 'warmStart.modelImitates': 'demonstrations' }), ...given])).toContain(
      '--chats: with these settings, no chats are imitated; add --set warmStart.modelImitates=chats.',
    );
    expect(await refused([...asked(), '--chats', at('bad.jsonl')])).toMatch(
      /bad\.jsonl: line 3: messages: expected a message of the assistant/,
    );
  });

  it('resumes with the same file after an interruption, and gives the same adapters', async () => {
    let isAsked = false;
    const broken = await cothink([...asked(), ...given, '--out', at('broken')], (news, kill) => {
      if (news.event !== 'progress' || isAsked || Number(news['share']) < 0.2) return;
      isAsked = true;
      kill('SIGINT');
    });
    expect([broken.code, readdirSync(at('broken')).sort()]).toEqual([130, ['run.record', 'warmStart.record']]);
    const without = await cothink([...asked(), '--resume', '--out', at('broken')]);
    expect([without.code, without.err]).toEqual([
      2,
      expect.stringContaining('this run imitates the chats in chats.jsonl, which has not been imported'),
    ]);
    const resumed = await cothink([...asked(), ...given, '--resume', '--out', at('broken')]);
    expect([resumed.code, resumed.err]).toEqual([0, '']);
    const first = resumed.news.find(({ event }) => event === 'progress');
    expect(Number(first?.['share'])).toBeGreaterThan(0.19);
    const whole = await cothink([...asked(), ...given, '--out', at('whole')]);
    expect([whole.code, whole.err]).toEqual([0, '']);
    const losses = whole.news.filter(({ event }) => event === 'progress').map((one) => Number(one['loss']));
    expect(losses.at(-1)).toBeLessThan(0.8 * (losses[0] as number));
    const [one, other] = [await openRun(at('broken')), await openRun(at('whole'))];
    expect((await one.checkpoint(1)).networks).toEqual((await other.checkpoint(1)).networks);
    expect((await one.run()).imports).toEqual([
      { kind: 'chats', name: 'chats.jsonl', digest: sha256(chats), iteration: 0 },
    ]);
    // The run file names the file, so that the run can be repeated.
    const { code } = await cothink(['export', at('whole'), '--as', 'run', '--out', at('whole.yaml')]);
    expect([code, readFileSync(at('whole.yaml'), 'utf8')]).toEqual([
      0,
      expect.stringMatching(/imports:\n {2}- iteration: 0\n {4}kind: chats\n {4}name: chats\.jsonl/),
    ]);
  }, 120_000);

  it('gives adapters that can be saved as they were before reinforcement learning', async () => {
    const saved = async (iteration: number) => {
      const file = at(`adapter-${iteration}.zip`);
      const out = ['--as', 'adapter', '--at', String(iteration), '--out', file];
      const { code, err } = await cothink(['export', at('whole'), ...out]);
      expect([code, err]).toEqual([0, '']);
      const { tensors } = readSafetensors(unzipSync(readFileSync(file))['adapter_model.safetensors'] as Uint8Array);
      return tensors.flatMap(({ values }) => [...values]);
    };
    const run = await openRun(at('whole'));
    for (const iteration of [0, 1]) {
      const weights = (await run.checkpoint(iteration)).networks[0]?.weights ?? [];
      // PEFT has the matrices of a projection apart that are one here, so some numbers are there several times.
      expect(new Set(await saved(iteration))).toEqual(new Set(weights.flatMap(({ values }) => [...values])));
    }
  });
});
