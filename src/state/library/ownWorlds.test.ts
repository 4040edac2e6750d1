// Tests of the page's state for the visitor's own worlds, with the real store. Worlds are stored, renamed, deleted and
// restored.
import { beforeEach, expect, it, vi } from 'vitest';
import type { ConnectWorlds, WorldApi } from '../../api/worldConnection.ts';
import { withSettings } from '../../config/parse.ts';
import { presetConfig } from '../../config/presets.ts';
import { refusalOf } from '../../config/refusals/table.ts';
import { startRules } from '../../config/warmStarts.ts';
import { ownWorld as world } from '../../storage/testing/sampleRecords.ts';
import { formOf } from '../../config/worlds/registry.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { settingsIn } from '../../config/worlds/ownSettings.ts';
import { OwnWorlds } from './ownWorlds.svelte.ts';
import { FakeTrainer } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';

emptyDatabase();

const { content } = world;
const { name } = world.form;

let worker: FakeTrainer;
let notices: Notices;
let own: OwnWorlds;
let ended: number;
let answer: WorldApi['check'];

beforeEach(() => {
  worker = new FakeTrainer();
  notices = new Notices();
  ended = 0;
  answer = () => Promise.resolve({ value: world });
  const connect: ConnectWorlds = () => ({
    ask: (question) => question({ check: answer } as WorldApi),
    end: () => ended++,
  });
  own = new OwnWorlds(new TrainerClient(notices, worker.connect), notices, connect);
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
});

it('a stored world is listed, found by its name, and possible with the settings of the form', async () => {
  await own.refresh();
  expect(own.forms).toEqual([]);
  expect(await own.keep(world)).toBe(true);
  expect([own.forms, formOf(name).label]).toEqual([[world.form], 'Mine']);
  const config = withSettings(presetConfig('default'), settingsIn(world.form, 'single', 1));
  expect(refusalOf(config, startRules)).toBeNull();
});

it('a renamed world has the new label and is the same world', async () => {
  await own.keep(world);
  await own.relabel(name, 'Yours');
  expect(own.forms.map(({ label }) => label)).toEqual(['Yours']);
  expect((await own.load(name))?.content).toEqual(content);
});

it('a deletion can be undone, and a world that a run needs cannot be deleted', async () => {
  await own.keep(world);
  await own.delete(name);
  expect([own.forms, own.removed]).toEqual([[], world]);
  await own.keep(world);
  expect([own.forms, own.removed]).toEqual([[world.form], null]);
  worker.refusal = 'world: the run calm-otter uses this world; delete that run first.';
  await own.delete(name);
  expect(own.forms).toEqual([world.form]);
  expect(notices.list[0]?.text).toContain('calm-otter uses this world');
});

it('a worker that ends is reported as a fault of the world, and the next question starts a new worker', async () => {
  answer = () => Promise.reject(new Error('it took too long'));
  expect(await own.check(content, presetConfig('micro'))).toEqual({
    fault: { message: 'it took too long', line: null },
  });
  answer = () => Promise.resolve({ value: world });
  expect(await own.check(content, presetConfig('micro'))).toEqual({ value: world });
  own.rest();
  expect(ended).toBe(1);
});
