// Tests lists of stored dialogues and archives. The lists are compared with the data that the run stored.
import { IDBFactory } from 'fake-indexeddb';
import { expect, it, vi } from 'vitest';
import { mean, std } from '../src/base/stats.ts';
import type { TrajectoryRow } from '../src/records/trajectoryRow.ts';
import { runId } from '../src/records/ids.ts';
import type { RunRecord } from '../src/records/stored/checkpoint.ts';
import { writeRunArchive } from '../src/formats/runArchive.ts';
import { checkpointEntry, runEntry, worldEntry, type ArchiveEntry } from '../src/storage/archive/archivedRun.ts';
import { closeDatabase } from '../src/storage/database.ts';
import { listIterations, listRuns, loadIteration, loadMetrics } from '../src/storage/reading.ts';
import { checkpoint, ownWorld, run as sampleRun } from '../src/storage/testing/sampleRecords.ts';
import { microConfig } from '../src/training/testing/microRun.ts';
import { archive } from './archive.ts';
import { trajectoryFile } from './exports.ts';
import { heardTrainer, standIn } from './testing/heardTrainer.ts';

standIn();

const config = microConfig({
  learning: { problemsPerIteration: 3, groupSize: 4 },
  evaluation: { every: 50, problems: 8 },
  run: { iterations: 50, backend: 'cpu', checkpointEvery: 50 },
});

it('each stored dialogue is a row, newest iteration first, and a fork has those of its parent before its own', async () => {
  const { trainer, state, run, heard } = await heardTrainer();
  await trainer.open({ config, preset: 'micro' });
  await state('idle');
  for (let i = 0; i < 2; i++) await trainer.step();
  await vi.waitFor(() => expect(heard('iteration')).toHaveLength(2)); // events arrive in batches
  const { id } = run();
  const rowsOf = async (of: typeof id) => {
    const rows: TrajectoryRow[] = [];
    const shares: number[] = [];
    await archive.readTrajectories(of, (some, share) => {
      rows.push(...some);
      shares.push(share);
    });
    return { rows, shares };
  };
  const { rows, shares } = await rowsOf(id);
  expect(shares).toEqual([0.5, 1]);
  const stored = [...(await loadIteration(id, 2)), ...(await loadIteration(id, 1))];
  expect(rows.map(({ iteration, index, reward }) => [iteration, index, reward])).toEqual(
    stored.map(({ index, reward }, i) => [i < 12 ? 2 : 1, index, reward]),
  );
  expect(rows[0]?.said).toBe(stored[0]?.turns.flatMap(({ text }) => text || []).join(' · '));
  // The number of clipped tokens is known only for dialogues that were inspected.
  const shown = heard('iteration').map((event) => event.shown);
  for (const row of rows) {
    const inspected = shown[row.iteration - 1]?.rollouts.find(({ trajectory }) => trajectory.index === row.index);
    const won = inspected?.turns.flatMap((turn) => turn.won as number[]);
    expect(row.clipped).toBe(won ? won.filter((side) => side > 0).length : null);
  }

  const groups = await archive.groups(id, 2);
  expect(groups.map(({ group }) => group)).toEqual([0, 1, 2]);
  for (const { group, meanReward, spread, ends, isDead } of groups) {
    const rewards = stored
      .slice(0, 12)
      .filter((one) => one.group === group)
      .map(({ reward }) => reward);
    expect([meanReward, spread]).toEqual([mean(rewards), std(rewards)]);
    expect(ends.map(({ reward }) => reward)).toEqual(rewards.toSorted((a, b) => b - a));
    expect(isDead).toBe(new Set(rewards).size === 1);
    const whole = await archive.group(id, 2, group);
    expect(whole?.rollouts.map(({ trajectory }) => trajectory.reward)).toEqual(rewards.toSorted((a, b) => b - a));
    const inspected = shown[1]?.group === group ? shown[1] : null;
    if (inspected) expect(whole).toEqual(inspected);
    else expect(whole?.rollouts.every(({ turns }) => turns.length === 0)).toBe(true);
  }
  expect(await archive.groups(id, 7)).toEqual([]);
  expect(await archive.group(id, 2, 9)).toBeNull();

  // The lines must be the same as in the export of all dialogues.
  const record = (await listRuns()).runs[0]?.run as RunRecord;
  const all = (await listIterations(id)).flatMap(({ iteration }) =>
    Array.from({ length: 12 }, (_, index) => ({ iteration, index })),
  );
  expect(await (await archive.lines(id, all)).text()).toBe(await (await trajectoryFile(record, 'jsonl')).text());
  const [one] = await archive.trajectories(id, [{ iteration: 1, index: 5 }]);
  expect(one).toEqual(stored[12 + 5]);

  await trainer.fork('separate');
  await state('paused');
  await trainer.step();
  const forked = await rowsOf(run().id);
  expect(forked.rows.map(({ iteration }) => iteration)).toEqual([3, 2, 1].flatMap((at) => Array<number>(12).fill(at)));
  expect(forked.rows.slice(12)).toEqual(rows);
  expect(await archive.groups(run().id, 2)).toEqual(groups);
  await expect(archive.groups(runId('none'), 1)).rejects.toMatchObject({ name: 'StorageError' });
});

