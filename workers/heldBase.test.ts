// Tests runs on a model that is too large to be stored in checkpoints. Each worker must find the model in the private
// file system of the browser. If the model is not there, the error must contain the name of the missing file.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StoredSeat } from '../src/api/trainerApi.ts';
import { IDBFactory } from 'fake-indexeddb';
import { heldFile } from '../src/formats/givenFile.ts';
import { digestOf } from '../src/formats/llama/llamaModel.ts';
import { readLlama } from '../src/formats/llama/readLlama.ts';
import { readRunArchive, writeRunArchive } from '../src/formats/runArchive.ts';
import type { RunId } from '../src/records/ids.ts';
import { foreignNamed, forgetModels } from '../src/records/stored/foreignModel.ts';
import type { TriedSeat } from '../src/records/intervention.ts';
import { addRun } from '../src/storage/archive/addRun.ts';
import { archivedRun, isArchiveEntry, isEntryName } from '../src/storage/archive/archivedRun.ts';
import { closeDatabase } from '../src/storage/database.ts';
import { keepModel } from '../src/storage/keepModel.ts';
import { deleteModel, keptModels, unfinishedModels } from '../src/storage/keptModels.ts';
import { listRuns, loadCheckpoint, loadIteration } from '../src/storage/reading.ts';
import { privateFiles } from '../src/storage/testing/privateFiles.ts';
import { archive } from './archive.ts';
import { runAnalysis, runExperiment } from './experiment.ts';
import { InterventionWorker } from './interventions.ts';
import { heldConfig, heldGguf } from '../src/formats/testing/heldBase.ts';
import { heardTrainer, standIn } from './testing/heardTrainer.ts';

standIn();
privateFiles(1e8);

const file = new File([heldGguf()], 'theirs.gguf');
let name = '';
let id: RunId;
let packed: Map<string, Uint8Array>;

beforeAll(async () => {
  const model = await readLlama([heldFile('theirs.gguf', new Uint8Array(await file.arrayBuffer()))]);
  name = `model-${digestOf(model)}`;
});

const keep = () => keepModel({ name, label: 'theirs', family: 'llama', parameters: 17_000_000 }, [file]);

/** Trains for two iterations on the model. */
async function trained(): Promise<Map<string, Uint8Array>> {
  await keep();
  const { trainer, state, run } = await heardTrainer();
  await trainer.open({ config: heldConfig(name), preset: 'micro' });
  await state('idle');
  for (let i = 0; i < 2; i++) await trainer.step();
  id = run().id;
  const { file: zip } = await archive.pack(id);
  return readRunArchive(new Uint8Array(await zip.arrayBuffer()), isEntryName);
}

/** Restores the stored run and model, and resets the worker, as if it had just started. */
beforeEach(async () => {
  packed ??= await trained();
  globalThis.indexedDB = new IDBFactory();
  await closeDatabase();
  await addRun(archivedRun(packed));
  await keep();
  forgetModels();
}, 120_000);

const seat = (iteration = 2): StoredSeat => ({ run: id, iteration });
/** The part of the error that describes the missing file. */
const wanted =
  /theirs \(model-[0-9a-f]{16}, 17\.\d million parameters; theirs\.gguf, \d+ bytes, SHA-256 [0-9a-f]{64}\), which is not stored in this browser; open the model’s file under Models/;

/** For each worker, the requests that need the weights of the model. */
const asked: Record<string, () => Promise<unknown>> = {
  'trainer: goes on': async () => {
    const { trainer, state } = await heardTrainer();
    await trainer.resumeRun(id);
    await state('paused');
    await trainer.step();
    expect((await listRuns()).runs[0]?.run.iteration).toBe(3);
  },
  'trainer: looks into an iteration': async () => {
    const { trainer } = await heardTrainer();
    const [first] = await loadIteration(id, 2);
    const at = { run: id, iteration: 2, group: first?.group ?? 0 };
    const group = await trainer.look('group', at);
    expect(group.rollouts.flatMap(({ turns }) => turns.flatMap(({ p }) => [...p])).length).toBeGreaterThan(4);
    const attention = await trainer.look('attention', { run: id, iteration: 2, trajectory: 0, turn: 1, token: 0 });
    expect(attention.weights.length).toBeGreaterThan(10);
  },
  'trainer: a held-out dialogue': async () => {
    const { trainer } = await heardTrainer();
    const said = await trainer.look('heldOut', { run: id, iteration: 1, problem: 0 });
    expect(said.turns).toHaveLength(2);
  },
  'trainer: stored agents together': async () => {
    const { trainer } = await heardTrainer();
    expect((await trainer.evaluateStored([seat(1), seat(2)])).problems).toBe(8);
  },
  'interventions: a dialogue is tried': async () => {
    const worker = new InterventionWorker();
    const seats = [1, 2].map((iteration) => ({ ...seat(iteration), agent: 0, name: 'theirs run' }));
    const problem = await worker.ask({ level: 1, number: 3 }, seats[0] as TriedSeat);
    const draws = { iteration: null, row: 0, roll: 0 };
    const { trajectory } = await worker.runTrajectory({ problem, seats, draws, given: [], hidden: [] });
    expect(trajectory.turns).toHaveLength(2);
  },
  'experiment: two arms from one checkpoint': async () => {
    const experiment = await runExperiment(
      {
        kind: 'sameLuck',
        run: id,
        iteration: 2,
        settings: [{ path: 'agents.unheard', value: 'first' }],
        iterations: 1,
      },
      () => undefined,
    );
    const arms = (await listRuns()).runs.filter(({ run }) => run.experiment?.id === experiment);
    expect(arms.map(({ run }) => run.iteration)).toEqual([3, 3]);
    const checkpoint = await loadCheckpoint(arms[0]?.run.id as RunId, 3);
    expect([checkpoint.base, checkpoint.foreign?.label]).toEqual([undefined, 'theirs']);
  },
  'experiment: agents of two checkpoints': async () => {
    const cells: unknown[] = [];
    await runAnalysis('crossPlay', [seat(1), seat(2)], (cell) => void cells.push(cell));
    expect(cells).toHaveLength(4);
  },
};

