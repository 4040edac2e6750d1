// The program as it is shipped, in processes of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presetConfig } from '../src/config/presets.ts';
import { withSettings } from '../src/config/parse.ts';
import { runId } from '../src/records/ids.ts';
import { startingCheckpoint } from '../src/training/run/start.ts';
import { weightsDigest } from '../src/records/stored/checkpoint.ts';
import { loadShipped, startEngine } from './engine.ts';
import { openRun } from './runFolder.ts';
import { buildProgram, cothink } from './testing/program.ts';
import { memoryStore } from '../src/training/run/memoryStore.ts';
import { Session } from '../src/training/run/session.ts';
import { checkpointFormat } from '../src/records/stored/checkpoint.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-'));
const at = (name: string) => path.join(folder, name);
const iterations = 24;
const settings = { 'run.backend': 'cpu', 'run.iterations': iterations, 'run.seed': 5, 'run.checkpointEvery': 8 };
const asked = ['--preset', 'micro', ...Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`])]; // prettier-ignore

beforeAll(buildProgram, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** What a finished run holds, but for clocks. */
async function endOf(name: string) {
  const run = await openRun(at(name));
  const { networks, sampledTokens } = await run.checkpoint(iterations);
  const trajectories = await run.trajectories(iterations);
  const { evaluation, metrics } = await run.iteration(iterations);
  const values = Object.entries(metrics?.values ?? {}).filter(([metric]) => !/^time\/|SPS/.test(metric));
  return { networks, sampledTokens, trajectories, evaluation, values, iterations: run.iterations };
}

describe('cothink train', () => {
  it('trains to the weights and numbers of the engine in this process', async () => {
    const { code, news } = await cothink(['train', ...asked, '--out', at('whole')]);
    expect(code).toBe(0);
    expect(news.at(-1)).toMatchObject({ event: 'done', iteration: iterations });
    const { backend } = await startEngine('cpu', { threads: 1 });
    const config = withSettings(presetConfig('micro'), settings);
    const checkpoint = await startingCheckpoint({ config, runId: runId('here'), backend, loadShipped });
    const store = memoryStore({ keepsIterations: true });
    const run = { format: checkpointFormat, id: runId('here'), name: 'here', preset: 'micro', config, changes: [], backend, createdMs: 0, iteration: 0, isDone: false }; // prettier-ignore
    const session = new Session({ run, checkpoint, store, emit: () => undefined, now: () => 0 });
    await session.train();
    const end = await endOf('whole');
    expect(weightsDigest(end)).toBe(weightsDigest(await session.checkpoint()));
    expect(end.trajectories).toEqual(
      (store.iterations.at(-1)?.trajectories ?? []).map((one) => ({
        ...one,
        turns: one.turns.map((turn) => ({ ...turn, logprobs: turn.logprobs.map(Math.fround) })),
      })),
    );
    expect(end.iterations).toEqual(Array.from({ length: iterations + 1 }, (_, n) => n));
    await session.dispose();
  });

  it.each([
    ['killed', 'SIGKILL', null],
    ['interrupted', 'SIGINT', 130],
  ] as const)('%s in mid-run goes on with --resume to the same end, bit for bit', async (name, signal, code) => {
    const out = ['--out', at(name)];
    const broken = await cothink(['train', ...asked, ...out], (news, kill) => {
      if (news.event === 'iteration' && news['iteration'] === 11) kill(signal);
    });
    expect(broken.code).toBe(code);
    expect(broken.news.some(({ event }) => event === 'done')).toBe(false);
    const refused = await cothink(['train', ...asked, ...out]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('add --resume')]);
    const other = await cothink(['train', '--resume', '--preset', 'micro', '--set', 'run.seed=6', ...out]);
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('began with another')]);
    const resumed = await cothink(['train', '--resume', ...out]);
    expect(resumed.code).toBe(0);
    expect(resumed.news[0]).toMatchObject({ event: 'run' });
    expect(await endOf(name)).toEqual(await endOf('whole'));
  });

  it('with --seeds trains each in a process of its own, as one experiment', async () => {
    const { code, news } = await cothink(['train', ...asked, '--seeds', '2', '--out', at('seeds')]);
    expect(code).toBe(0);
    expect(news.at(-1)).toMatchObject({ event: 'seeds', seeds: [5, 6] });
    const runs = await Promise.all([5, 6].map(async (seed) => (await openRun(at(`seeds/seed-${seed}`))).run()));
    expect(new Set(runs.map(({ experiment }) => experiment?.id)).size).toBe(1);
    expect(runs.map(({ config }) => config.run.seed)).toEqual([5, 6]);
    const [fifth] = [await (await openRun(at('seeds/seed-5'))).checkpoint(iterations)];
    expect(weightsDigest(fifth)).toBe(weightsDigest(await endOf('whole')));
  });
});

describe('what cannot be used ends with code 2 and one line', () => {
  const file = (text: string) => {
    writeFileSync(at('run.yaml'), text);
    return at('run.yaml');
  };
  it.each([
    ['no command', () => ['trian'], 'expected a command, one of train'],
    ['an unknown option', () => ['train', '--sed', '4'], '--sed: train has no such option'],
    ['a missing file', () => ['train', at('nowhere.yaml')], 'there is no such file'],
    ['text that is no YAML', () => ['train', file('format: [1')], 'line 1'],
    ['a setting out of bounds', () => ['train', file('format: 1\nrun:\n  seed: -3\n')], 'line 3, column 9: run.seed'],
    ['a setting that is none', () => ['train', '--set', 'run.sed=1'], 'run.sed: there is no such setting'],
    ['a preset that is none', () => ['train', '--preset', 'x'], 'preset'],
  ])('%s', async (_, args, words) => {
    const { code, err, out } = await cothink(args());
    expect([code, out]).toEqual([2, '']);
    expect(err.trimEnd().split('\n')).toEqual([expect.stringContaining(words)]);
  });
});
