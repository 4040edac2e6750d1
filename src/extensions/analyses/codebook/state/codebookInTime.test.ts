// Tests the codebook for every checkpoint, with a trainer whose answers the test determines.
import fc from 'fast-check';
import { beforeEach, expect, it, vi } from 'vitest';
import { trajectories } from '../../../../records/testing/arbitrary.ts';
import type { Trajectory } from '../../../../records/trajectory.ts';
import { IndexedDbStore } from '../../../../storage/checkpointStore.ts';
import { checkpoint } from '../../../../storage/testing/sampleRecords.ts';
import { Notices } from '../../../../state/visitor/notices.svelte.ts';
import { Selection } from '../../../../state/run/selection.svelte.ts';
import { FakeTrainer, microRun } from '../../../../state/testing/fakeTrainer.ts';
import { TrainerClient } from '../../../../state/trainer/trainerClient.svelte.ts';
import type { Codebook } from '../records.ts';
import { CodebookInTime } from './codebookInTime.svelte.ts';
import { bitsBeyondChance } from './measures.ts';
import { emptyDatabase } from '../../../../storage/testing/emptyDatabase.ts';

emptyDatabase();

const [sample] = fc.sample(trajectories, { numRuns: 1, seed: 5 }) as [Trajectory];
const answer: Codebook = {
  draws: 4,
  sender: 0,
  hidden: ['a', 'b'],
  messages: [],
  others: 0,
  bits: 0.5,
  plain: 0.6,
  most: 1,
  chance: 0.1,
};

let worker: FakeTrainer;
let selection: Selection;
let inTime: CodebookInTime;
let asked: unknown[];

const tell = (iteration: number) =>
  worker.tell({
    kind: 'iteration',
    metrics: { iteration, values: {} },
    shown: {
      ...{ iteration, group: 0, isDead: false, meanReward: 0.5 },
      rollouts: [{ trajectory: sample, turns: [], promptTexts: [] }],
    },
    iterationsLeft: 9,
    msLeft: 9,
  });

beforeEach(async () => {
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
  worker = new FakeTrainer();
  asked = [];
  worker.look = (kind, at) => Promise.resolve(asked.push([kind, at])).then(() => answer);
  const notices = new Notices();
  const trainer = new TrainerClient(notices, worker.connect);
  selection = new Selection(trainer, notices);
  inTime = new CodebookInTime({ trainer, notices, selection });
  const store = new IndexedDbStore();
  for (const iteration of [0, 5]) await store.saveCheckpoint({ ...checkpoint(iteration), runId: microRun.id });
  await trainer.open({ config: microRun.config, preset: 'micro' });
  await trainer.train();
  tell(1);
  await vi.waitFor(() => expect(trainer.view.iteration).toBe(1));
  return () => vi.unstubAllGlobals();
});

it('asks every stored checkpoint about the shown problem, and keeps this problem on display', async () => {
  expect(inTime.isOnShow).toBe(false);
  await inTime.ask(4);
  const of = (iteration: number) => [
    'codebook.checkpoint',
    { run: microRun.id, iteration, problem: sample.problem, draws: 4 },
  ];
  expect(asked).toEqual([of(0), of(5)]);
  expect(inTime.checkpoints.moments.map(({ found }) => found)).toEqual([answer, answer]);
  tell(2);
  expect(selection.group?.iteration).toBe(1);
  expect(inTime.isOnShow).toBe(true);
  selection.follow();
  await vi.waitFor(() => expect(inTime.isOnShow).toBe(false));
});

it('after it is stopped, no further checkpoint is asked, and the results are kept', async () => {
  worker.look = (kind, at) => {
    asked.push([kind, at]);
    if (asked.length === 2) inTime.checkpoints.leave();
    return Promise.resolve(answer);
  };
  await inTime.ask(4);
  expect([inTime.checkpoints.moments.length, inTime.checkpoints.isAsking]).toEqual([1, false]);
});

it('only the bits of a codebook beyond chance are counted', () => {
  expect([bitsBeyondChance(answer), bitsBeyondChance({ ...answer, bits: 0.1 }), bitsBeyondChance(null)]).toEqual([
    0.5,
    0,
    null,
  ]);
});