describe.each(Object.entries(asked))('%s', (_, ask) => {
  it('with the model that is stored in this browser', ask);
  it('names the needed file if no model is stored', async () => {
    await deleteModel(name);
    await expect(ask()).rejects.toMatchObject({
      name: 'MissingModelError',
      message: expect.stringMatching(wanted) as unknown,
    });
  });
});

it('a stored model is also described with its hashes', async () => {
  const { trainer } = await heardTrainer();
  await trainer.holdModel({ name, label: 'theirs' }, [file]);
  expect(foreignNamed(name)?.files).toEqual([
    { name: 'theirs.gguf', bytes: file.size, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown },
  ]);
});

it('an experiment with several seeds starts from the stored model', async () => {
  const config = { ...heldConfig(name), run: { ...heldConfig(name).run, iterations: 1 } };
  const experiment = await runExperiment({ kind: 'seeds', preset: 'micro', config, seeds: [3] }, () => undefined);
  const [run] = (await listRuns()).runs.filter((one) => one.run.experiment?.id === experiment);
  expect(run?.run.iteration).toBe(1);
});

it('the stored records are read, packed and viewed without the model', async () => {
  await deleteModel(name);
  expect(await archive.groups(id, 2)).toHaveLength(1);
  const { file: whole, leftOut } = await archive.pack(id);
  expect(leftOut).toEqual([]);
  expect(whole.size).toBeLessThan(file.size);
  const { metrics, shown } = await archive.look(whole);
  expect([metrics.length, shown?.iteration]).toEqual([2, 2]);
});

it('an archive includes the model on request, and another browser continues with it', async () => {
  const small = (await archive.pack(id)).file;
  const { file: whole } = await archive.pack(id, true);
  expect(whole.size - small.size).toBeGreaterThan(file.size);
  await deleteModel(name);
  await expect(archive.pack(id, true)).rejects.toThrow(/the model of the run is not stored in this browser/);
  globalThis.indexedDB = new IDBFactory();
  await closeDatabase();
  expect((await archive.look(whole)).run.iteration).toBe(2);
  expect(await keptModels()).toEqual([]);
  expect(await archive.unpack(whole)).toMatchObject({ trouble: '', model: name });
  expect((await keptModels()).map((card) => [card.name, card.label, card.bytes])).toEqual([
    [name, 'theirs', file.size],
  ]);
  await asked['trainer: goes on']?.();
});

it('an archive with a wrong or incomplete model is refused, and nothing of it is stored', async () => {
  const { file: whole } = await archive.pack(id, true);
  const entries = readRunArchive(new Uint8Array(await whole.arrayBuffer()), isArchiveEntry);
  await deleteModel(name);
  const opened = async (change: (files: Map<string, Uint8Array>) => void) => {
    globalThis.indexedDB = new IDBFactory();
    await closeDatabase();
    const files = new Map([...entries].map(([key, bytes]) => [key, bytes.slice()]));
    change(files);
    const parts: Blob[] = [];
    await writeRunArchive(entriesIn(files), (piece) => parts.push(new Blob([piece])));
    return archive.unpack(new Blob(parts));
  };
  const part = 'model/000000.file';
  await expect(opened((files) => files.set(part, new Uint8Array(9)))).rejects.toThrow(
    /theirs\.gguf: expected \d+ bytes, got 9/,
  );
  await expect(opened((files) => files.delete(part))).rejects.toThrow(/got 0/);
  await expect(opened((files) => files.get(part)?.fill(1, 5000, 5004))).rejects.toThrow(
    /do not match the recorded checksums/,
  );
  expect([await keptModels(), await unfinishedModels()]).toEqual([[], []]);
});

async function* entriesIn(files: ReadonlyMap<string, Uint8Array>) {
  for (const [key, bytes] of files) yield await Promise.resolve({ name: key, bytes });
}

it('a run whose model is missing is viewed as it is stored', async () => {
  await deleteModel(name);
  const { run, metrics, evaluations, shown } = await archive.lookStored(id);
  expect([run.id, metrics.length, evaluations.length > 0, shown?.iteration]).toEqual([id, 2, true, 2]);
});
