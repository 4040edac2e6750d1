// Tests that runs of earlier versions can be continued with the current trainer, and that files which those versions
// exported can be read. The samples are in src/storage/testing/former. Each sample was made with the code of its
// version.
import { IDBFactory } from 'fake-indexeddb';
import { describe, expect, it } from 'vitest';
import { asGiven } from '../src/base/reason.ts';
import { reasonInEnglish } from '../src/base/spoken.ts';
import { heldFile } from '../src/formats/givenFile.ts';
import { weightsIn } from '../src/formats/llama/llamaModel.ts';
import { readLlama } from '../src/formats/llama/readLlama.ts';
import { readPreferences } from '../src/formats/preferences.ts';
import { readResultFile, writeResultFile } from '../src/formats/resultFile.ts';
import { readRunArchive } from '../src/formats/runArchive.ts';
import { readRunFile, writeRunFile } from '../src/formats/runFile.ts';
import { readJsonl } from '../src/formats/testing/readJsonl.ts';
import type { RunId } from '../src/records/ids.ts';
import type { PreferenceText } from '../src/records/stored/preference.ts';
import { historyOf, type Checkpoint } from '../src/records/stored/checkpoint.ts';
import type { Trajectory } from '../src/records/trajectory.ts';
import { archivedRun, isEntryName } from '../src/storage/archive/archivedRun.ts';
import { runEntryName } from '../src/storage/archive/runEntryName.ts';
import { closeDatabase, openDatabase } from '../src/storage/database.ts';
import { listRuns, loadCheckpoint, loadIteration, loadRun, loadWorld } from '../src/storage/reading.ts';
import {
  formerRecords,
  formerSample,
  leaveDatabase,
  sampleNames,
  type FormerSample,
} from '../src/storage/testing/former.ts';
import { isOwn } from '../src/config/worlds/own.ts';
import { archive } from './archive.ts';
import { readyWorld } from './assets.ts';
import { heardTrainer, standIn } from './testing/heardTrainer.ts';

standIn();

const samples = sampleNames.map((name) => [name, formerSample(name)] as const);
const weightsOf = ({ networks }: Checkpoint) =>
  networks.flatMap(({ weights }) => weights.flatMap(({ values }) => [...values]));
const entriesIn = async (file: Blob) => readRunArchive(new Uint8Array(await file.arrayBuffer()), isEntryName);

/** All runs that have checkpoints, with the iteration of their newest checkpoint. */
const goingOn = samples.flatMap(([name, sample]) => {
  const newest = new Map<RunId, number>();
  for (const { runId, iteration } of formerRecords(sample, 'checkpoints'))
    newest.set(runId as RunId, iteration as number);
  const named = Object.entries(sample.ids);
  return [...newest].map(([id, at]) => [name, named.find(([, one]) => one === id)?.[0] ?? id, id, at] as const);
});

describe('a run of an earlier version', () => {
  it.each(goingOn)('%s: %s continues training, and its new records have the newest format', async (name, _, id, at) => {
    await leaveDatabase(formerSample(name));
    const before = await loadCheckpoint(id, at);
    const { trainer, state, heard, run } = await heardTrainer();
    // The run of the first sample has already finished its last iteration, so this test adds one more iteration.
    const isOver = at >= before.config.run.iterations;
    await trainer.resumeRun(id);
    await state(isOver ? 'done' : 'paused');
    expect([run().iteration, heard('note')]).toEqual([at, []]);
    if (isOver) await trainer.changeSetting('run.iterations', at + 1);
    await trainer.step();
    await state(at + 1 < before.config.run.iterations ? 'paused' : 'done');
    expect(heard('failed')).toEqual([]);
    const after = await loadCheckpoint(id, at + 1);
    expect(weightsOf(after).every(Number.isFinite)).toBe(true);
    expect(weightsOf(after)).not.toEqual(weightsOf(before));
    expect((await loadIteration(id, at + 1)).length).toBeGreaterThan(0);
    expect(await (await openDatabase()).get('checkpoints', [id, at + 1])).toHaveProperty('checksum');
  });
});

/** Converts a stored dialogue to the format of the exported files, in which reasons are written in words. */
const withEnglishReasons = ({ iteration, trajectory }: { iteration: number; trajectory: Trajectory }) => ({
  iteration,
  trajectory: {
    ...trajectory,
    turns: trajectory.turns.map((turn) => ({ ...turn, reason: asGiven(reasonInEnglish(turn.reason)) })),
  },
});
/** The run to which the files of the sample belong. */
const writerOf = ({ ids }: FormerSample) => Object.values(ids)[0] as RunId;
const withFile = (file: string) => samples.filter(([, { files }]) => file in files);
const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

