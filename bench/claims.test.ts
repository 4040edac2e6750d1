import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { world as houseRule } from '../src/extensions/worlds/houseRule/world.ts';
import { Draws, streams } from '../src/base/random.ts';
import { parseConfig } from '../src/config/parse.ts';
import { meanTests } from '../src/base/studentT.ts';
import { claimsSchema, judged, verdictOf } from '../src/records/claims/claimRecord.ts';
import { refusalOf } from '../src/config/refusals/table.ts';
import { startRules } from '../src/config/warmStarts.ts';
import { claimDigest } from '../src/formats/resultFile.ts';
import { readRunFile } from '../src/formats/runFile.ts';
import { assembleTeam } from '../src/training/team/team.ts';
import { configOf, trialKey, trialOf, trialSeed, withOwnStart, type Claim } from './claims/claim.ts';
import { pairOf, registeredTrial, type Registered } from './claims/pairs.ts';
import { claims } from './claims/plan.ts';
import { claimRecords, judgeRound } from './claims/record.ts';
import {
  changedSince,
  looks,
  newestRegistered,
  promisingRegime,
  readRounds,
  recordHash,
  seedsOf,
  type Round,
} from './claims/rounds.ts';
import type { BudgetRun } from './shared/trainUntil.ts';
import { readResults } from './shared/runner.ts';
import { shorten } from './shared/shortcuts.ts';

const [round] = readRounds();
const rule = { direction: 'lower', least: 0.02 } as const;

it('every claim has its own id and regimes that can run', () => {
  expect(new Set(claims.map(({ id }) => id)).size).toBe(claims.length);
  for (const { arms, control, regimes } of claims) {
    const words = regimes.map((regime) => regime.words);
    expect(words.length).toBeGreaterThan(0);
    expect(new Set(words).size).toBe(words.length);
    for (const regime of regimes)
      for (const arm of [...arms, ...(control ? [control] : [])]) {
        const config = configOf(withOwnStart(trialOf(arm, regime, 3)));
        expect(config.run.seed).toBe(3);
        expect(refusalOf(config, startRules)).toBeNull();
      }
  }
});

describe('a verdict', () => {
  it('is two-sided, needs a difference that matters, and tells a small difference from an unknown one', () => {
    const sure = { p: 0.01, pSmaller: 1 };
    expect(verdictOf(-0.3, sure, rule)).toBe('shown');
    expect(verdictOf(0.3, sure, rule)).toBe('reversed');
    expect(verdictOf(0.3, sure, { ...rule, direction: 'higher' })).toBe('shown');
    expect(verdictOf(-0.3, { p: 0.06, pSmaller: 1 }, rule)).toBe('open');
    // The difference is certain, but smaller than what matters.
    expect(verdictOf(-0.011, { p: 0.001, pSmaller: 0.001 }, rule)).toBe('smaller');
    expect(verdictOf(-0.019, { p: 0.001, pSmaller: 0.4 }, rule)).toBe('open');
    expect(verdictOf(0, { p: 0.9, pSmaller: 0.04 }, rule)).toBe('smaller');
  });

  it('of one claim alone is open before five seeds', () => {
    expect(judged([-0.3, -0.31, -0.29, -0.3], rule).verdict).toBe('open');
    expect(judged([-0.3, -0.31, -0.29, -0.3, -0.3], rule).verdict).toBe('shown');
    expect(judged([0.001, -0.001, 0.002, 0, 0], rule).verdict).toBe('smaller');
  });
});

