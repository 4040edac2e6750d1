// Tests of the list of stored dialogues, with a fake archive.
import fc from 'fast-check';
import { beforeEach, expect, it, vi } from 'vitest';
import type { ArchiveApi } from '../../api/archiveConnection.ts';
import { StorageError } from '../../base/errors.ts';
import type { TrajectoryRow } from '../../records/trajectoryRow.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import { trajectories } from '../../records/testing/arbitrary.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { Selection } from '../run/selection.svelte.ts';
import { FakeTrainer, microRun } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { StoredTrajectories } from './storedTrajectories.svelte.ts';
import { Groups } from './groups.svelte.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';

emptyDatabase();

const row = (iteration: number, index: number): TrajectoryRow => ({
  ...{ iteration, index, group: 0, world: 'houseRule', slice: 'leftToRight', reward: index / 10, isRight: index > 4 },
  ...{ finishCode: 0, isBranch: false, isTruncated: false, clipped: null, tokens: 3, shown: '1+1', said: '1+1' },
  ...{ answer: '2', reasons: [] },
});
const [sample] = fc.sample(trajectories, { numRuns: 1, seed: 5 }) as [Trajectory];
const kept: GroupInspection = {
  ...{ iteration: 2, group: 0, isDead: false, meanReward: 0 },
  rollouts: [{ trajectory: { ...sample, index: 0 }, turns: [], promptTexts: [] }],
};
const of = (iteration: number) => Array.from({ length: 10 }, (_, index) => row(iteration, index));

let dialogues: StoredTrajectories;
let notices: Notices;
let tell: (rows: TrajectoryRow[], share: number) => void;
let asked: unknown[];
let reads: number;
let refused = false;
/** The open run has completed four iterations. */
let begin: () => Promise<void>;
const engine = { backend: 'simd', adapter: '2 cores', reason: 'The CPU was requested.', isSoftware: true };

beforeEach(async () => {
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
  const worker = new FakeTrainer();
  notices = new Notices();
  const trainer = new TrainerClient(notices, worker.connect);
  const selection = new Selection(trainer, notices);
  asked = [];
  reads = 0;
  const archive: ArchiveApi = {
    groups: () => Promise.resolve([]),
    group: (_, iteration) => Promise.resolve(iteration === 2 ? kept : null),
    readTrajectories: (_, told) => {
      reads++;
      tell = (rows, share) => void told(rows, share);
      return refused ? Promise.reject(new StorageError('the record is damaged')) : Promise.resolve();
    },
    trajectories: () => Promise.resolve([]),
    lines: (_, rows) => {
      asked.push(rows);
      return rows.length > 1
        ? Promise.reject(new StorageError('the record is damaged'))
        : Promise.resolve(new Blob(['{}\n']));
    },
  };
  const groups = new Groups({ trainer, selection, notices, archive });
  dialogues = new StoredTrajectories({ trainer, selection, notices, archive, groups });
  await trainer.open({ config: microRun.config, preset: 'micro' });
  await vi.waitFor(() => expect(trainer.view.run).not.toBeNull());
  begin = async () => {
    worker.tell({ kind: 'run', run: { ...microRun, iteration: 4 }, engine });
    await vi.waitFor(() => expect(trainer.view.iteration).toBe(4));
  };
  return () => vi.unstubAllGlobals();
});

it('a run that has not started has no stored dialogues, and none are requested', async () => {
  await dialogues.read();
  expect([reads, dialogues.share, dialogues.rows, dialogues.refusal]).toEqual([0, 1, [], '']);
});

it('unreadable dialogues are named in their place until they are read again', async () => {
  await begin();
  refused = true;
  await dialogues.read();
  expect([dialogues.refusal, notices.list]).toEqual(['the record is damaged', []]);
  refused = false;
  await dialogues.read();
  expect(dialogues.refusal).toBe('');
});

it('rows arrive by iteration, and late rows of an earlier reading do not count', async () => {
  await begin();
  await dialogues.read();
  const before = tell;
  tell(of(2), 0.5);
  expect([dialogues.rows.length, dialogues.share]).toEqual([10, 0.5]);
  await dialogues.read();
  before(of(1), 1);
  tell(of(3), 1);
  expect(dialogues.rows.map(({ iteration }) => iteration)).toEqual(of(3).map(() => 3));
  expect(dialogues.share).toBe(1);
});

it('another filter selects its first result, and a selection beyond the end becomes the last row', async () => {
  await begin();
  await dialogues.read();
  tell(of(1), 1);
  dialogues.choose(7);
  expect(dialogues.chosen).toBe(7);
  dialogues.change({ answer: 'right', order: 'best' });
  expect([dialogues.chosen, dialogues.found.map(({ index }) => index)]).toEqual([0, [9, 8, 7, 6, 5]]);
  dialogues.choose(99);
  expect(dialogues.chosen).toBe(4);
});

it('a candidate that another rollout left behind is not shown for what it is not', async () => {
  expect(await dialogues.open(row(2, 0))).toBe(true);
  expect(notices.list).toEqual([]);
  expect(await dialogues.open({ ...row(2, 99), isBranch: true })).toBe(true);
  expect(notices.list[0]?.text).toContain('This candidate belongs to another rollout.');
});

it('a dialogue that is no longer stored is reported when it is opened or exported', async () => {
  expect(await dialogues.open(row(4, 0))).toBe(false);
  expect(notices.list[0]?.text).toBe('The dialogues of iteration 4 are no longer stored.');
  expect(await dialogues.lines(of(1))).toBeUndefined();
  expect(notices.list[0]?.text).toBe('the record is damaged');
  expect(await (await dialogues.lines([row(1, 3)]))?.text()).toBe('{}\n');
  expect(asked.at(-1)).toEqual([{ iteration: 1, index: 3 }]);
});

it('a browser that refuses the clipboard is answered, and then a file is made', async () => {
  const refusing = { clipboard: { writeText: () => Promise.reject(new Error('no')) } };
  vi.stubGlobal('navigator', refusing);
  expect(await dialogues.copy(new Blob(['{}']), 1)).toBe(false);
  vi.stubGlobal('navigator', { clipboard: { writeText: () => Promise.resolve() } });
  expect(await dialogues.copy(new Blob(['{}']), 3)).toBe(true);
  expect(notices.list[0]?.text).toBe('3 dialogues are copied.');
});
