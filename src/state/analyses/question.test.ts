import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Looks } from '../../records/looks.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import { trajectories } from '../../records/testing/arbitrary.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { Selection } from '../run/selection.svelte.ts';
import { FakeTrainer, microRun } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { Question } from './question.svelte.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';

emptyDatabase();

const [sample] = fc.sample(trajectories, { numRuns: 1, seed: 5 }) as [Trajectory];
const of = (iteration: number): GroupInspection => ({
  ...{ iteration, group: 0, isDead: false, meanReward: 0.5 },
  rollouts: [{ trajectory: sample, turns: [], promptTexts: [] }],
});
const answer: Looks['credit']['answer'] = { draws: 16, truth: [[{ worth: 0.5, error: 0.1 }]], paid: [] };

let worker: FakeTrainer;
let selection: Selection;
let credit: Question<'credit'>;
let trainer: TrainerClient;

const tell = (iteration: number) =>
  worker.tell({
    kind: 'iteration',
    metrics: { iteration, values: {} },
    shown: of(iteration),
    iterationsLeft: 9,
    msLeft: 9,
  });

beforeEach(async () => {
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
  worker = new FakeTrainer();
  const notices = new Notices();
  trainer = new TrainerClient(notices, worker.connect);
  selection = new Selection(trainer, notices);
  credit = new Question('credit', { trainer, selection });
  await trainer.open({ config: microRun.config, preset: 'micro' });
  await trainer.train();
  tell(1);
  await vi.waitFor(() => expect(trainer.view.iteration).toBe(1));
});
afterEach(() => vi.unstubAllGlobals());

it('is asked of the group on show, which is held while training goes on', async () => {
  worker.look = () => Promise.resolve(answer);
  expect(credit.asked).toBeNull();
  const asking = credit.ask(16);
  expect(credit.asked).toMatchObject({ found: null, refusal: '' });
  tell(2);
  await asking;
  expect(credit.asked?.found).toEqual(answer);
  expect(selection.group?.iteration).toBe(1);
});

it('belongs to its group: another has none until somebody asks', async () => {
  worker.look = () => Promise.resolve(answer);
  await credit.ask(16);
  tell(2);
  await vi.waitFor(() => expect(trainer.view.iteration).toBe(2));
  selection.follow();
  expect(credit.asked).toBeNull();
});

it('says in words why it was refused', async () => {
  await credit.ask(16);
  expect(credit.asked).toMatchObject({ found: null, refusal: 'nothing is kept' });
});