describe('a round', () => {
  const shortRun = (accuracy: number) =>
    ({
      before: { accuracy: 0.5 },
      after: { accuracy },
      latest: {},
      turns: [],
      tokensPerTurn: [],
    }) as unknown as BudgetRun;
  const form = (id: string): Registered => ({
    ...{ id, statement: id, source: 'here', measure: 'accuracy', measured: 'accuracy', ...rule },
    ...{ regime: 'here', tokens: 1 },
    arms: [
      { label: 'first', settings: { optimiser: { learningRate: 0.001 } } },
      { label: 'second', settings: {} },
    ],
  });
  const roundOf = (...forms: Registered[]): Round => ({
    ...{ round: 1, rule: {} as Round['rule'], claims: forms, defaults: parseConfig({}), commit: 'c' },
    seeds: seedsOf('text'),
  });
  /** The rows of a claim whose arms differ by these amounts, seed by seed. */
  const rows = (claim: Registered, { seeds }: Round, differences: readonly number[]) =>
    differences.flatMap((difference, i) =>
      claim.arms.map(
        (arm, at) =>
          [
            trialKey(registeredTrial(claim, arm, seeds[i] as number)),
            { commit: 'a', result: shortRun(at === 0 ? 0.5 + difference : 0.5) },
          ] as const,
      ),
    );

  it('has ten seeds that follow from the text of its file, and other seeds for another text', () => {
    const seeds = seedsOf('text');
    expect(new Set([...seeds, ...seedsOf('texts')]).size).toBe(20);
    expect(seedsOf('text')).toEqual(seeds);
    for (const seed of seeds) expect(parseConfig({ run: { seed } }).run.seed).toBe(seed);
  });

  it('is judged at whole looks only, with p doubled for two looks and corrected for all claims', () => {
    const claim = form('one');
    const small = { ...form('two'), tokens: 2 };
    const both = roundOf(claim, small);
    const found = [-0.1, -0.2, -0.15, -0.1, -0.12];
    const judge = (first: readonly number[], second: readonly number[]) =>
      judgeRound(both, new Map([...rows(claim, both, first), ...rows(small, both, second)]));
    const [early] = judge(found.slice(0, 4), []);
    expect(early).toMatchObject({ p: 1, pSmaller: 1, verdict: 'open' });
    const few = judge(found, [0.3, -0.3, 0.2, -0.2, 0.1]);
    const p = 2 * meanTests(few[0]?.pairs.map(({ difference }) => difference) ?? [], 0.02).p;
    expect(few[0]?.p).toBeCloseTo(p, 12);
    expect(few[0]?.pHolm).toBeCloseTo(2 * p, 12);
    expect(few.map(({ verdict }) => verdict)).toEqual(['shown', 'open']);
    // Seven seeds are still the first look. A verdict of the first look stays after the second one.
    expect(judge([...found, 0.5, 0.5], [])[0]?.pairs).toHaveLength(5);
    const ten = judge([...found, 0.5, 0.5, 0.5, 0.5, 0.5], [])[0];
    expect(ten?.pairs).toHaveLength(10);
    // The look that decided also gives the direction, although the mean of all ten seeds is positive.
    expect(ten?.p).toBeCloseTo(p, 12);
    expect(ten?.verdict).toBe('shown');
  });

  it('counts no row of changed sources, and stops if a default or a measure has changed since', () => {
    const claim = form('one');
    const one = roundOf(claim);
    const changed = rows(claim, one, [0.1, 0.2]).map(([key, row], i) => [key, { ...row, commit: i < 2 ? 'a+' : 'a' }]);
    expect(judgeRound(one, new Map(changed as never))[0]?.pairs.map(({ seed }) => seed)).toEqual([one.seeds[1]]);
    expect(changedSince(one)).toBe('');
    expect(changedSince(roundOf({ ...claim, measured: 'something else' }))).toContain('the measure accuracy');
    const { learning, ...others } = parseConfig({});
    const older = { ...others, learning: { ...learning, groupSize: learning.groupSize + 1 } };
    expect(changedSince({ ...one, defaults: older })).toMatch(/round 1: .*: the default of learning\.groupSize$/);
    const { groupSize: _, ...fewer } = learning;
    expect(changedSince({ ...one, defaults: { ...others, learning: fewer } as typeof one.defaults })).toBe('');
  });

  it('keeps what earlier rounds and earlier rules found, and names common arms', () => {
    const [first, second] = [form('collapse'), { ...form('collapse'), tokens: 2 }];
    const rounds = [roundOf(first), { ...roundOf(second, form('too-fast')), round: 2, seeds: seedsOf('other') }];
    const done = new Map([
      ...rows(first, rounds[0] as Round, [0.2, 0.3, 0.2, 0.3, 0.25]),
      ...rows(second, rounds[1] as Round, [-0.2, -0.3, -0.2, -0.3, -0.25]),
    ]);
    const [record] = claimRecords(claims, rounds, done);
    expect(record).toMatchObject({ id: 'collapse', verdict: 'shown', seeds: seedsOf('other').slice(0, 5) });
    expect(record?.record).toMatchObject({ round: 2, hash: recordHash(second) });
    expect(record?.confirmations.map(({ round: of, verdict }) => [of, verdict])).toEqual([
      [0, 'shown'],
      [1, 'reversed'],
      [2, 'shown'],
    ]);
    expect(record?.sharesArmsWith).toEqual([]);
    const same = roundOf(form('collapse'), form('too-fast'));
    expect(claimRecords(claims, [same], new Map()).map(({ sharesArmsWith }) => sharesArmsWith)).toEqual([
      ['too-fast'],
      ['collapse'],
    ]);
  });

  it('registers the regime that promises most, and the farthest one the other way if none promises anything', () => {
    const claim: Claim = {
      ...(claims.find(({ id }) => id === 'too-fast') as Claim),
      regimes: [{ words: 'here' }, { words: 'there', tokens: 1 }, { words: 'nowhere', tokens: 2 }],
    };
    const explored = (...differences: number[]) =>
      new Map(
        differences.flatMap((difference, i) =>
          claim.arms.map((arm, at) => [
            trialKey(trialOf(arm, claim.regimes[i] as Claim['regimes'][0], trialSeed)),
            { commit: 'a', result: shortRun(at === 0 ? 0.5 + difference : 0.5) },
          ]),
        ),
      );
    expect(promisingRegime(claim, explored())).toBeUndefined();
    expect(promisingRegime(claim, explored(-0.1, -0.2))?.words).toBe('there');
    expect(promisingRegime(claim, explored(0.1, 0.3, -0.01))?.words).toBe('nowhere');
    expect(promisingRegime(claim, explored(0.1, 0.3, 0.2))?.words).toBe('there');
  });
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
  expect(pairOf(claim, regime, rows({ 'charts/turns': 5 }))).toBeNull();
  expect(pairOf(claim, regime, rows({ 'charts/empty_turns/reasoning': 0.5 }))).toEqual({
    ...{ seed: trialSeed, values: [0.5, 0.5], difference: 0 },
  });
});

it('every shipped record is that of its round, with the seeds of the round and arms that the page can open', () => {
  const { rows } = v.parse(claimsSchema, readResults('claims'));
  expect(rows.length).toBe(claims.length);
  const registered = newestRegistered(readRounds());
  for (const row of rows) {
    const found = registered.find(({ claim }) => claim.id === row.id) as (typeof registered)[0];
    expect(row.record).toMatchObject({ hash: recordHash(found.claim), round: found.round.round });
    expect(row.record.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(row.seeds).toEqual(found.round.seeds.slice(0, row.seeds.length));
    expect([0, ...looks]).toContain(row.seeds.length);
    row.arms.forEach(({ run }, at) => {
      if (run === null) return;
      const arm = found.claim.arms[at] as Claim['arms'][0];
      expect(readRunFile(run).config).toEqual(configOf(registeredTrial(found.claim, arm, trialSeed)));
    });
    expect(claimDigest(row) === null).toBe(row.arms.some(({ run }) => run === null));
  }
  expect(round?.claims.map(({ id }) => id)).toEqual(claims.map(({ id }) => id));
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
