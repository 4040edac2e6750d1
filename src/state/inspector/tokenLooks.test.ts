// Questions about an opened token, with a trainer whose answers the test sets.
import fc from 'fast-check';
import { beforeEach, expect, it, vi } from 'vitest';
import type { GroupInspection } from '../../records/inspection.ts';
import { trajectories } from '../../records/testing/arbitrary.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { Selection } from '../run/selection.svelte.ts';
import { FakeTrainer, microRun } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { TokenLooks } from './tokenLooks.svelte.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';

emptyDatabase();

const [sample] = fc.sample(trajectories, { numRuns: 1, seed: 5 }) as [Trajectory];
const shown: GroupInspection = {
  ...{ iteration: 1, group: 2, isDead: false, meanReward: 0.5 },
  rollouts: [{ trajectory: { ...sample, index: 9 }, turns: [], promptTexts: [] }],
};

let worker: FakeTrainer;
let looks: TokenLooks;
let asked: unknown[][];
let answers: ((answer: unknown) => void)[];

beforeEach(async () => {
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
  worker = new FakeTrainer();
  [asked, answers] = [[], []];
  worker.look = (...given) => {
    asked.push(given);
    return new Promise((resolve) => answers.push(resolve));
  };
  const notices = new Notices();
  const trainer = new TrainerClient(notices, worker.connect);
  const selection = new Selection(trainer, notices);
  looks = new TokenLooks({ trainer, selection });
  await trainer.open({ config: microRun.config, preset: 'micro' });
  worker.tell({ kind: 'iteration', metrics: { iteration: 1, values: {} }, shown, iterationsLeft: 9, msLeft: 9 });
  await vi.waitFor(() => expect(trainer.view.iteration).toBe(1));
  return () => vi.unstubAllGlobals();
});
const settled = () => new Promise((resolve) => setTimeout(resolve, 2));

it('nothing is asked before it is opened, learners once for a group, and attention token by token', async () => {
  looks.ask(0);
  expect(asked).toEqual([]);
  looks.isOpen.learners = looks.isOpen.attention = true;
  looks.ask(0);
  looks.ask(1);
  await settled();
  const { id } = microRun;
  expect(asked).toEqual([
    ['learners', { run: id, iteration: 1, group: 2 }],
    ['attention', { run: id, iteration: 1, trajectory: 9, turn: 0, token: 0 }],
    ['attention', { run: id, iteration: 1, trajectory: 9, turn: 0, token: 1 }],
  ]);
  answers[1]?.({ layers: 1 }); // of a token that is not open any more
  answers[2]?.({ layers: 2 });
  answers[0]?.([]);
  await settled();
  expect([looks.attention.answer, looks.learners.answer]).toEqual([{ layers: 2 }, []]);
});

it('why there is no answer is said in its place', async () => {
  worker.look = () => Promise.reject(new Error('none of its checkpoints is stored'));
  looks.isOpen.attention = true;
  looks.ask(0);
  await settled();
  expect([looks.attention.answer, looks.attention.fault]).toEqual([null, 'none of its checkpoints is stored']);
  expect(looks.learners.fault).toBe('');
});
