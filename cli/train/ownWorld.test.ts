// Tests the program with a run file that uses a world of the visitor's own. The file includes the world, so no other
// file is needed.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGiven } from '../command.ts';
import { commands } from '../commands.ts';
import { gsm8kRow } from '../../src/formats/datasets/testing/rows.ts';
import { templates } from '../../src/tasks/custom/templates.ts';
import { worldsAsked } from '../serve/worlds/asked.ts';
import { launchAsked } from '../launch/tasks.ts';
import { openRun } from '../runFolder.ts';
import { buildProgram, cothink, removeProgram } from '../testing/program.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-own-'));
const at = (name: string) => path.join(folder, name);
const file = at('run.yaml');

beforeAll(() => {
  copyFileSync(path.resolve('cli/testing/ownWorldRun.yaml'), file);
  buildProgram();
}, 120_000);
afterAll(() => {
  removeProgram();
  rmSync(folder, { recursive: true });
});

/** Checks that the program exits successfully and writes nothing to standard error. */
const well = async (...args: string[]) => {
  const { code, out, err, news } = await cothink(args);
  expect([code, err]).toEqual([0, '']);
  return { out, news };
};

/** The final weights, and the world. */
async function endOf(name: string, iteration = 3) {
  const run = await openRun(at(name));
  await run.run();
  const { networks } = await run.checkpoint(iteration);
  return { networks, world: await run.world() };
}

describe('a run file that contains a custom world', () => {
  it('is trained, measured, and written again as a file that gives the same run', async () => {
    const { news } = await well('train', file, '--out', at('one'));
    expect(news.at(-1)).toMatchObject({ event: 'done', iteration: 3 });
    await well('eval', at('one'));
    await well('export', at('one'), '--as', 'run', '--out', at('again.yaml'));
    expect(readFileSync(at('again.yaml'), 'utf8')).toContain('ownWorld:');
    await well('train', at('again.yaml'), '--out', at('again'));
    const [one, again] = [await endOf('one'), await endOf('again')];
    expect(again).toEqual(one);
    expect(one.world?.form.label).toBe('Crossroads');
  });

  it('is measured on another level, with more problems, and in a file of the same world, but not with other words', async () => {
    const { out } = await well('eval', at('one'), '--level', '2', '--problems', '24', '--output', at('two.json'));
    expect(JSON.parse(out)).toMatchObject({ problems: 24, bySlice: { left: expect.any(Number) as number } });
    expect(readFileSync(at('two.json'), 'utf8')).toBe(out);
    await well('export', at('one'), '--as', 'world', '--out', at('own.world'));
    const again = await well('eval', at('one'), '--world', at('own.world'), '--level', '2', '--problems', '24');
    expect(again.out).toBe(out);
    for (const [args, message] of [
      [['--world', 'algebra'], /algebra uses words that the networks of this run have not learned/],
      [['--level', '3'], /world.level/],
    ] as const) {
      const { code, err } = await cothink(['eval', at('one'), ...args]);
      expect(code).toBe(2);
      expect(err).toMatch(message);
    }
  });

  it('is the same after it went through an archive', async () => {
    await well('import', path.join(at('one'), 'mild-badger.zip'), '--out', at('unpacked'));
    await well('export', at('unpacked'), '--as', 'run', '--out', at('unpacked.yaml'));
    expect(readFileSync(at('unpacked.yaml'), 'utf8')).toBe(readFileSync(at('again.yaml'), 'utf8'));
  });

  it('is trained with several seeds and with a changed setting', async () => {
    const { news } = await well('train', file, '--seeds', '2', '--set', 'run.iterations=1', '--out', at('seeds'));
    expect(
      news
        .filter(({ event }) => event === 'done')
        .map((one) => one['seed'])
        .sort(),
    ).toEqual([1, 2]);
  });

  it('is launched', async () => {
    const launch = commands.find(({ name }) => name === 'launch') as (typeof commands)[0];
    const given = readGiven(launch, [file, '--on', 'slurm', '--seeds', '2', '--vary', 'world.level=1,2']);
    const { tasks, files } = await launchAsked(given, 'e');
    expect(tasks.map(({ name }) => name)).toEqual(expect.arrayContaining(['world.level-1-seed-1']));
    expect(tasks).toHaveLength(4);
    expect(files).toEqual([file]);
  });

  it('without the text of its world is refused with the message for the command line', async () => {
    const { code, err } = await cothink(['train', '--set', 'world.name=own-f6a09c0bd2712920', '--out', at('none')]);
    expect(code).toBe(2);
    expect(err).toContain('the world own-f6a09c0bd2712920 is not known here');
    expect(err).not.toContain('browser');
  });
});

