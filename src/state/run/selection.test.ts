import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GroupInspection, RolloutInspection, Won } from '../../records/inspection.ts';
import { trajectories } from '../../records/testing/arbitrary.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { IndexedDbStore } from '../../storage/checkpointStore.ts';
import { iteration as stored } from '../../storage/testing/sampleRecords.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { mostMoved, nextClipped, Selection } from './selection.svelte.ts';
import { FakeTrainer, microRun } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';

emptyDatabase();

const trajectoryOf = (index: number): Trajectory => {
  const [sample] = fc.sample(trajectories, { numRuns: 1, seed: 5 });
  if (!sample?.turns[0]) throw new Error('the sample has no turn');
  const [turn] = sample.turns;
  const turns = [0, 1, 2].map((at) => ({ ...turn, index: at }));
  const { branch: _, ...rest } = sample;
  return { ...rest, index, turns };
};
const group = (iteration: number): GroupInspection => ({
  ...{ iteration, group: 0, isDead: false, meanReward: 0.5 },
  rollouts: [0, 1, 2].map((index) => ({ trajectory: trajectoryOf(index), turns: [], promptTexts: [] })),
});

let worker: FakeTrainer;
let trainer: TrainerClient;
let selection: Selection;

/** Sends the events of a finished iteration. `ms` is the duration of the iteration in milliseconds. */
async function done(iteration: number, ms = 100): Promise<void> {
  const metrics = { iteration, values: { 'time/rollout': ms } };
  worker.tell({ kind: 'iteration', metrics, shown: group(iteration), iterationsLeft: 9, msLeft: 9 });
  await vi.waitFor(() => expect(trainer.view.iteration).toBe(iteration));
}
async function sampled(iteration: number, index: number): Promise<void> {
  worker.tell({ kind: 'turn', iteration, trajectory: trajectoryOf(index) });
  await vi.waitFor(() => expect(trainer.view.live).toMatchObject({ iteration, trajectory: { index } }));
}
const pause = async () => {
  worker.state('paused');
  await vi.waitFor(() => expect(trainer.view.state).toBe('paused'));
};

beforeEach(async () => {
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
  worker = new FakeTrainer();
  const notices = new Notices();
  trainer = new TrainerClient(notices, worker.connect);
  selection = new Selection(trainer, notices);
  await trainer.open({ config: microRun.config, preset: 'micro' });
  await trainer.train();
  await done(1);
});
afterEach(() => vi.unstubAllGlobals());

describe('while it trains', () => {
  it('the newest group is followed until something is chosen, which is held until it is let go', async () => {
    await done(2);
    expect([selection.group?.iteration, selection.pastIteration]).toEqual([2, null]);
    selection.chooseRollout(7);
    selection.chooseTurn(1);
    await done(3);
    expect([selection.group?.iteration, selection.pastIteration]).toEqual([2, 2]);
    expect([selection.rolloutIndex, selection.turnIndex]).toEqual([2, 1]);
    selection.follow();
    expect([selection.group?.iteration, selection.rolloutIndex, selection.turnIndex]).toEqual([3, 0, 0]);
  });

  it('a slow dialogue is shown turn by turn, a quick one only with its numbers', async () => {
    await sampled(2, 1);
    expect([selection.isLive, selection.trajectory?.index]).toEqual([false, 1]);
    await done(2, 9000);
    await sampled(3, 2);
    expect([selection.isLive, selection.trajectory?.index]).toEqual([true, 2]);
    selection.chooseTurn(1);
    expect([selection.isLive, selection.group?.iteration]).toEqual([false, 2]);
  });
});

it('what is chosen while it stands still is not held against the next iteration', async () => {
  await pause();
  selection.chooseRollout(1);
  expect([selection.rolloutIndex, selection.pastIteration]).toEqual([1, null]);
  await done(2);
  expect(selection.group?.iteration).toBe(2);
});

it('a branch is looked at where it leaves its dialogue', async () => {
  const branched = group(2);
  const last = branched.rollouts[2];
  if (last) last.trajectory = { ...last.trajectory, branch: { from: 2, of: 0 } as never };
  worker.tell({
    kind: 'iteration',
    ...{ metrics: { iteration: 2, values: {} }, shown: branched, iterationsLeft: 9, msLeft: 9 },
  });
  await vi.waitFor(() => expect(trainer.view.iteration).toBe(2));
  selection.chooseRollout(2);
  expect(selection.turnIndex).toBe(2);
  selection.chooseTurn(1);
  selection.chooseRollout(0);
  expect(selection.turnIndex).toBe(1);
});

describe('looking back', () => {
  it('reads an iteration from the store; the newest one means follow', async () => {
    const store = new IndexedDbStore();
    await store.saveIteration(microRun.id, { ...stored(1), shown: group(1) });
    await done(2);
    await done(3);
    await selection.scrub(1);
    expect([selection.pastIteration, selection.group?.iteration, selection.nearestKept]).toEqual([1, 1, null]);
    await selection.scrub(3);
    expect([selection.pastIteration, selection.group?.iteration]).toEqual([null, 3]);
  });

  it('where an iteration is not kept shows the nearest that is, and says which', async () => {
    const store = new IndexedDbStore();
    await store.saveIteration(microRun.id, { ...stored(1), shown: group(1) });
    await done(2);
    await done(3);
    await selection.scrub(2);
    expect([selection.pastIteration, selection.nearestKept]).toEqual([2, 1]);
  });
});

