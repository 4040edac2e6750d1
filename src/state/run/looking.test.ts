// Tests of an archive that is only viewed, with a fake trainer and a fake archive. They check what is displayed, which
// actions are not possible, and how the visitor goes back.
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';
import { beforeEach, expect, it, vi } from 'vitest';
import type { LookedAt, RunArchiving } from '../../api/archiveConnection.ts';
import { joinTabs } from '../../api/tabChannel.ts';
import { Locks } from '../../api/testing/locks.ts';
import { FormatError, MissingModelError } from '../../base/errors.ts';
import { withSettings } from '../../config/parse.ts';
import { presetConfig } from '../../config/presets.ts';
import { introduce } from '../../config/worlds/own.ts';
import { tensorBoardFile } from '../../formats/numbers/tensorBoard.ts';
import { readRunWorld } from '../../formats/runFile.ts';
import { runId } from '../../records/ids.ts';
import { iteration, ownWorld, run } from '../../storage/testing/sampleRecords.ts';
import { Library } from '../library/library.svelte.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { settingsIn } from '../../config/worlds/ownSettings.ts';
import { OwnWorlds } from '../library/ownWorlds.svelte.ts';
import { Selection } from './selection.svelte.ts';
import { Setup } from '../settings/setup.svelte.ts';
import { Sharing } from './sharing.ts';
import { Tabs } from './tabs.svelte.ts';
import { FakeTrainer } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { Looking } from './looking.svelte.ts';
import { Run } from './run.svelte.ts';

emptyDatabase();

const file = new Blob(['zip']);
const measured = [2, 3, 4].map((at) => iteration(at));
const found: LookedAt = {
  run: run({ id: runId('opened-run-1'), preset: 'micro', config: presetConfig('micro') }),
  metrics: measured.map(({ metrics }) => metrics),
  evaluations: measured.flatMap(({ evaluation }) => evaluation ?? []),
  shown: measured[2]?.shown ?? null,
  world: null,
};

let worker: FakeTrainer;
let trainer: TrainerClient;
let setup: Setup;
let selection: Selection;
let notices: Notices;
let archive: RunArchiving;
let looking: Looking;
const tabs = { watch: vi.fn() };

beforeEach(async () => {
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
  vi.stubGlobal('navigator', {});
  tabs.watch.mockClear();
  worker = new FakeTrainer();
  notices = new Notices();
  trainer = new TrainerClient(notices, worker.connect);
  setup = new Setup(trainer, notices);
  selection = new Selection(trainer, notices);
  archive = {
    pack: () => Promise.resolve({ file, leftOut: [] }),
    unpack: vi.fn(() => Promise.resolve({ name: 'calm-otter', trouble: '' })),
    look: vi.fn(() => Promise.resolve(found)),
    lookStored: vi.fn(() => Promise.resolve({ ...found, run: run({ config: found.run.config, preset: 'micro' }) })),
    shown: vi.fn((_, at) => Promise.resolve({ ...found.shown, iteration: at } as LookedAt['shown'])),
  };
  const library = new Library(trainer, notices, archive);
  looking = new Looking({ trainer, setup, selection, notices, library, tabs, archive });
  await setup.open();
  await vi.waitFor(() => expect(trainer.view.state).toBe('idle'));
});

const runOnShow = () =>
  new Run({ trainer, setup, selection, notices, library: new Library(trainer, notices, archive) });
const sharingOnShow = () =>
  new Sharing({ setup, notices, run: runOnShow(), ownWorlds: new OwnWorlds(trainer, notices) });

it('an archive is stored and not shown if it can be stored and is not opened only for viewing', async () => {
  expect(await looking.open(file, false)).toBe(false);

  expect(looking.isOn).toBe(false);
  expect(archive.look).not.toHaveBeenCalled();
});

