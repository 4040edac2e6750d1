// Tests training with the shipped program, in folders that another process uses or in which a process was killed, and
// dry runs.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRun } from '../runFolder.ts';
import { buildProgram, cothink, removeProgram } from '../testing/program.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-'));
const at = (name: string) => path.join(folder, name);
const asked = (seed: number, iterations = 4) => [
  'train',
  '--preset',
  'micro',
  '--set',
  'run.backend=cpu',
  '--set',
  `run.iterations=${iterations}`,
  '--set',
  `run.seed=${seed}`,
  '--threads',
  '1',
];

beforeAll(buildProgram, 120_000);
afterAll(() => {
  removeProgram();
  rmSync(folder, { recursive: true });
});

it('one process at a time trains in a folder, and after a kill the next one can', async () => {
  let others: ReturnType<typeof cothink>[] = [];
  const long = [...asked(3, 100_000), '--out', at('one')];
  const first = await cothink(long, ({ event }, kill) => {
    if (event !== 'run') return;
    others = [cothink([...asked(4), '--out', at('one')]), cothink(['train', '--resume', '--out', at('one')])];
    void Promise.all(others).then(() => kill('SIGKILL'));
  });
  expect(first.code).toBeNull();
  for (const { code, err, out } of await Promise.all(others)) {
    expect([code, out]).toEqual([2, '']);
    expect(err.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^cothink: --out: process \d+ on .* is training in .*one; wait/),
    ]);
  }
  const { code } = await cothink(['train', '--resume', '--out', at('one')], ({ event }, kill) => {
    if (event === 'iteration') kill('SIGINT');
  });
  const { config, resumed } = await (await openRun(at('one'))).run();
  expect([code, config.run.seed, resumed, existsSync(at('one/run.lock'))]).toEqual([130, 3, 1, false]);
});

it('a run that was killed before its first checkpoint is started again with --resume, with its own settings', async () => {
  await cothink([...asked(5), '--out', at('early'), '--experiment', 'mine']);
  const { iteration } = await (await openRun(at('early'))).checkpoint(4);
  for (const name of ['checkpoints', 'iterations']) rmSync(at(`early/${name}`), { recursive: true });
  const other = await cothink([...asked(6), '--resume', '--out', at('early')]);
  expect([other.code, other.err]).toEqual([2, expect.stringContaining('began with another value of run.seed')]);
  const { code, err } = await cothink(['train', '--resume', '--out', at('early')]);
  const opened = await openRun(at('early'));
  const { config, experiment, resumed } = await opened.run();
  expect([code, err, config.run.seed, experiment?.id, resumed]).toEqual([0, '', 5, 'mine', undefined]);
  expect(opened.checkpoints.at(-1)).toBe(iteration);
});

it('a run that has lost its checkpoints is not changed', async () => {
  await cothink([...asked(7), '--out', at('lost')]);
  rmSync(at('lost/checkpoints'), { recursive: true });
  const { code, err } = await cothink(['train', '--resume', '--out', at('lost')]);
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('the run has no checkpoint; train the run from the beginning, in another folder'),
  ]);
  expect((await openRun(at('lost'))).iterations).toEqual([0, 1, 2, 3, 4]);
});

describe('a dry run', () => {
  const dry = async (...args: string[]) => {
    const { code, err, news } = await cothink([...asked(3), ...args, '--dry-run', '--out', at('dry')]);
    expect(existsSync(at('dry'))).toBe(false);
    return { code, err, news };
  };

  it('forecasts a run and stores nothing', async () => {
    const { code, err, news } = await dry('--set', 'learning.groupSize=6', '--set', 'warmStart.source=none');
    expect([code, err, news.length]).toEqual([0, '', 1]);
    expect(news[0]).toMatchObject({ event: 'dryRun', preset: 'micro', seeds: [3], iterations: 4, warmStartMs: 0 });
    expect(news[0]?.['differing']).toContain('rollouts');
    for (const name of ['iterationMs', 'memoryBytes', 'parameters']) expect(Number(news[0]?.[name])).toBeGreaterThan(0);
  });

  it('forecasts the warm start that has to be trained first', async () => {
    const { news } = await dry('--set', 'warmStart.source=train', '--seeds', '2');
    expect(news[0]).toMatchObject({ seeds: [3, 4], iterationMs: null });
    expect(Number(news[0]?.['warmStartMs'])).toBeGreaterThan(0);
  });

  it('refuses what no forecast is possible for', async () => {
    for (const option of [['--resume'], ['--at', '2']]) {
      const { code, err } = await dry(...option);
      expect([code, err]).toEqual([2, expect.stringContaining(`only for a new run without ${option[0]}`)]);
    }
  });
});