describe('a group that is opened', () => {
  /** In the second turn of the last rollout, the probability of one token was halved by the update. */
  const moved = (iteration: number): GroupInspection => {
    const of = group(iteration);
    const turns = (ratio: number) => [[1, 1.1], [1, ratio], [1]].map((tokenRatio) => ({ tokenRatio })) as never;
    return { ...of, rollouts: of.rollouts.map((one, i) => ({ ...one, turns: turns(i === 2 ? 0.5 : 1.2) })) };
  };
  const shown = () => [selection.rolloutIndex, selection.turnIndex, selection.tokenIndex];
  const scrubbed = async () => {
    await done(2);
    expect(shown()).toEqual([0, 0, null]);
    trainer.lookAt({ ...trainer.view }, (iteration) => Promise.resolve(moved(iteration)), 'no weights');
    await selection.scrub(1);
  };

  it('of an earlier iteration is open on the token that moved most, while what is followed is on none', async () => {
    await scrubbed();
    expect(shown()).toEqual([2, 1, 1]);
    selection.follow();
    expect(shown()).toEqual([0, 0, null]);
  });

  it('stays where the visitor goes from there, also when what was open is closed', async () => {
    await scrubbed();
    selection.chooseTurn(0);
    expect(shown()).toEqual([2, 0, 1]);
    selection.follow();
    await selection.scrub(1);
    selection.openToken(null);
    expect(shown()).toEqual([2, 1, null]);
    selection.openToken(0);
    expect(shown()).toEqual([2, 1, 0]);
  });

  it('keeps what a visitor has chosen, or what was asked for', async () => {
    await done(2);
    selection.chooseRollout(1);
    trainer.lookAt({ ...trainer.view }, (iteration) => Promise.resolve(moved(iteration)), 'no weights');
    await selection.scrub(1);
    expect(shown()).toEqual([1, 0, null]);
    selection.show(moved(2), { rollout: 1 });
    expect(shown()).toEqual([1, 0, null]);
    selection.show(moved(2));
    expect(shown()).toEqual([2, 1, 1]);
  });

  it('of which the numbers come later opens on the token once they are there', () => {
    selection.show(group(1));
    expect(shown()).toEqual([0, 0, null]);
    selection.renew(moved(1));
    expect(shown()).toEqual([2, 1, 1]);
  });

  it('of a run from the store is open on it too; of one that was just trained here it is not', async () => {
    const tell = { metrics: { iteration: 2, values: {} }, shown: moved(2), iterationsLeft: 9, msLeft: 9 };
    worker.tell({ kind: 'iteration', ...tell });
    await pause();
    expect(shown()).toEqual([2, 1, 1]);
    await sampled(3, 0);
    expect(shown()).toEqual([0, 0, null]);
  });
});

const wonBy = (...won: Won[][]) => ({ turns: won.map((sides) => ({ won: sides })) }) as unknown as RolloutInspection;
const groupOf = (...rollouts: RolloutInspection[]) => ({ rollouts }) as GroupInspection;

it('clipped tokens follow each other over turns and rollouts, and after the last comes the first', () => {
  const of = groupOf(wonBy([0, 1], [0, 0, 2]), wonBy([0], [1]));
  const first = { rollout: 0, turn: 0, token: 1 };
  const second = { rollout: 0, turn: 1, token: 2 };
  const third = { rollout: 1, turn: 1, token: 0 };
  expect(nextClipped(of, { rollout: 0, turn: 0, token: -1 })).toEqual(first);
  expect(nextClipped(of, first)).toEqual(second);
  expect(nextClipped(of, { ...second, token: 1 })).toEqual(second);
  expect(nextClipped(of, second)).toEqual(third);
  expect(nextClipped(of, third)).toEqual(first);
});

it('the only clipped token follows itself, and where none was clipped there is none', () => {
  const only = { rollout: 0, turn: 0, token: 0 };
  expect(nextClipped(groupOf(wonBy([2])), only)).toEqual(only);
  expect(nextClipped(groupOf(wonBy([0, 0], [])), only)).toBeNull();
});

it('the token that moved most is the one whose ratio is farthest from 1, up or down; where none was learned from there is none', () => {
  const ratios = (...rollouts: number[][]) =>
    groupOf(...rollouts.map((tokenRatio) => ({ turns: [{ tokenRatio }] }) as unknown as RolloutInspection));
  expect(mostMoved(ratios([1, 1.2], [0.6, 1]))).toEqual({ rollout: 1, turn: 0, token: 0 });
  expect(mostMoved(ratios([1, 2], [0.6, 1]))).toEqual({ rollout: 0, turn: 0, token: 1 });
  expect(mostMoved(ratios([], []))).toBeNull();
});
