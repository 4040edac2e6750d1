// Tests of experiments with two columns of dialogues. The worker is fake.
import { beforeEach, describe, expect, it } from 'vitest';
import type { InterventionApi } from '../../api/interventionConnection.ts';
import { FormatError } from '../../base/errors.ts';
import { agentId } from '../../records/ids.ts';
import type { Reweighing, StandingTurn, TriedTrajectory } from '../../records/intervention.ts';
import { sampleProblem } from '../../records/testing/arbitrary.ts';
import type { KeptBranch } from '../../records/stored/keptBranch.ts';
import { readJsonl } from '../../formats/testing/readJsonl.ts';
import { listBranches } from '../../storage/reading.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';
import { IndexedDbStore } from '../../storage/checkpointStore.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { Library } from '../library/library.svelte.ts';
import { FakeTrainer, microRun } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { Interventions } from './interventions.svelte.ts';

emptyDatabase();

const turn = (index: number, { text, isFinish }: Pick<StandingTurn, 'text' | 'isFinish'>): Turn => ({
  ...{ index, round: index >> 1, agent: agentId(index % 2), role: index % 2 ? 'reasoning' : 'metaThinking' },
  ...{ tokens: [1], logprobs: [-1], text, isFinish, isTruncated: false, parts: {}, reason: [], reward: 0 },
});
const dialogue = (turns: readonly Turn[]): Trajectory => ({
  ...{ index: 3, group: 0, problem: sampleProblem, prompts: [[1], [1]], finishCode: 0 },
  ...{ answer: '5', isRight: true, reward: 1, turns: [...turns] },
});
const texts = ({ turns }: Trajectory) => turns.map(({ text }) => text);

const store = new IndexedDbStore();
let tried: Interventions;
let asked: TriedTrajectory[];
let reweighed: Reweighing;
let ended: number;
const shown = dialogue(['4*2', '7+8', ''].map((text, i) => turn(i, { text, isFinish: i === 2 })));

beforeEach(async () => {
  asked = [];
  ended = 0;
  await store.saveRun(microRun);
  const bench: InterventionApi = {
    hold: () => Promise.resolve(),
    reweigh: (asked) => {
      reweighed = asked;
      return Promise.resolve({ dialogues: asked.group.length, rollouts: [], cosine: 1 });
    },
    keep: (branch) => store.saveBranch(branch),
    forget: (run, number) => store.deleteBranch(run, number),
    holdNewest: () => Promise.resolve(8),
    ask: (wish) => {
      const number = 'number' in wish ? wish.number : 0;
      return Promise.resolve(number === 1 ? sampleProblem : { ...sampleProblem, id: `${number}` });
    },
    // The text of each sampled turn contains the iteration of the checkpoint and the number that selects the random
    // numbers, so that tests can check both.
    runTrajectory: (request) => {
      asked.push(request);
      if (request.given.some(({ text }) => text === '%'))
        return Promise.reject(new FormatError('turn 1: no such sign.'));
      const turns = Array.from({ length: 3 }, (_, i) =>
        turn(
          i,
          request.given[i] ?? {
            text: `${i} of ${request.problem.id} at ${request.seats[0]?.iteration}.${request.draws.roll}`,
            isFinish: false,
          },
        ),
      );
      const you = request.seats.findIndex(({ isYou }) => isYou);
      const isAwaited = you >= 0 && request.given.length <= you;
      const awaited = isAwaited ? { agent: you, heard: '', mayFinish: true, window: 4 } : null;
      return Promise.resolve({ trajectory: dialogue(isAwaited ? turns.slice(0, you) : turns), awaited });
    },
  };
  const notices = new Notices();
  const trainer = new TrainerClient(notices, new FakeTrainer().connect);
  const parts = {
    ...{ trainer, library: new Library(trainer, notices) },
    run: { view: { run: microRun, state: 'paused' } },
    selection: { trajectory: shown, group: { iteration: 9, rollouts: [{ trajectory: shown }] }, turnIndex: 0 },
  };
  tried = new Interventions(parts as never, () => ({ ask: (question) => question(bench), end: () => ended++ }));
});

const both = () => [tried.columns.left, tried.columns.right].map((column) => column && texts(column.held.trajectory));