describe('a world in a file', () => {
  const short = ['--set', 'agents.size=micro', '--set', 'warmStart.steps=20', '--set', 'warmStart.batchSize=8'].concat(
    ...['run.iterations=1', 'learning.problemsPerIteration=8', 'evaluation.problems=8', 'run.backend=cpu'].map(
      (one) => ['--set', one],
    ),
  );
  const data = at('sums.jsonl');
  beforeAll(() => {
    const rows = Array.from({ length: 60 }, (_, i) => JSON.stringify(gsm8kRow(i)));
    writeFileSync(data, [...rows, '{"question": 1}'].join('\n'));
  });

  it('is made from a data set, with the rows that were rejected, and is trained in, measured and exported', async () => {
    const { out } = await well('import', data, '--label', 'Shells');
    expect(JSON.parse(out)).toMatchObject({
      ...{ file: at('sums.world'), label: 'Shells', rows: 61, kept: 60, unit: 'line', rejections: [{ row: 61 }] },
    });
    const trained = await well('train', '--world', at('sums.world'), ...short, '--out', at('sums'));
    expect(trained.news.at(-1)).toMatchObject({ event: 'done', iteration: 1 });
    await well('eval', at('sums'));
    await well('export', at('sums'), '--as', 'world', '--out', at('again.world'));
    expect(readFileSync(at('again.world'), 'utf8')).toBe(readFileSync(at('sums.world'), 'utf8'));
    // The data set itself gives the same world, so the same run goes on.
    await well('train', '--world', data, ...short, '--resume', '--out', at('sums'));
  });

  it('may be a module, and is served', async () => {
    const { source } = templates.planAndExecute;
    writeFileSync(at('crossroads.js'), source);
    await well('train', '--world', at('crossroads.js'), ...short, '--out', at('module'));
    expect((await endOf('module', 1)).world?.content).toEqual({ kind: 'module', source });
    const serve = commands.find(({ name }) => name === 'serve') as (typeof commands)[0];
    const given = readGiven(serve, ['--world', at('crossroads.js'), '--level', '2']);
    const served = await worldsAsked(given, 'thisMachine', null);
    expect(served?.list[0].world.label).toBe('Crossroads');
  });

  it.each<[string, string[], RegExp]>([
    ['a built-in world', ['algebra'], /algebra is a built-in world; choose it with --set world.name=algebra/],
    ['an unknown kind of file', ['world.txt'], /world.txt: expected a file with the ending .js/],
    ['a missing file', ['none.jsonl'], /none.jsonl: there is no such file or folder/],
    ['a file that is none', [data.replace('sums.jsonl', 'bad.world')], /bad.world: this is not a world file/],
    ['one world besides that of a run file', [data, file], /a run file contains its own world/],
  ])('is refused: %s', async (_, [world = '', ...rest], message) => {
    writeFileSync(at('bad.world'), '{}');
    const { code, err } = await cothink(['train', ...rest, '--world', world, '--out', at('refused')]);
    expect(code).toBeGreaterThan(0);
    expect(err).toMatch(message);
  });
});
