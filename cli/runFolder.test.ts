import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FormatError, StorageError } from '../src/base/errors.ts';
import { checkpoint, id, iteration, run } from '../src/storage/testing/sampleRecords.ts';
import { readBytes, replacing, writeFolder, writeSynced, writeWhole } from './files.ts';
import { openRun, packFolder, refuseUnopened, RunFolder } from './runFolder.ts';
import { readRunArchive } from '../src/formats/runArchive.ts';
import { isEntryName } from '../src/storage/archive/archivedRun.ts';
import { trajectoryAllowance } from '../src/storage/retention.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cothink-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function storeRun(): Promise<RunFolder> {
  const store = new RunFolder(folder);
  await store.saveRun(run());
  expect(await store.saveCheckpoint(checkpoint(0), null)).toEqual([0]);
  await store.saveCheckpoint(checkpoint(2), null);
  for (const at of [1, 2, 3]) await store.saveIteration(id, iteration(at));
  expect(await store.saveCheckpoint(checkpoint(4), 2)).toEqual([0, 4]);
  return store;
}

describe.runIf(existsSync('/dev/full') && existsSync('/proc/self'))('what cannot be written', () => {
  it('is reported with the requested name and the reason of the disk', async () => {
    const file = path.join(folder, 'im');
    const onto = (name: string) =>
      replacing(file, async (part) => {
        mkdirSync(part);
        // A disk that is always full: every attempt to write to it fails.
        symlinkSync('/dev/full', path.join(part, name));
        await writeSynced(path.join(part, name), 'x');
      });
    await expect(onto('run.record')).rejects.toThrow(`${file}: this path could not be written: the disk is full.`);
  });
});

it('a file instead of a folder is reported by name', async () => {
  const file = path.join(folder, 'afile');
  writeFileSync(file, 'mine');
  const words = 'this path could not be written: it is a file, but a folder is needed; choose another path.';
  await expect(writeWhole(path.join(file, 'x'), '')).rejects.toThrow(`${path.join(file, 'x')}: ${words}`);
  await expect(new RunFolder(file).saveRun(run())).rejects.toThrow(words);
});

