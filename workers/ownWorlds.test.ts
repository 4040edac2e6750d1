// Tests a visitor's world in the trainer: that the world is stored, that a run in this world can be trained and
// resumed, and that a run whose world is missing is refused.
import { strFromU8, unzipSync } from 'fflate';
import { expect, it, vi } from 'vitest';
import type { ProtocolName } from '../src/config/protocols/facts.ts';
import { introduce, isOwn, ownForm, ownNameOf, type OwnWorld } from '../src/config/worlds/own.ts';
import { partWeights } from '../src/config/worlds/registry.ts';
import { listWorlds, loadIteration, loadWorld } from '../src/storage/reading.ts';
import { templates } from '../src/tasks/custom/templates.ts';
import { checkWorld } from '../src/tasks/registry.ts';
import { microConfig } from '../src/training/testing/microRun.ts';
import { heardTrainer, standIn } from './testing/heardTrainer.ts';

standIn();

const { source } = templates.planAndExecute;
const checked = await checkWorld({ kind: 'module', source });
introduce(checked.form);

const settings = (world: OwnWorld, protocol: ProtocolName = 'reMA') =>
  microConfig({
    world: { name: world.form.name, level: 2 },
    agents: { protocol },
    houseRule: { legalOperation: 0, rewrite: 0 },
    ...{ warmStart: { source: 'train', steps: 20, batchSize: 8 }, reward: { over: 'dense', finished: 0 } },
    learning: { problemsPerIteration: 2, groupSize: 2 },
    run: { iterations: 2, backend: 'cpu', checkpointEvery: 1 },
  });

it('is named by its content, and its form is plain data', async () => {
  const again = await checkWorld({ kind: 'module', source });
  const other = await checkWorld({ kind: 'module', source: `${source}\n` });
  expect([isOwn(checked.form.name), again.form.name === checked.form.name]).toEqual([true, true]);
  expect(other.form.name).not.toBe(checked.form.name);
  expect(structuredClone(checked)).toEqual(checked);
  expect(partWeights(settings(checked), checked.form)).toMatchObject({ rightAnswer: 1, hint: 0.25 });
});

it('is trained in, measured on all levels, continued by another trainer, and exported with the weights', async () => {
  const first = await heardTrainer();
  await first.trainer.keepWorld(checked);
  expect((await listWorlds()).forms).toEqual([ownForm(checked.form.name)]);
  await first.trainer.open({ config: settings(checked), preset: 'micro' });
  await first.trainer.step();
  await first.state('paused');
  const problems = (await loadIteration(first.run().id, 1)).map(({ problem }) => problem);
  expect(new Set(problems.map(({ world, level }) => `${world} ${level}`))).toEqual(new Set([`${checked.form.name} 2`]));
  const { places } = await first.trainer.evaluate('everywhere');
  expect(places?.map(({ world, level }) => [world, level])).toEqual([1, 2].map((level) => [checked.form.name, level]));

  const second = await heardTrainer();
  await second.trainer.resumeRun(first.run().id);
  await second.state('paused');
  await second.trainer.train();
  await second.state('done');
  expect(second.heard('failed')).toEqual([]);
  const files = unzipSync(await second.trainer.exportWeights(0));
  const carried = { kind: 'module' as const, source: strFromU8(files['world.js'] as Uint8Array) };
  expect(ownNameOf(carried)).toBe(checked.form.name);
  expect(strFromU8(files['README.md'] as Uint8Array)).toContain(
    'Crossroads: The planner knows the way, the walker goes it. It is the module `world.js`',
  );
  await expect(second.trainer.deleteWorld(checked.form.name)).rejects.toThrow(/uses this world; delete that run first/);
  await second.trainer.deleteRun(first.run().id);
  await second.trainer.deleteWorld(checked.form.name);
  expect((await listWorlds()).forms).toEqual([]);
});

it('for one agent with calls runs like its template, with reward weights that change during the run', async () => {
  // The agents have been trained for only a few steps, so no agent opens a drawer that exists. Therefore every turn
  // that is not an answer gets this part of the reward.
  const { source: text } = templates.callAndAnswer;
  const desk = await checkWorld({ kind: 'module', source: text.replace(/call: verb .* 0 }/, 'call: 1 }') });
  introduce(desk.form);
  const { trainer, state, run, heard } = await heardTrainer();
  await trainer.keepWorld(desk);
  await trainer.open({ config: settings(desk, 'toolLoop'), preset: 'micro' });
  const call = (dialogues: Awaited<ReturnType<typeof loadIteration>>) =>
    dialogues.flatMap(({ turns }) => turns.map(({ parts, reward }) => ({ paid: reward, call: parts['call'] ?? 0 })));
  await trainer.step();
  await state('paused');
  await trainer.changeSetting('reward.own', { call: 2 });
  await vi.waitFor(() => expect(heard('config').at(-1)?.config.reward.own).toEqual({ call: 2 }));
  await trainer.step();
  await state('done');
  const told = call(await loadIteration(run().id, 2));
  expect(told.some((turn) => turn.call === 1)).toBe(true);
  for (const turn of told) if (turn.call === 1) expect(turn.paid).toBeGreaterThanOrEqual(2);
});

it('has its newest label', async () => {
  const { trainer } = await heardTrainer();
  await trainer.keepWorld(checked);
  const form = { ...checked.form, label: 'The fork' };
  await trainer.keepWorld({ ...checked, form });
  expect(await loadWorld(form.name)).toEqual({ ...checked, form });
});

it('that is missing is refused by name with a remedy', async () => {
  const { trainer } = await heardTrainer();
  await expect(trainer.open({ config: settings(checked), preset: 'micro' })).rejects.toMatchObject({
    name: 'StorageError',
    message: expect.stringMatching(
      /^world own-.*this world is not stored in this browser; open the run file/,
    ) as string,
  });
});
