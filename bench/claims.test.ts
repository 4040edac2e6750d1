import * as v from 'valibot';
import { expect, it } from 'vitest';
import { world as houseRule } from '../src/extensions/worlds/houseRule/world.ts';
import { Draws, streams } from '../src/base/random.ts';
import { parseConfig } from '../src/config/parse.ts';
import { claimsSchema, verdictOf } from '../src/records/claims/claimRecord.ts';
import { refusalOf } from '../src/config/refusals/table.ts';
import { startRules } from '../src/config/warmStarts.ts';
import { claimDigest } from '../src/formats/resultFile.ts';
import { readRunFile } from '../src/formats/runFile.ts';
import { assembleTeam } from '../src/training/team/team.ts';
import { configOf, freshSeeds, trialKey, trialOf, trialSeed, type Claim } from './claims/claim.ts';
import { claims } from './claims/plan.ts';
import { claimRecord } from './claims/record.ts';
import type { BudgetRun } from './shared/trainUntil.ts';
import { readResults } from './shared/runner.ts';
import { shorten } from './shared/shortcuts.ts';

it('every claim has its own id and regimes that can run, and one of them confirms it if it is confirmed', () => {
  expect(new Set(claims.map(({ id }) => id)).size).toBe(claims.length);
  for (const { arms, regimes, confirmed } of claims) {
    const words = regimes.map((regime) => regime.words);
    expect(words.length).toBeGreaterThan(0);
    expect(new Set(words).size).toBe(words.length);
    if (confirmed !== undefined) expect(words).toContain(confirmed);
    for (const regime of regimes)
      for (const arm of arms) {
        const config = configOf(trialOf(arm, regime, 3));
        expect(config.run.seed).toBe(3);
        expect(refusalOf(config, startRules)).toBeNull();
      }
  }
});

it('a claim is shown if the whole interval is on its side and the mean is far enough from 0', () => {
  const within = (low: number, high: number) => ({ mean: (low + high) / 2, low, high });
  const [lower, higher] = [{ direction: 'lower', least: 0.02 } as const, { direction: 'higher', least: 0.02 } as const];
  expect(verdictOf(within(-0.3, -0.1), lower)).toBe('shown');
  expect(verdictOf(within(-0.3, 0.1), lower)).toBe('not shown');
  expect(verdictOf(within(0.1, 0.3), lower)).toBe('the other way');
  expect(verdictOf(within(0.1, 0.3), higher)).toBe('shown');
  expect(verdictOf(within(-0.012, -0.01), lower)).toBe('not shown');
});

it('only fresh seeds for which both arms were run decide about a claim', () => {
  const claim: Claim = {
    ...(claims.find(({ id }) => id === 'collapse') as Claim),
    regimes: [{ words: 'here' }, { words: 'there', tokens: 1 }],
    confirmed: 'there',
  };
  const done = new Map<string, { commit: string; result: BudgetRun }>();
  const keep = (at: 0 | 1, seed: number, accuracy: number, regime = claim.regimes[1]) =>
    done.set(trialKey(trialOf(claim.arms[at], regime as Claim['regimes'][0], seed)), {
      commit: 'a',
      result: { before: { accuracy: 0.5 }, after: { accuracy } } as BudgetRun,
    });
  expect(claimRecord(claim, done)).toBeNull();
  keep(0, trialSeed, 0.1);
  keep(1, trialSeed, 0.9);
  expect(claimRecord(claim, done)).toMatchObject({ verdict: 'open', seeds: [], difference: null });
  expect(claimRecord({ ...claim, confirmed: 'nowhere' }, done)?.verdict).toBe('not shown');
  expect(claimRecord(claim, done)?.tried).toEqual([{ regime: 'there', seed: 1, values: [0.4, 0], difference: 0.4 }]);
  freshSeeds.forEach((seed, i) => keep(0, seed, [0.2, 0.3, 0.25, 0.2, 0.4][i] as number));
  freshSeeds.slice(0, 4).forEach((seed) => keep(1, seed, 0.9));
  const record = claimRecord(claim, done);
  expect(record?.seeds).toEqual(freshSeeds.slice(0, 4));
  expect(record?.difference?.mean).toBeCloseTo((0.3 + 0.2 + 0.25 + 0.3) / 4, 10);
  expect(record?.verdict).toBe('open');
  keep(1, 25, 0.9);
  expect(claimRecord(claim, done)?.verdict).toBe('shown');
  // A collapse is a fall below the start (here 0.5); learning less is not a collapse.
  freshSeeds.forEach((seed) => keep(0, seed, 0.6));
  expect(claimRecord(claim, done)).toMatchObject({ verdict: 'not shown', differences: [0, 0, 0, 0, 0] });
});

it('a row without the measure of its claim counts as not measured', () => {
  const claim = claims.find(({ measure }) => measure === 'silence') as Claim;
  const [regime] = claim.regimes as [Claim['regimes'][0]];
  const rows = (latest: Record<string, number>) =>
    new Map(
      claim.arms.map((arm) => [
        trialKey(trialOf(arm, regime, trialSeed)),
        { commit: 'a', result: { latest } as unknown as BudgetRun },
      ]),
    );
  expect(claimRecord(claim, rows({ 'charts/turns': 5 }))).toBeNull();
  expect(claimRecord(claim, rows({ 'charts/empty_turns/reasoning': 0.5 }))?.tried).toEqual([
    { regime: regime.words, seed: trialSeed, values: [0.5, 0.5], difference: 0 },
  ]);
});

it('the arms of a record can be opened as run files', () => {
  const shown = claims.find(({ confirmed }) => confirmed !== undefined) as Claim;
  const regime = shown.regimes.find(({ words }) => words === shown.confirmed) as Claim['regimes'][0];
  const done = new Map(
    shown.arms.flatMap((arm) =>
      freshSeeds.map((seed) => [
        trialKey(
          trialOf(arm, shown.regimes.find(({ words }) => words === shown.confirmed) as Claim['regimes'][0], seed),
        ),
        { commit: 'a', result: { before: { accuracy: 0.5 }, after: { accuracy: 0.5 } } as BudgetRun },
      ]),
    ),
  );
  const ran = claimRecord(shown, done)?.arms.map(({ run }) => readRunFile(run ?? '').config);
  expect(ran).toEqual(shown.arms.map((arm) => configOf(trialOf(arm, regime, 21))));
});

it('the shipped claims have the form that the page reads, and a claim that can be run has a digest', () => {
  const { rows } = v.parse(claimsSchema, readResults('claims'));
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(claimDigest(row) === null).toBe(row.arms.some(({ run }) => run === null));
});

it('the shortcut keeps the first plan, the final answer and the finish', () => {
  const draws = new Draws(1, streams.demonstrations, 0);
  const { protocol } = assembleTeam(parseConfig({}));
  const problem = houseRule.draw(1, draws, 'training');
  const whole = houseRule.demonstrate(problem, draws, { goodPlans: 1, resultNoise: 0 }, protocol);
  const short = shorten(whole);
  expect(short.map(({ agent }) => agent)).toEqual([0, 1, 0]);
  expect(short.map(({ round }) => round)).toEqual([0, 0, 1]);
  expect(short.map(({ message }) => message)).toEqual([whole[0], whole[3], whole[4]].map((said) => said?.message));
});
