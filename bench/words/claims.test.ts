import { expect, it } from 'vitest';
import { tInterval } from '../../src/base/intervals.ts';
import { judgedClaims } from './claims.ts';
import type { WordsResult } from './once.ts';
import type { Stage } from './rungs.ts';
import type { WordsRow } from './table.ts';

const rowOf = (stage: Stage, shares: readonly (readonly [before: number, after: number | null])[]): WordsRow => {
  const runs = shares.map(([before, after], i) => {
    const untold = { lowAfter: null, masked: null, rewards: [], iterationSeconds: null, cpuSeconds: null };
    const result: WordsResult = { before, after, problems: 36, seconds: 1, peakMiB: null, ...untold };
    return { seed: 5 + i, result };
  });
  return {
    ...{ model: 'm', rung: 'passTwoOn', stage, seeds: runs.map(({ seed }) => seed), iterations: 15, threads: 2, runs },
    ...{ before: tInterval(shares.map(([before]) => before)), after: null, lowAfter: null },
    ...{ seconds: 1, iterationSeconds: null, peakMiB: null, machine: '', commit: '' },
  };
};
const verdicts = (...rows: WordsRow[]) => judgedClaims(rows).map(({ says, isShown }) => [says.slice(0, 22), isShown]);

it('a claim is shown only if the difference is large enough and certain', () => {
  const taught = [
    [0.1, 0.9],
    [0.2, 0.95],
    [0.15, 0.85],
  ] as const;
  expect(verdicts(rowOf('sftRl', taught))).toEqual([['reinforcement learning', true]]);
  const unheard = rowOf('unheard', [
    [0.03, 0.05],
    [0.03, 0.02],
    [0.02, 0.04],
  ]);
  expect(verdicts(rowOf('sftRl', taught), unheard)).toEqual([
    ['reinforcement learning', true],
    ['the message is what wa', true],
  ]);
  // Three gains that do not count: one below 0.15, one that depends on the seed, and one that was measured only once.
  const small = rowOf(
    'rlAlone',
    taught.map(([before]) => [before, before + 0.1]),
  );
  expect(verdicts(small)).toEqual([['reinforcement learning', false]]);
  const uncertain = rowOf('rlAlone', [
    [0.1, 0.9],
    [0.1, 0.1],
    [0.1, 0.05],
  ]);
  expect(verdicts(uncertain)).toEqual([['reinforcement learning', false]]);
  expect(verdicts(rowOf('rlAlone', [[0.1, 0.9]]))).toEqual([]);
  expect(verdicts(rowOf('fewShot', [[0.1, null]]))).toEqual([]);
});

it('arms are compared seed by seed, for the seeds that both have', () => {
  const [claim] = judgedClaims([
    rowOf('sftRl', [
      [0.5, 0.9],
      [0.1, 0.6],
    ]),
  ]);
  expect([claim?.higher, claim?.lower]).toEqual([
    [0.9, 0.6],
    [0.5, 0.1],
  ]);
  expect(claim?.difference.mean).toBeCloseTo(0.45);
});
