// Tests of the claims board with the real store. They check that results from this browser and results from files are
// merged by seed.
import { describe, expect, it } from 'vitest';
import { tInterval } from '../../base/intervals.ts';
import { presetConfig } from '../../config/presets.ts';
import { writeResultCode } from '../../formats/resultCode.ts';
import { claimDigest, readResultFile, writeResultFile } from '../../formats/resultFile.ts';
import { writeRunFile } from '../../formats/runFile.ts';
import { decidingSeeds, type ClaimRecord } from '../../records/claims/claimRecord.ts';
import type { ClaimResult } from '../../records/claims/result.ts';
import { forgetResults, keepResults } from '../../storage/resultStore.ts';
import type { ExperimentRequest } from '../../api/experimentConnection.ts';
import { claimCard, codeOf, freshSeed, narrowing, type ClaimCard } from './claimCard.ts';
import { ClaimsBoard } from './claimsBoard.svelte.ts';
import { Experiments } from './experiments.svelte.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';

emptyDatabase();

const run = writeRunFile({ preset: 'default', changes: [], imports: [], config: presetConfig('default') });
const record: ClaimRecord = {
  ...{ id: 'too-fast', statement: 'At a learning rate of 1e-3 the team learns less.', source: 'prototype' },
  ...{ direction: 'lower', measure: 'accuracy', measuredBy: 'accuracy', least: 0.02 },
  ...{ regime: 'here', tokens: 120_000, record: { hash: 'a', round: 1, commit: 'b' } },
  arms: [
    { label: 'fast', run, values: [0.5, 0.6] },
    { label: 'slow', run, values: [0.7, 0.7] },
  ],
  ...{ seeds: [21, 22], differences: [-0.2, -0.1], difference: null, verdict: 'open', tried: [] },
  ...{ p: 1, pHolm: 1, pSmaller: 1, pSmallerHolm: 1, control: null, sharesArmsWith: [], confirmations: [] },
};
const digest = claimDigest(record) as string;
const result = (seed: number, first = 0.5, second = 0.65): ClaimResult => ({
  ...{ claim: 'too-fast', digest, seed },
  ...{ values: [first, second], backend: 'simd' },
});
const file = (name: string, results: readonly ClaimResult[] | string) => ({
  name,
  text: () => Promise.resolve(typeof results === 'string' ? results : writeResultFile(results)),
});
const board = async (records: ClaimRecord[] = [record]) => {
  const one = new ClaimsBoard(() => Promise.resolve(records), { keepResults, forgetResults });
  await one.refresh();
  return one;
};

describe('a card', () => {
  it('counts each seed once, those of the benches first, and judges all of them together', () => {
    const others = [result(7), result(22, 0, 1), result(3), result(5)];
    const foreign = { ...result(9), digest: 'b'.repeat(64) };
    const card = claimCard({ record, digest }, [...others, foreign]);
    expect(card.pairs.map(({ seed, isAdded }) => [seed, isAdded])).toEqual([
      [21, false],
      [22, false],
      [3, true],
      [5, true],
      [7, true],
    ]);
    const differences = card.pairs.map(({ difference }) => difference);
    expect(card.difference).toEqual(tInterval(differences));
    expect(card.verdict).toBe('shown');
    expect(freshSeed(card)).toBe(101);
    // The seeds of the benches are large; those of visitors must fit into a code.
    expect(freshSeed({ pairs: [{ ...(card.pairs[0] as (typeof card.pairs)[0]), seed: 140_425_099 }] })).toBe(101);
  });

  it('is open before enough seeds are there, and as the benches left it while nobody adds any', () => {
    expect(claimCard({ record, digest }, [result(1)]).verdict).toBe('open');
    expect(record.seeds.length + 1).toBeLessThan(decidingSeeds);
    // The benches correct for all claims, so their verdict cannot be computed from the seeds of one claim.
    const corrected: ClaimRecord = { ...record, verdict: 'smaller' };
    expect(claimCard({ record: corrected, digest }, []).verdict).toBe('smaller');
    expect(claimCard({ record: corrected, digest }, [result(1)]).verdict).toBe('open');
  });

  it('says how its interval narrowed as the seeds came', () => {
    const card = claimCard({ record, digest }, [result(1), result(2)]);
    expect(narrowing(card).map(({ count }) => count)).toEqual([2, 3, 4]);
    expect(narrowing(card).at(-1)?.estimate).toEqual(card.difference);
    expect(narrowing({ pairs: [] })).toEqual([]);
  });
});

