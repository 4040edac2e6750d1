// Tests of the problems of an iteration, with a fake trainer and a fake archive.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ArchiveApi } from '../../api/archiveConnection.ts';
import type { GroupSummary } from '../../records/trajectoryRow.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import { trajectories } from '../../records/testing/arbitrary.ts';
import type { ProblemEnds } from '../../records/problemEnds.ts';
import type { FinishCode, Trajectory } from '../../records/trajectory.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { Selection } from '../run/selection.svelte.ts';
import { FakeTrainer, microRun } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { Groups } from './groups.svelte.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';

emptyDatabase();

const [sample] = fc.sample(trajectories, { numRuns: 1, seed: 5 }) as [Trajectory];
const turns = {
  tokens: [],
  p: [],
  pBefore: [],
  tokenRatio: [],
  ratio: [],
  advantage: [],
  kl: [],
  entropy: [],
  won: [],
  value: [],
  alternatives: [],
};
const of = (iteration: number, group: number, hasNumbers: boolean): GroupInspection => ({
  ...{ iteration, group, isDead: false, meanReward: 0.5 },
  rollouts: [7, 3].map((index) => ({
    trajectory: { ...sample, index: group * 10 + index, group },
    turns: hasNumbers ? [turns] : [],
    promptTexts: [],
  })),
});
const summary = (group: number): GroupSummary => ({
  ...{ group, world: 'houseRule', shown: '1+1', ends: [], meanReward: 0, spread: 0, isDead: true },
});

let worker: FakeTrainer;
let selection: Selection;
let groups: Groups;
let notices: Notices;
/** The stored problems of iteration 1. */
let kept: number[];
/** The outcomes of the problems, if each of them has a single rollout. */
let lone: ProblemEnds | undefined;
/** Called each time something is read from the store. */
let meanwhile: () => Promise<unknown>;
let trainer: TrainerClient;

beforeEach(async () => {
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
  kept = [0, 2, 5];
  lone = undefined;
  meanwhile = () => Promise.resolve();
  worker = new FakeTrainer();
  notices = new Notices();
  trainer = new TrainerClient(notices, worker.connect);
  selection = new Selection(trainer, notices);
  const archive = {
    groups: (_, iteration) => Promise.resolve(iteration === 1 ? kept.map(summary) : []),
    group: async (_, iteration, group) => {
      const isKept = kept.includes(group);
      await meanwhile();
      return isKept ? { ...of(iteration, group, group === 2), ...(lone && { problems: lone }) } : null;
    },
  } as Partial<ArchiveApi> as ArchiveApi;
  groups = new Groups({ trainer, selection, notices, archive });
  await trainer.open({ config: microRun.config, preset: 'micro' });
  await trainer.train();
  await told(1);
});
afterEach(() => vi.unstubAllGlobals());

async function told(iteration: number): Promise<void> {
  const shown = of(iteration, 2, true);
  worker.tell({ kind: 'iteration', metrics: { iteration, values: {} }, shown, iterationsLeft: 9, msLeft: 9 });
  await vi.waitFor(() => expect(trainer.view.iteration).toBe(iteration));
}

describe('the problems of an iteration', () => {
  it('are as many as the settings say until they are read, which holds the iteration', async () => {
    expect([groups.list, groups.count]).toEqual([null, microRun.config.learning.problemsPerIteration]);
    await groups.read();
    expect([groups.list?.length, groups.count, selection.pastIteration]).toEqual([3, 3, 1]);
  });

  it('follow each other round and round, each without numbers until the trainer has them', async () => {
    let answer: (group: GroupInspection) => void = () => undefined;
    worker.look = () => new Promise((resolve) => (answer = resolve));
    await groups.move(1);
    expect([selection.group?.group, selection.rolloutIndex]).toEqual([5, 0]);
    expect(selection.rollout?.turns).toEqual([]);
    expect(worker.called.filter((verb) => verb === 'look')).toHaveLength(1);
    answer(of(1, 5, true));
    await vi.waitFor(() => expect(selection.rollout?.turns).toHaveLength(1));
    await groups.move(1);
    expect(selection.group?.group).toBe(0);
    await groups.move(-2);
    // A group that was inspected during training is stored with its numbers.
    expect([selection.group?.group, selection.rollout?.turns.length]).toEqual([2, 1]);
    answer(of(1, 0, true)); // nobody looks at it any more
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(selection.group?.group).toBe(2);
  });

  it('say why they have no numbers where these cannot be computed', async () => {
    worker.look = () => Promise.reject(new Error('no checkpoint is kept'));
    expect(await groups.open(1, 5, { index: 53, turn: 0 })).toBe(true);
    expect(selection.rollout?.trajectory.index).toBe(53);
    await vi.waitFor(() => expect(groups.fault).toBe('no checkpoint is kept'));
    await groups.open(1, 2);
    expect(groups.fault).toBe('');
  });

  it('that have one rollout each follow each other by reward, and rollouts of one problem by their own', async () => {
    await groups.beside(1);
    expect([groups.place, selection.group?.group, selection.rolloutIndex]).toEqual([-1, 2, 1]);
    const ends = { reward: [1, 0.5, 0], isRight: [true, false, false], finishCode: [0, 0, 1] as FinishCode[] };
    lone = { group: [5, 2, 0], ...ends };
    await groups.open(1, 2);
    expect(groups.place).toBe(1);
    await groups.beside(1);
    expect([groups.place, selection.group?.group, selection.rolloutIndex]).toEqual([2, 0, 0]);
    await groups.beside(1); // there is none worse
    expect(selection.group?.group).toBe(0);
    await groups.openPlace(0);
    expect(selection.group?.group).toBe(5);
  });

  it('are read once more where the next iteration came while the newest was looked for in vain', async () => {
    kept = [];
    meanwhile = () => {
      [kept, meanwhile] = [[2], () => Promise.resolve()];
      return told(2);
    };
    expect(await groups.open(1, 2)).toBe(true);
  });

  it('are not opened where they are not kept', async () => {
    expect(await groups.open(1, 99)).toBe(false);
    kept = [];
    vi.useFakeTimers();
    const read = groups.read();
    await vi.advanceTimersByTimeAsync(5000); // the newest may be stored in a moment
    vi.useRealTimers();
    expect(await read).toEqual([]);
    expect(selection.group?.group).toBe(2);
  });
});