describe('a dialogue from the stage', () => {
  it('is shown unchanged on both sides', async () => {
    await tried.openShown();
    expect(tried.refusal).toBeNull();
    expect(both()).toEqual([texts(shown), texts(shown)]);
    expect(asked).toEqual([]);
  });

  it('continues from an edited turn on both sides with its own draws', async () => {
    await tried.openShown();
    expect(await tried.edit(0, '9+1', false)).toBe(true);
    const [right, left] = asked as [TriedTrajectory, TriedTrajectory];
    expect(right.given).toEqual([{ agent: 0, text: '9+1', isFinish: false }]);
    expect(left.given).toEqual(shown.turns.slice(0, 1));
    expect(right.draws).toEqual({ iteration: 8, row: 3, roll: 0 });
    expect(left.draws).toEqual(right.draws);
    expect(tried.changes).toEqual(['turn 1 edited']);
  });

  it('does not change if a change is refused, and says why', async () => {
    await tried.openShown();
    expect(await tried.edit(0, '%', false)).toBe(false);
    expect(tried.refusal).toMatchObject({ text: 'turn 1: no such sign.', isTyped: true });
    expect(both()).toEqual([texts(shown), texts(shown)]);
    expect(tried.changes).toEqual([]);
  });

  it('is sampled again with other draws each time', async () => {
    await tried.openShown();
    await tried.reroll(1);
    await tried.reroll(1);
    expect(asked.filter(({ draws }) => draws.roll > 0).map(({ draws }) => draws.roll)).toEqual([1, 2]);
  });

  it('hides a turn, and shows it again', async () => {
    await tried.openShown();
    await tried.hide(0);
    expect(tried.columns.right?.hidden).toEqual([0]);
    await tried.hide(0);
    expect(tried.columns.right?.hidden).toEqual([]);
  });

  it('takes a message of another problem, never of its own', async () => {
    await tried.openShown();
    await tried.shuffle(0);
    expect(tried.columns.right?.held.trajectory.turns[0]?.text).toMatch(/^0 of 2 /);
  });

  it('leaves no worker after it is closed', async () => {
    await tried.openShown();
    expect([tried.isOpen, ended]).toEqual([true, 0]);
    tried.close();
    expect([tried.isOpen, ended]).toEqual([false, 1]);
  });

  it('goes back to the left side', async () => {
    await tried.openShown();
    await tried.edit(0, '9+1', false);
    tried.undo();
    const [left, right] = both();
    expect(right).toEqual(left);
    expect(tried.changes).toEqual([]);
  });
});

it('other weights of the reward are tried on the group of the dialogue, under the weights that said it', async () => {
  await tried.openShown();
  await tried.reweigh({ finished: 1 });
  expect(reweighed).toMatchObject({ seat: { iteration: 8 }, iteration: 9, group: [shown], weights: { finished: 1 } });
  expect(tried.reweighed?.cosine).toBe(1);
  await tried.openShown();
  expect(tried.reweighed).toBeNull();
});

describe('a changed dialogue', () => {
  it('is stored with its run and its origin, opened again, exported as two lines and deleted', async () => {
    await tried.openShown();
    await tried.edit(0, '9+1', false);
    const stood = both();
    await tried.keep('a better plan');
    const [kept] = tried.kept as [KeptBranch];
    expect(kept).toMatchObject({ runId: microRun.id, number: 1, name: 'a better plan', changes: ['turn 1 edited'] });
    const lines = tried.lines(kept).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { tried: object }).tried)).toMatchObject([
      { name: 'a better plan', side: 'left', changes: [] },
      { name: 'a better plan', side: 'right', changes: ['turn 1 edited'] },
    ]);
    expect(readJsonl(tried.lines(kept)).map(({ trajectory }) => texts(trajectory))).toEqual(stood);
    await tried.ask({ level: 1, number: 4 });
    tried.reopen(kept);
    expect(both()).toEqual(stood);
    await tried.forget(kept);
    expect(tried.kept).toEqual([]);
  });

  it('is deleted with its run, and cannot be stored for a run that is not stored', async () => {
    await tried.openShown();
    await tried.keep('one');
    await store.deleteRun(microRun.id);
    expect((await listBranches(microRun.id)).branches).toEqual([]);
    expect(await tried.keep('two')).toBe(false);
    expect(tried.refusal?.text).toMatch(
      /^branch two: the run of this branch is not stored yet; train the run for one iteration/,
    );
  });
});

describe('a problem that is asked for', () => {
  it('is answered with the first weights and with the current ones', async () => {
    await tried.openAsked();
    expect(asked.map(({ seats }) => seats.map(({ iteration }) => iteration))).toEqual([
      [8, 8],
      [8, 8],
    ]);
    await tried.ask({ level: 1, number: 4 });
    expect(tried.problem?.id).toBe('4');
    expect(tried.origin).toBeNull();
  });

  it('may be answered by the visitor', async () => {
    await tried.openAsked();
    const [seat] = tried.choices;
    await tried.seat('right', 0, { ...(seat as (typeof tried.choices)[number]), isYou: true });
    expect(tried.columns.right?.held.awaited?.agent).toBe(0);
    expect(await tried.say('right', '4*2', false)).toBe(true);
    expect(tried.columns.right?.held.trajectory.turns[0]?.text).toBe('4*2');
  });
});