describe('the folder of a run', () => {
  it('returns what a session stored in it, and its archive contains the same run', async () => {
    const store = await storeRun();
    const { evaluation } = iteration(2);
    if (evaluation) await store.saveEvaluation(id, { ...evaluation, iteration: 3 });
    const archive = path.join(folder, 'calm-otter.zip');
    await packFolder(folder, archive);
    for (const opened of [await openRun(folder), await openRun(archive)]) {
      expect(await opened.run()).toEqual(run());
      expect(opened.checkpoints).toEqual([0, 4]);
      expect(await opened.checkpoint(4)).toEqual(checkpoint(4));
      const kept = await opened.iteration(3);
      expect(kept.metrics).toEqual(iteration(3).metrics);
      expect(kept.evaluation).toEqual({ ...evaluation, iteration: 3 });
      expect((await opened.trajectories(3)).map(({ index }) => index)).toEqual(
        iteration(3).trajectories.map(({ index }) => index),
      );
    }
  });

  it('archived, unpacked and archived again is the same file', async () => {
    await storeRun();
    const [first, second] = [path.join(folder, 'a.zip'), path.join(folder, 'b.zip')];
    await packFolder(folder, first);
    const other = path.join(folder, 'other');
    await writeFolder(other, readRunArchive(await readBytes(first), isEntryName));
    await packFolder(other, second);
    expect(await readBytes(second)).toEqual(await readBytes(first));
  });

  it('forgets the records after the checkpoint from which a run is resumed', async () => {
    await storeRun();
    truncateSync(path.join(folder, 'iterations/000001.record'), 20); // what is damaged before it is left as it is
    await RunFolder.goOn(folder, 2);
    const opened = await openRun(folder);
    expect([opened.checkpoints, opened.iterations]).toEqual([[0], [1, 2]]);
  });

  it('with a truncated newest checkpoint resumes from the one before and says so', async () => {
    await storeRun();
    truncateSync(path.join(folder, 'checkpoints/000004.record'), 200);
    const { checkpoint: whole, damaged } = await (await openRun(folder)).resumePoint();
    expect(whole.iteration).toBe(0);
    expect(damaged).toBeInstanceOf(StorageError);
  });

  it('keeps trajectories as the page does, also after it is resumed, and metrics of all iterations', async () => {
    const count = 40;
    let store = new RunFolder(folder);
    trajectoryAllowance.count = 8;
    try {
      await store.saveRun(run({ changes: [{ iteration: 21, path: 'learning.clipHigh', value: 0.3 }] }));
      await store.saveCheckpoint(checkpoint(13), null);
      for (let at = 1; at <= count; at++) {
        await store.saveIteration(id, iteration(at));
        if (at !== 25) continue;
        store = await RunFolder.goOn(folder, at);
        await store.saveRun(run({ changes: [{ iteration: 21, path: 'learning.clipHigh', value: 0.3 }] }));
      }
    } finally {
      trajectoryAllowance.count = 200;
    }
    const opened = await openRun(folder);
    const all = await Promise.all(opened.iterations.map((at) => opened.iteration(at)));
    expect(all.map(({ metrics }) => metrics?.iteration)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
    expect(all.filter(({ evaluation }) => evaluation)).toHaveLength(count / 2);
    const kept = all.flatMap(({ row, packed, shown, metrics }) =>
      row && packed && shown && metrics ? [metrics.iteration] : [],
    );
    expect(kept.length).toBeLessThanOrEqual(8 + 3);
    for (const at of [1, 13, 21, 22, count]) expect(kept).toContain(at);
    expect(all.filter(({ row, packed, shown }) => row ?? packed ?? shown)).toHaveLength(kept.length);
  });

  it('is not packed into an archive that nothing could open', async () => {
    await storeRun();
    const archive = path.join(folder, 'large.zip');
    truncateSync(path.join(folder, 'checkpoints/000004.record'), 999_999_000);
    await expect(packFolder(folder, archive)).rejects.toThrow(
      /the run is complete, but it is too large for an archive, which can contain at most 1000 MB; copy/,
    );
    expect(readdirSync(folder)).not.toContain('large.zip');
    expect(() => refuseUnopened(folder, new Array<number>(65_536).fill(1))).toThrow(
      'which can contain at most 65535 files',
    );
    expect(() => refuseUnopened(folder, new Array<number>(65_535).fill(1))).not.toThrow();
  });

  it('ignores files that a killed process left incomplete', async () => {
    await storeRun();
    writeFileSync(path.join(folder, 'checkpoints/000005.record.77.part'), 'half');
    expect((await openRun(folder)).checkpoints).toEqual([0, 4]);
  });
});

it('a file that cannot be written completely does not exist', async () => {
  const file = path.join(folder, 'taken');
  writeFileSync(file, '');
  await expect(writeWhole(path.join(file, 'below'), 'text')).rejects.toThrow(StorageError);
  expect(readdirSync(folder)).toEqual(['taken']);
});

it('files that cannot all be written leave no folder, and a folder with other files is not changed', async () => {
  const place = path.join(folder, 'run');
  const clashing = new Map(['a', 'a/b'].map((name) => [name, Uint8Array.of(1)]));
  await expect(writeFolder(place, clashing)).rejects.toThrow(StorageError);
  expect(readdirSync(folder)).toEqual([]);
  await writeWhole(path.join(place, 'notes'), 'mine');
  await expect(writeFolder(place, new Map([['run.record', Uint8Array.of(1)]]))).rejects.toThrow(
    'the folder is not empty; choose another folder',
  );
  expect([readdirSync(folder), readdirSync(place)]).toEqual([['run'], ['notes']]);
});

it.each(['nowhere', 'nowhere.zip'])('%s is refused by name', async (name) => {
  await expect(openRun(path.join(folder, name))).rejects.toThrow(FormatError);
});

it('a folder without a run is refused by name', async () => {
  await expect(openRun(folder)).rejects.toThrow('the file run.record is missing');
});