describe('a file of an earlier version', () => {
  const runFiles = samples.flatMap(([name, { files, ids }]) =>
    Object.keys(files).flatMap((file) =>
      file.endsWith('.yaml') ? [[name, file, ids[file.slice(0, -5)] as RunId] as const] : [],
    ),
  );
  it.each(runFiles)(
    'the run file of %s, %s, says what its stored run says, and is written again without loss',
    async (name, file, id) => {
      const sample = formerSample(name);
      await leaveDatabase(sample);
      const stored = await loadRun(id);
      const world = isOwn(stored.config.world.name) ? { world: await loadWorld(stored.config.world.name) } : {};
      await readyWorld(stored.config);
      const { preset, config, changes } = readRunFile(textOf(sample.files[file]));
      // In early versions, runs did not record their initial settings, so a file contained the current settings
      // instead.
      const told = historyOf(stored);
      expect([preset, config, changes]).toEqual([told.preset, told.config, stored.begun ? told.changes : changes]);
      const again = writeRunFile({ ...told, name: stored.name, ...world });
      expect(writeRunFile({ ...readRunFile(again), name: stored.name, ...world })).toBe(again);
    },
  );

  it.each(withFile('dialogues.jsonl'))('the dialogues of %s are those that its run stored', async (_, sample) => {
    await leaveDatabase(sample);
    const id = writerOf(sample);
    const stored = [];
    for (const iteration of [1, 2])
      for (const trajectory of await loadIteration(id, iteration)) stored.push({ iteration, trajectory });
    expect(stored.length).toBeGreaterThan(0);
    expect(readJsonl(textOf(sample.files['dialogues.jsonl']))).toEqual(stored.map(withEnglishReasons));
  });

  it.each(withFile('pairs.jsonl'))('the preference pairs of %s are read', (_, { files }) => {
    const text = textOf(files['pairs.jsonl']);
    const lines = text.split('\n').filter((line) => line !== '');
    const pairs = lines.map((line) => JSON.parse(line) as PreferenceText);
    expect(readPreferences(text)).toMatchObject(
      pairs.map(({ prompt, chosen, rejected }) => ({ prompt, chosen, rejected })),
    );
  });

  it.each(withFile('weights.zip'))('the weights of %s open as a model', async (_, sample) => {
    const bytes = sample.files['weights.zip'] as Uint8Array<ArrayBuffer>;
    const weights = [...weightsIn(await readLlama([heldFile('agent.zip', bytes)]))];
    await leaveDatabase(sample);
    const checkpoint = await loadCheckpoint(writerOf(sample), 2);
    // If adapters were trained, the exported weights are the weights of the base merged with the adapters.
    const known = new Map((checkpoint.base ?? checkpoint.networks[0]?.weights)?.map((array) => [array.name, array]));
    const read = new Map(weights.map((array) => [array.name, array]));
    expect([...read.keys()].filter((key) => !known.has(key))).toEqual([]);
    expect(read.size).toBeGreaterThan(10);
    if (!checkpoint.base) for (const [key, array] of read) expect(array, key).toEqual(known.get(key));
  });

  it.each(withFile('results.json'))('the results of claims of %s are read, and written again the same', (_, sample) => {
    const text = textOf(sample.files['results.json']);
    expect(readResultFile(text)).toEqual(formerRecords(sample, 'claimResults'));
    expect(writeResultFile(readResultFile(text))).toBe(text);
  });

  it.each(withFile('run.cothink'))('the archive of %s is the run that its database holds', async (_, sample) => {
    const file = sample.files['run.cothink'] as Uint8Array<ArrayBuffer>;
    await archive.unpack(new Blob([file]));
    const { runs } = await listRuns();
    expect(runs.map(({ run }) => run.id)).toEqual([sample.ids['adapted']]);
    const packed = () => archive.pack(sample.ids['adapted'] as RunId).then(({ file: packed }) => entriesIn(packed));
    const unpacked = await packed();
    await closeDatabase();
    globalThis.indexedDB = new IDBFactory();
    await leaveDatabase(sample);
    const upgraded = await packed();
    expect([...unpacked.keys()]).toEqual([...upgraded.keys()]);
    // The record of the run differs, because the run was stopped after the archive had been written.
    const others = [...unpacked].filter(([entry]) => entry !== runEntryName);
    expect(others.length).toBeGreaterThan(3);
    for (const [entry, bytes] of others)
      expect(Buffer.compare(bytes, upgraded.get(entry) as Uint8Array), entry).toBe(0);
    const { isDone, ...run } = await archivedRun(unpacked).run();
    expect([isDone, { ...run, isDone: true }]).toEqual([false, await archivedRun(upgraded).run()]);
  });
});
