// Tests of the view that shows one problem with every checkpoint. The trainer is fake.
import fc from 'fast-check';
import { beforeEach, expect, it, vi } from 'vitest';
import { trajectories } from '../../records/testing/arbitrary.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { IndexedDbStore } from '../../storage/checkpointStore.ts';
import { checkpoint } from '../../storage/testing/sampleRecords.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { FakeTrainer, microRun } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { ThroughTime } from './throughTime.svelte.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';

emptyDatabase();

const [sample] = fc.sample(trajectories, { numRuns: 1, seed: 5 }) as [Trajectory];
const count = microRun.config.evaluation.problems;

let worker: FakeTrainer;
let time: ThroughTime;
let asked: unknown[];

beforeEach(async () => {
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
  worker = new FakeTrainer();
  asked = [];
  worker.look = (_, at) => Promise.resolve(asked.push(at)).then(() => sample);
  const notices = new Notices();
  const trainer = new TrainerClient(notices, worker.connect);
  time = new ThroughTime({ trainer, notices });
  const store = new IndexedDbStore();
  for (const iteration of [0, 5, 10]) await store.saveCheckpoint({ ...checkpoint(iteration), runId: microRun.id });
  await trainer.open({ config: microRun.config, preset: 'micro' });
  await vi.waitFor(() => expect(trainer.view.run).not.toBeNull());
  return () => vi.unstubAllGlobals();
});

it('asks every stored checkpoint about the problem; the newest stands beside the first until another is chosen', async () => {
  await time.ask(3);
  expect(asked).toEqual([0, 5, 10].map((iteration) => ({ run: microRun.id, iteration, problem: 3 })));
  expect([time.checkpoints.moments.length, time.checkpoints.awaited, time.checkpoints.chosen]).toEqual([3, 3, 2]);
  time.checkpoints.choose(1);
  await time.ask(-1); // before the first comes the last
  expect([time.problem, time.checkpoints.chosen]).toEqual([count - 1, 1]);
});

it('a checkpoint that cannot answer says why, and the others still answer', async () => {
  worker.look = (_, at) =>
    (at as { iteration: number }).iteration === 5
      ? Promise.reject(new Error('it is damaged'))
      : Promise.resolve(sample);
  await time.ask();
  expect(time.checkpoints.moments.map(({ fault }) => fault)).toEqual(['', 'it is damaged', '']);
});

it('after the view is closed, no further checkpoint is asked', async () => {
  worker.look = (_, at) => {
    asked.push(at);
    time.checkpoints.leave();
    return Promise.resolve(sample);
  };
  await time.ask();
  expect([asked.length, time.checkpoints.moments]).toEqual([1, []]);
});
