// Tests, with the shipped program, runs that are interrupted or collapse and are then resumed.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRun } from '../runFolder.ts';
import { buildProgram, cothink, removeProgram, type Ended } from '../testing/program.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-go-on-'));
const at = (name: string) => path.join(folder, name);
const set = (settings: Record<string, string | number>) =>
  Object.entries({ 'run.backend': 'cpu', ...settings }).flatMap(([name, value]) => ['--set', `${name}=${value}`]);

beforeAll(buildProgram, 120_000);
afterAll(() => {
  removeProgram();
  rmSync(folder, { recursive: true });
});

/** The final accuracy of a run, and the iteration in which it was measured. */
async function endOf(name: string) {
  const archived = await openRun(at(name));
  const run = await archived.run();
  const { networks } = (await archived.resumePoint()).checkpoint;
  return { iteration: run.iteration, networks };
}
const last = ({ news }: Ended) => news.at(-1);
const shares = ({ news }: Ended) => news.filter(({ event }) => event === 'progress').map((one) => Number(one['share']));

describe('a run that collapses', () => {
  const asked = ['train', ...set({ 'optimiser.learningRate': 0.01, 'run.seed': 77, 'run.iterations': 30 })];

  it('ends with exit code 1, says why, and names the last good checkpoint, which is kept', async () => {
    const ended = await cothink([...asked, '--out', at('fallen')]);
    expect(ended.code).toBe(1);
    expect(last(ended)).toMatchObject({ event: 'collapsed', iteration: 10, checkpoint: 0 });
    expect(ended.err).toMatch(
      /right answers fell from 0\.\d+ to 0\.\d+, so \S+ was stopped after iteration 10\. The last good checkpoint of this run is the one after iteration 0/,
    );
    expect(readdirSync(at('fallen'))).toContain(path.basename(String(last(ended)?.['archive'])));
    expect((await openRun(at('fallen'))).checkpoints).toContain(0);
  });

  it('does not train on when it is resumed unchanged, and rewinds if requested', async () => {
    const again = await cothink(['train', '--resume', '--out', at('fallen')]);
    expect(again.code).toBe(1);
    expect(again.news.some(({ event }) => event === 'iteration')).toBe(false);
    const changes = ['--set', 'optimiser.learningRate=0.001', '--set', 'run.iterations=2'];
    const back = await cothink(['train', '--resume', '--at', '0', ...changes, '--out', at('fallen')]);
    expect([back.code, back.err]).toEqual([0, '']);
    const run = await (await openRun(at('fallen'))).run();
    expect(run.goneBack).toMatchObject([
      { from: 10, to: 0, why: expect.stringContaining('right answers fell') as string },
    ]);
    expect(run.changes.map(({ path: changed }) => changed)).toEqual(['optimiser.learningRate', 'run.iterations']);
  });

  it('among several seeds does not stop the others, and the exit code is 1', async () => {
    const seeds = ['train', ...set({ 'optimiser.learningRate': 0.01, 'run.seed': 77, 'run.iterations': 10 })];
    const { code, news } = await cothink([...seeds, '--seeds', '2', '--out', at('seeds')]);
    expect(code).toBe(1);
    const ends = news.filter(({ event }) => event === 'collapsed' || event === 'done');
    expect(new Set(ends.map((one) => one['seed']))).toEqual(new Set([77, 78]));
  });
});

describe('runs with several seeds', () => {
  const micro = ['--preset', 'micro', ...set({ 'run.seed': 77, 'run.iterations': 2 })];

  it('are continued from their folder alone, with their own settings', async () => {
    expect((await cothink(['train', ...micro, '--seeds', '2', '--out', at('pair')])).code).toBe(0);
    const resume = ['train', '--resume', '--set', 'run.iterations=3', '--out', at('pair')];
    const longer = await cothink([...resume, '--seeds', '2']);
    expect([longer.code, longer.err]).toEqual([0, '']);
    expect(last(longer)).toMatchObject({ event: 'seeds', seeds: [77, 78] });
    expect(readdirSync(at('pair')).filter((name) => name.startsWith('seed-'))).toEqual(['seed-77', 'seed-78']);
    for (const name of ['pair/seed-77', 'pair/seed-78']) {
      const { iteration, config } = await (await openRun(at(name))).run();
      expect([iteration, config.run.iterations]).toEqual([3, 3]);
    }

    const more = await cothink([...resume, '--seeds', '3']);
    expect(more.code).toBe(2);
    expect(more.err).toMatch(/pair contains only 2 runs, with the seeds 77, 78; continue them with --seeds 2, or give/);
    const further = await cothink([...resume, ...micro.slice(0, 2), '--set', 'run.seed=79', '--seeds', '1']);
    expect(last(further)).toMatchObject({ event: 'seeds', seeds: [79] });
  });
});

describe('a finished run', () => {
  const micro = (iterations: number) => ['--preset', 'micro', ...set({ 'run.iterations': iterations })];

  it('can be prolonged, to the same result as a longer run', async () => {
    expect((await cothink(['train', ...micro(3), '--out', at('short')])).code).toBe(0);
    const longer = await cothink(['train', '--resume', '--set', 'run.iterations=5', '--out', at('short')]);
    expect([longer.code, longer.err]).toEqual([0, '']);
    expect(last(longer)).toMatchObject({ event: 'done', iteration: 5 });
    expect((await cothink(['train', ...micro(5), '--out', at('long')])).code).toBe(0);
    expect(await endOf('short')).toEqual(await endOf('long'));
    const begun = await cothink(['train', '--resume', ...micro(6), '--out', at('short')]);
    expect(last(begun)).toMatchObject({ event: 'done', iteration: 6 });
  });

  it('keeps its settings, and says which settings may change', async () => {
    const { code, err } = await cothink(['train', '--resume', '--set', 'agents.size=small', '--out', at('short')]);
    expect(code).toBe(2);
    expect(err).toContain('began with another value of agents.size');
    expect(err).toMatch(/These settings can be changed: .*run\.iterations/);
  });
});

describe('an interrupted warm start', () => {
  const steps = 100;
  const asked = [
    '--preset',
    'micro',
    ...set({ 'warmStart.source': 'train', 'warmStart.steps': steps, 'run.iterations': 1 }),
  ];

  it('is kept, and resumes with only the folder as argument', async () => {
    let isAsked = false;
    const broken = await cothink(['train', ...asked, '--out', at('broken')], (news, kill) => {
      if (news.event !== 'progress' || isAsked || Number(news['share']) < 0.2) return;
      isAsked = true;
      kill('SIGINT');
    });
    expect(broken.code).toBe(130);
    expect(last(broken)).toMatchObject({ event: 'interrupted', iteration: 0 });
    expect(readdirSync(at('broken')).sort()).toEqual(['run.record', 'warmStart.record']);
    const resumed = await cothink(['train', '--resume', '--out', at('broken')]);
    expect([resumed.code, resumed.err]).toEqual([0, '']);
    expect(Math.min(...shares(resumed))).toBeGreaterThanOrEqual(Math.max(...shares(broken).slice(0, -1)));
    expect(readdirSync(at('broken'))).not.toContain('warmStart.record');
    expect((await cothink(['train', ...asked, '--out', at('unbroken')])).code).toBe(0);
    expect(await endOf('broken')).toEqual(await endOf('unbroken'));
  });
});