describe('the board', () => {
  it('merges thirty files of a class, whatever they repeat, and the interval narrows', async () => {
    const pupils = Array.from({ length: 30 }, (_, i) => file(`seed-${i}.json`, [result(100 + i, 0.5 + (i % 5) / 100)]));
    const one = await board();
    await one.take(pupils.slice(0, 5));
    const few = one.cards[0]?.difference;
    await one.take([...pupils, file('again.json', [result(129, 0, 0)])]);
    expect(one.refusals).toEqual([]);
    expect(one.said).toEqual([
      '25 results added from 31 files.',
      '6 results have seeds that were counted before, so they are not counted again.',
    ]);
    const [card] = one.cards;
    expect(card?.pairs).toHaveLength(32);
    expect(card?.verdict).toBe('shown');
    const width = (of: typeof few) => (of ? of.high - of.low : Number.NaN);
    expect(width(card?.difference)).toBeLessThan(width(few));
    // After a reload, the results are still there, and the exported file contains all of them.
    const later = await board();
    expect(later.cards[0]?.pairs).toEqual(card?.pairs);
    expect(readResultFile(later.exported())).toHaveLength(30);
    await later.forget(later.cards[0] as NonNullable<typeof card>);
    expect(later.cards[0]?.pairs).toHaveLength(2);
  });

  it('adds a typed code once, and refuses one with a wrong character', async () => {
    const one = await board();
    const code = writeResultCode(result(104, 0.5123, 0.65), 'accuracy') as string;
    expect(await one.takeCode(code.toLowerCase())).toBe('too-fast');
    expect([one.said, one.refusals]).toEqual([['The result of seed 104 was added.'], []]);
    const [card] = one.cards;
    const pair = card?.pairs.find(({ seed }) => seed === 104);
    expect(pair).toMatchObject({ values: [0.5123, 0.65], isAdded: true });
    expect(card && pair && codeOf(card, pair)).toBe(code);
    expect(card?.pairs.flatMap((other) => codeOf(card, other) ?? [])).toEqual([code]);
    await one.takeCode(code);
    expect(one.said).toEqual(['Seed 104 was counted before, so it is not counted again.']);
    expect(await one.takeCode(code.replace(/.$/, (last) => (last === '7' ? '8' : '7')))).toBeNull();
    expect(one.said).toEqual([]);
    expect(one.refusals).toEqual([expect.stringMatching(/has a wrong character; type it again\.$/)]);
    await one.forget(one.cards[0] as NonNullable<typeof card>);
  });

  it('loads the claims before it reads a code', async () => {
    const one = new ClaimsBoard(() => Promise.resolve([record]), { keepResults, forgetResults });
    expect(await one.takeCode(writeResultCode(result(105), 'accuracy') as string)).toBe('too-fast');
    await one.forget(one.cards[0] as ClaimCard);
  });

  it('refuses a file of another schema by its name, and takes the others', async () => {
    const one = await board();
    const newer = writeResultFile([result(1)]).replace('"format": 1', '"format": 2');
    await one.take([
      file('newer.json', newer),
      file('mine.json', [result(2), { ...result(3), digest: 'c'.repeat(64) }]),
    ]);
    expect(one.refusals).toEqual([expect.stringMatching(/^newer\.json: the result file: expected format 1, got 2/)]);
    expect(one.said).toEqual(['1 result added from 2 files.', '1 result belongs to claims that are not on this page.']);
    await one.take([file('fine.json', [result(5)])]);
    expect(one.refusals).toEqual([]);
  });

  it('runs both arms with the seed that was asked for, for as many tokens as the benches', async () => {
    const asked: ExperimentRequest[] = [];
    const experiments = new Experiments(
      () => undefined,
      (request) => {
        asked.push(request);
        return { done: keepResults([result(101)]).then(() => 'claim-1'), cancel: () => undefined };
      },
    );
    const one = await board();
    await one.run(one.cards[0] as NonNullable<(typeof one.cards)[0]>, 101, experiments);
    expect(asked).toMatchObject([
      { kind: 'claim', claim: 'too-fast', digest, tokens: 120_000, measuredBy: 'accuracy' },
    ]);
    expect(asked[0]?.kind === 'claim' && asked[0].arms.map((config) => config.run.seed)).toEqual([101, 101]);
    expect(one.cards[0]?.pairs.map(({ seed }) => seed)).toEqual([21, 22, 101]);
    expect(one.cards[0] && freshSeed(one.cards[0])).toBe(102);
  });

  it('says why where the claims cannot be read', async () => {
    const one = new ClaimsBoard(() => Promise.reject(new Error('the claims could not be loaded')), {
      keepResults,
      forgetResults,
    });
    await one.refresh();
    expect([one.cards, one.refusals]).toEqual([[], ['the claims could not be loaded']]);
  });
});
