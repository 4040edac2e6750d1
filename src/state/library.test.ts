// The library reads small records of all runs; one run's trouble is never another's.
import { expect, it } from 'vitest';
import { runId } from '../records/ids.ts';
import { IndexedDbStore } from '../storage/checkpointStore.ts';
import { openDatabase } from '../storage/database.ts';
import { checkpoint, id, iteration, run } from '../storage/testing/sampleRecords.ts';
import { Library } from './library.svelte.ts';
import { Notices } from './notices.svelte.ts';
import { FakeTrainer } from './testing/fakeTrainer.ts';
import { TrainerClient } from './trainerClient.svelte.ts';
import '../storage/testing/emptyDatabase.ts';

const store = new IndexedDbStore();
const open = async () => {
  const notices = new Notices();
  const library = new Library(new TrainerClient(notices), notices);
  await library.refresh();
  return { library, notices };
};

it('offers an older run where the newest ended before its first checkpoint', async () => {
  await store.saveRun(run({ iteration: 4 }));
  await store.saveIteration(id, iteration(4));
  await store.saveCheckpoint(checkpoint(4), null);
  const later = runId('run-2');
  await store.saveRun(run({ id: later, iteration: 3 }));
  await store.saveIteration(later, iteration(3));
  const { library } = await open();
  expect(library.runs.map((listed) => listed.run.id)).toContain(later);
  expect(library.unfinished).toMatchObject({ id, iteration: 4 });
});

it('offers nothing where every run is done', async () => {
  await store.saveRun(run({ iteration: 4, isDone: true }));
  await store.saveCheckpoint(checkpoint(4), null);
  expect((await open()).library.unfinished).toBeNull();
});

it('lists a damaged run beside the others, and lets go of it', async () => {
  await store.saveRun(run());
  const damaged = { ...run({ id: runId('run-9') }), createdMs: 'yesterday' };
  await (await openDatabase()).put('runs', damaged as never);
  const { library, notices } = await open();
  expect(library.runs.map((listed) => listed.run.id)).toEqual([id]);
  expect(library.damaged.map((record) => record.id)).toEqual(['run-9']);
  expect(notices.list).toEqual([]);
  library.forget(runId('run-9'));
  expect(library.damaged).toEqual([]);
});

it('measures stored agents, says why they were refused, and keeps the newest of two requests', async () => {
  const fake = new FakeTrainer();
  const notices = new Notices();
  const library = new Library(new TrainerClient(notices, fake.connect), notices);
  const seats = [4, 8].map((at) => ({ run: id, iteration: at }));
  const asked = library.measure(seats);
  expect(library.measured).toEqual({ seats, evaluation: null, refusal: '' });
  await asked;
  expect(library.measured).toEqual({ seats, evaluation: fake.measured, refusal: '' });
  fake.refusal = 'agent 2 cannot talk here.';
  await library.measure(seats.toReversed());
  expect(library.measured).toMatchObject({ evaluation: null, refusal: 'agent 2 cannot talk here.' });
  fake.refusal = '';
  const older = library.measure(seats);
  await library.measure([]);
  await older;
  expect(library.measured?.seats).toEqual([]);
  expect(notices.list).toEqual([]);
});