it('shows the run with its numbers and its settings, and gives the own run back as it was', async () => {
  const own = setup.config;
  expect(await looking.open(file, true)).toBe(true);
  expect(archive.unpack).not.toHaveBeenCalled();
  const { view } = trainer;
  expect(view.run?.id).toBe('opened-run-1');
  expect([view.state, view.iteration, view.metrics.iteration, view.checkpoints]).toEqual(['paused', 4, 4, []]);
  expect(view.evaluations.map(({ iteration: at }) => at)).toEqual([2, 4]);
  expect([setup.preset, setup.config]).toEqual(['micro', found.run.config]);
  expect(selection.group).toEqual(found.shown);
  expect([looking.isOn, looking.why, trainer.isWriter]).toEqual([true, '', false]);
  looking.close();
  expect([setup.config, trainer.view.run?.id, looking.isOn]).toEqual([own, '1-calm-otter', false]);
  expect(trainer.isWriter).toBe(true);
  expect(tabs.watch).not.toHaveBeenCalled();
});

it('reads earlier dialogues off the archive, and asks the trainer for nothing', async () => {
  await looking.open(file, true);
  await selection.scrub(3);
  expect(archive.shown).toHaveBeenCalledWith(runId('opened-run-1'), 3);
  expect(selection.group?.iteration).toBe(3);
  const called = [...worker.called];
  await expect(trainer.look('group', { run: found.run.id, iteration: 3, group: 0 })).rejects.toThrow(
    /open (only )?for viewing/,
  );
  await expect(trainer.ofRun.exportWeights(0)).rejects.toThrow(/open (only )?for viewing/);
  expect(await trainer.train()).toBeNull();
  expect(worker.called).toEqual(called);
});

it('is all that is done beside a tab that trains, whose news is not taken for the archive’s, and that is watched again after', async () => {
  trainer.watch({ run: run({ id: runId('other') }) });
  expect(looking.obstacle).toContain('Another tab');
  await looking.open(file, false);
  expect(archive.unpack).not.toHaveBeenCalled();
  expect([looking.why, trainer.isWatching]).toEqual([expect.stringContaining('Another tab'), false]);
  trainer.hearOther([{ kind: 'state', state: 'done', message: '' }]);
  expect(trainer.view.state).toBe('paused');
  looking.close();
  expect(tabs.watch).toHaveBeenCalledOnce();
});

it('a viewed archive is saved with all its numbers, and the store is not read', async () => {
  const at = Array.from({ length: 2000 }, (_, i) => ({ iteration: i + 1 }));
  const metrics = at.map((one) => ({ ...found.metrics[0]!, ...one }));
  const evaluations = at.map((one) => ({ ...found.evaluations[0]!, ...one }));
  vi.mocked(archive.look).mockResolvedValue({ ...found, metrics, evaluations });
  await looking.open(file, true);
  vi.stubGlobal('indexedDB', undefined);
  const sharing = sharingOnShow();
  expect((await sharing.metricsFile('csv')).trimEnd().split('\r\n')).toHaveLength(2001);
  expect(JSON.parse(await sharing.metricsFile('json'))).toHaveLength(2000);
  const { createdMs } = found.run;
  const { name, bytes } = await sharing.tensorBoardFile();
  const whole = tensorBoardFile({ createdMs, rows: metrics, evaluations });
  expect([name, Buffer.compare(bytes, whole.bytes)]).toEqual([whole.name, 0]);
  expect(notices.list).toEqual([]);
});

it('has its own world, which no store holds, in its run file and in that of a figure of it', async () => {
  introduce(ownWorld.form);
  const config = withSettings(presetConfig('default'), settingsIn(ownWorld.form, 'single', 1));
  vi.mocked(archive.look).mockResolvedValue({ ...found, run: { ...found.run, config }, world: ownWorld });
  await looking.open(file, true);
  const [sharing, shown] = [sharingOnShow(), trainer.view.run!];
  const runFile = await sharing.runFile();
  expect(readRunWorld(runFile)).toEqual({ label: 'Mine', content: ownWorld.content });
  expect(await sharing.runFile(shown)).toBe(runFile);
});

