// Tests that preference pairs can be exported by the rewards of the dialogues or by the scores of the run's verifier.
import { expect, it } from 'vitest';
import type { ConfigInput } from '../src/config/schema.ts';
import { readPreferences } from '../src/formats/preferences.ts';
import type { ComparedBy } from '../src/records/stored/preference.ts';
import type { Trajectory } from '../src/records/trajectory.ts';
import { viewRow } from '../src/rollout/view.ts';
import { listIterations, loadIteration } from '../src/storage/reading.ts';
import { assembleTeam } from '../src/training/team/team.ts';
import { microConfig } from '../src/training/testing/microRun.ts';
import { heardTrainer, standIn } from './testing/heardTrainer.ts';

standIn();

const learned = (more: ConfigInput = {}) =>
  microConfig({
    ...more,
    agents: { protocol: 'pioneerObserver' },
    learning: { problemsPerIteration: 4, groupSize: 6 },
    run: { iterations: 2, backend: 'cpu' },
  });

it('pairs by reward and by verifier come from one run and differ if the verifier disagrees', async () => {
  const config = learned({ verifier: { isTrained: true, isBalanced: false } });
  const { trainer, state, run } = await heardTrainer();
  await trainer.open({ config, preset: 'micro' });
  await trainer.train();
  await state('done');
  const pairsBy = async (by: ComparedBy) => readPreferences(await (await trainer.exportPreferences(by)).text());
  const [earned, believed] = [await pairsBy('reward'), await pairsBy('verifier')];
  expect(earned.length).toBeGreaterThan(0);
  expect(believed.length).toBeGreaterThan(0);
  expect(believed).not.toEqual(earned);

  const team = assembleTeam(config);
  const all: Trajectory[] = [];
  for (const { iteration } of await listIterations(run().id)) all.push(...(await loadIteration(run().id, iteration)));
  const worth: Record<ComparedBy, (trajectory: Trajectory) => number> = {
    reward: ({ reward }) => reward,
    verifier: ({ turns }) => turns.findLast(({ belief }) => belief !== undefined)?.belief ?? Number.NaN,
  };
  /** The rewards or scores of all dialogues whose text equals this text. */
  const worths = (text: string, by: ComparedBy) =>
    all
      .filter((one) => [0, 1].some((agent) => team.tokenizer.decode(viewRow(one, agent, team.tokens).ids) === text))
      .map(worth[by]);
  const isAbove = ({ prompt, chosen, rejected }: (typeof earned)[number], by: ComparedBy) =>
    Math.max(...worths(prompt + chosen, by)) > Math.min(...worths(prompt + rejected, by));
  for (const pair of earned) expect(isAbove(pair, 'reward')).toBe(true);
  for (const pair of believed) expect(isAbove(pair, 'verifier')).toBe(true);
  // For some pairs, the verifier prefers a dialogue whose reward is not higher.
  expect(believed.filter((pair) => !isAbove(pair, 'reward')).length).toBeGreaterThan(0);
});

it('pairs by the verifier are refused if the run trains no verifier', async () => {
  const { trainer, state } = await heardTrainer();
  await trainer.open({ config: learned(), preset: 'micro' });
  await state('idle');
  await trainer.step();
  await expect(trainer.exportPreferences('verifier')).rejects.toThrow(
    /trains no verifier that could compare dialogues/,
  );
  expect(readPreferences(await (await trainer.exportPreferences('reward')).text()).length).toBeGreaterThan(0);
});
