import { expect, it } from 'vitest';
import { mean } from '../../base/stats.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { assembleTeam } from '../team/team.ts';
import { dicePolicy } from '../testing/dicePolicy.ts';
import { microConfig } from '../testing/microRun.ts';
import { evaluateTeam, examinedTrajectories } from './evaluate.ts';
import { measureAnswers } from './manyAnswers.ts';

const policies = [dicePolicy(0.5), dicePolicy(0)];
const team = (settings: ConfigInput = {}) => assembleTeam(microConfig({ evaluation: { problems: 48 }, ...settings }));
const measure = (settings: ConfigInput = {}) => measureAnswers(team(settings), { policies });

it('pass@1 and majority@1 are the share right of all dialogues, and the first of each problem is the one that is measured anyway', async () => {
  const asked = team();
  const [all] = await measure();
  const problems = asked.world.heldOut(1, 48);
  const shares: number[] = [];
  for (let sample = 0; sample < 16; sample++) {
    const trajectories = await examinedTrajectories(asked, problems, { policies, row: 48 * sample });
    shares.push(mean(trajectories.map(({ isRight }) => (isRight ? 1 : 0))));
  }
  const { accuracy } = await evaluateTeam(asked, { policies, iteration: 0, withMasked: false });
  expect(shares[0]).toBe(accuracy);
  expect(mean(shares)).toBeGreaterThan(0);
  expect(all?.at[0]?.pass).toBeCloseTo(mean(shares), 12);
  expect(all?.at[0]?.majority).toBeCloseTo(mean(shares), 12);
});

it('gives all problems first and then each slice, which come to the whole', async () => {
  const [all, ...slices] = await measure();
  expect(all).toMatchObject({ slice: null, problems: 48 });
  expect(all?.at.map(({ k }) => k)).toEqual([1, 2, 4, 8, 16]);
  expect(slices.map(({ slice }) => slice).sort()).toEqual(['leftToRight', 'precedence', 'rightToLeft']);
  for (const [i, { pass, majority }] of all?.at.entries() ?? []) {
    expect(mean(slices.map(({ at }) => at[i]?.pass ?? 0))).toBeCloseTo(pass, 12); // rules in equal shares
    expect(mean(slices.map(({ at }) => at[i]?.majority ?? 0))).toBeCloseTo(majority, 12);
  }
  const passed = all?.at.map(({ pass }) => pass) ?? [];
  expect(passed).toEqual([...passed].sort((a, b) => a - b));
  expect(passed.at(-1)).toBeGreaterThan(passed[0] ?? 1); // dice are right now and then
});

it('is the same at every measurement of a run, and another in a run of another seed', async () => {
  const first = await measure();
  expect(await measure()).toEqual(first);
  expect(await measure({ run: { seed: 2 } })).not.toEqual(first);
});

it('of three problems of a slice that nobody ever got right it says that they are few', async () => {
  const [all, ...slices] = await measure({ evaluation: { problems: 8 } });
  const errors = [all, ...slices].flatMap(
    (of) => of?.at.flatMap(({ passError, majorityError }) => [passError, majorityError]) ?? [],
  );
  expect(slices.some(({ problems, at }) => problems <= 3 && at.some(({ majority }) => majority === 0))).toBe(true);
  for (const error of errors) expect(error).toBeGreaterThan(0.1);
});