it('leaves what this page was asked for before it watched another tab as it waits', async () => {
  vi.stubGlobal('navigator', { locks: new Locks() });
  const [asked, others] = [setup.config, presetConfig('ppo')];
  const library = new Library(trainer, notices, archive);
  const run = runOnShow();
  const real = new Tabs({ run, setup, library, notices, onWatch: () => undefined });
  const beside = new Looking({ trainer, setup, selection, notices, library, tabs: real, archive });
  real.watch();
  const elsewhere = { ...found.run, id: runId('other'), config: others, preset: 'ppo' };
  joinTabs('another', () => undefined).tell({ kind: 'training', run: elsewhere, engine: null });
  await vi.waitFor(() => expect(setup.config).toEqual(others));
  await beside.open(file, true);
  expect([beside.isOn, setup.config]).toEqual([true, found.run.config]);
  beside.close();
  expect([trainer.isWatching, setup.config, real.asked?.config]).toEqual([true, others, asked]);
});

it('is what becomes of an archive that cannot be stored, with the reason', async () => {
  vi.mocked(archive.unpack).mockResolvedValue({ name: 'calm-otter', trouble: 'storage: no IndexedDB.' });
  expect(await looking.open(file, false)).toBe(true);
  expect([looking.isOn, looking.why]).toEqual([true, 'storage: no IndexedDB.']);
  expect(await looking.open(file, false)).toBe(true);
  expect(archive.unpack).toHaveBeenCalledOnce();
  looking.close();
  expect(trainer.view.run?.id).toBe('1-calm-otter');
});

it('an archive does not replace a run that is training', async () => {
  worker.state('training');
  await vi.waitFor(() => expect(trainer.view.state).toBe('training'));
  vi.mocked(archive.unpack).mockResolvedValue({ name: 'calm-otter', trouble: 'storage: no IndexedDB.' });
  expect([looking.mayLook, await looking.open(file, false), looking.isOn]).toEqual([false, false, false]);
  expect(notices.list.map(({ text }) => text)).toEqual([expect.stringContaining('Pause this run first')]);
});

it('an archive is only viewed if no engine has started', async () => {
  const failing: typeof worker.connect = () => Promise.reject(new Error('no engine today'));
  const lost = new TrainerClient(notices, failing);
  lost.load();
  await vi.waitFor(() => expect(lost.view.state).toBe('failed'));
  const library = new Library(lost, notices, archive);
  const beside = new Looking({ trainer: lost, setup, selection, notices, library, tabs, archive });
  await beside.open(file, false);
  expect([beside.isOn, beside.why, lost.view.state]).toEqual([true, expect.stringContaining('backend'), 'paused']);
  beside.close();
  expect(lost.view.state).toBe('failed');
});

it('a file that is no archive changes nothing and is reported', async () => {
  const { config } = setup;
  vi.mocked(archive.look).mockRejectedValue(new FormatError('the archive: expected a zip.'));
  expect(await looking.open(file, true)).toBe(false);
  expect([looking.isOn, setup.config, trainer.view.state]).toEqual([false, config, 'idle']);
  expect(notices.list.map(({ text }) => text)).toEqual([expect.stringContaining('expected a zip')]);
});

it('a stored run whose model is not here is shown under its own name with the reason, and gone back from', async () => {
  const own = setup.config;
  const shown = runOnShow();
  shown.onLacking = (lacking, why) => looking.openStored(lacking.id, why);
  worker.mayResume = false;
  worker.resumeFailure = new MissingModelError('run calm-otter: it stands on theirs, 12 bytes.');
  expect(await shown.resume(run({ config: found.run.config, preset: 'micro' }))).toBe(false);
  expect([looking.isOn, looking.stored?.id, trainer.view.run?.id]).toEqual([true, run().id, run().id]);
  expect([looking.why, trainer.view.checkpoints, notices.list]).toEqual([
    expect.stringContaining('it stands on theirs, 12 bytes'),
    [],
    [],
  ]);
  expect([setup.config, trainer.isWriter]).toEqual([found.run.config, false]);
  expect(looking.noWeights).toContain('the base model of the run is not stored in this browser');
  await expect(trainer.look('group', { run: run().id, iteration: 3, group: 0 })).rejects.toThrow(
    /the base model of the run is not stored in this browser/,
  );
  looking.close();
  expect([setup.config, trainer.view.run?.id, looking.stored]).toEqual([own, '1-calm-otter', null]);
});