it('no stored group is called dead if other things than its rewards distinguish its rollouts', async () => {
  const { trainer, state, run } = await heardTrainer();
  // The weights of all reward parts are 0, so all rewards are equal.
  const unpaid = {
    ...config,
    reward: { ...config.reward, finished: 0, rightAnswer: 0 },
    houseRule: { ...config.houseRule, rewrite: 0, legalOperation: 0 },
  };
  for (const [place, isDead] of [
    ['off', true],
    ['reward', null],
  ] as const) {
    await trainer.open({ config: { ...unpaid, kl: { ...config.kl, place } }, preset: 'micro' });
    await state('idle');
    for (let i = 0; i < 2; i++) await trainer.step();
    const groups = await archive.groups(run().id, 1);
    expect(groups.map((group) => [group.spread, group.isDead])).toEqual(Array(3).fill([0, isDead]));
    const shown = (await archive.shown(run().id, 1))?.group;
    for (const { group } of groups)
      if (group !== shown) expect((await archive.group(run().id, 1, group))?.isDead).toBe(isDead ?? false);
  }
});

it('a run that is only viewed shows the same without a store as the store does, and is not a stored run', async () => {
  const { trainer, state, run } = await heardTrainer();
  await trainer.open({ config, preset: 'micro' });
  await state('idle');
  for (let i = 0; i < 3; i++) await trainer.step();
  const { id } = run();
  const { file, leftOut } = await archive.pack(id);
  expect(leftOut).toEqual([]);
  const rows: TrajectoryRow[] = [];
  await archive.readTrajectories(id, (some) => void rows.push(...some));
  const [groups, group, shown] = [
    await archive.groups(id, 2),
    await archive.group(id, 2, 1),
    await archive.shown(id, 1),
  ];
  const { metrics, evaluations } = await loadMetrics(id);

  await closeDatabase();
  globalThis.indexedDB = new IDBFactory();
  const looked = await archive.look(file);
  const { run: opened } = looked;
  expect(opened).toMatchObject({ id: `opened-${id}`, name: run().name, iteration: 3 });
  expect([looked.metrics, looked.evaluations, looked.world]).toEqual([metrics, evaluations, null]);
  expect(looked.shown).toEqual(await archive.shown(opened.id, 3));
  const again: TrajectoryRow[] = [];
  await archive.readTrajectories(opened.id, (some) => void again.push(...some));
  expect(again).toEqual(rows);
  expect(await archive.groups(opened.id, 2)).toEqual(groups);
  expect(await archive.group(opened.id, 2, 1)).toEqual(group);
  expect(await archive.shown(opened.id, 1)).toEqual(shown);
  expect(await archive.groups(opened.id, 9)).toEqual([]);
  expect(await listRuns()).toEqual({ runs: [], damaged: [] });
  await expect(archive.groups(runId('opened-none'), 1)).rejects.toThrow('open the archive again');
  await expect(archive.look(new Blob(['no archive']))).rejects.toMatchObject({ name: 'FormatError' });
});

/** A file that contains an archive with these entries. */
async function fileOf(...entries: readonly ArchiveEntry[]): Promise<Blob> {
  const parts: Blob[] = [];
  const files = async function* () {
    yield* entries;
  };
  await writeRunArchive(files(), (piece) => parts.push(new Blob([piece])));
  return new Blob(parts);
}

it('an archive that is only viewed includes the custom world of its run', async () => {
  expect((await archive.look(await fileOf(runEntry(sampleRun()), worldEntry(ownWorld)))).world).toEqual(ownWorld);
});

it('an archive says why it cannot be stored without a store or room, and a damaged one is refused', async () => {
  const file = await fileOf(runEntry(sampleRun()), checkpointEntry(checkpoint(4)));
  await closeDatabase();
  const factory = globalThis.indexedDB;
  Reflect.deleteProperty(globalThis, 'indexedDB');
  expect(await archive.unpack(file)).toEqual({
    name: 'calm-otter',
    trouble: expect.stringContaining('no IndexedDB') as string,
  });
  globalThis.indexedDB = factory;
  const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('no room', 'QuotaExceededError');
  });
  expect(await archive.unpack(file)).toEqual({
    name: 'calm-otter',
    trouble: expect.stringContaining('delete older runs') as string,
  });
  full.mockRestore();
  expect(await archive.unpack(file)).toEqual({ name: 'calm-otter', trouble: '' });
  await expect(archive.unpack(file)).rejects.toThrow('already stored here');
});
