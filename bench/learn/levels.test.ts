import { beforeAll, expect, it } from 'vitest';
import { startCpuEngine } from '../../src/training/testing/cpuEngine.ts';
import { evaluateSeats } from '../../src/training/run/seats.ts';
import type { AnswersOf } from '../../src/records/metrics.ts';
import { loadShipped } from '../shared/shippedWeights.ts';
import { startFrom } from '../shared/warmStarts.ts';
import { levelConfig } from './levels.ts';
import { crossTable, gainedTooLittle, levelsTable, type LevelRow } from './levelsTable.ts';

beforeAll(startCpuEngine);

const seat = async (level: number) => {
  const config = levelConfig(level, 11);
  const few = { ...config, evaluation: { ...config.evaluation, problems: 48 } };
  return { checkpoint: await startFrom(few, await loadShipped(few)), name: `level ${level}` };
};

it('a planner and a reasoner from the same warm start do better than agents from two warm starts', async () => {
  const [short, long] = [await seat(1), await seat(2)];
  const at = await evaluateSeats([short, short]);
  const mixed = await evaluateSeats([short, long]);
  expect(at.accuracy).toBeGreaterThan(0.4);
  expect(mixed.accuracy).toBeLessThan(at.accuracy);
  const [all] = at.answers ?? [];
  expect(all?.at.at(-1)?.pass).toBeGreaterThan(0.9); // sixteen answers contain the right one for nearly all problems
  expect(await evaluateSeats([long, short])).toMatchObject({ iteration: 0 });
});

const answers: AnswersOf[] = [null, 'precedence'].map((slice) => ({
  slice,
  problems: 2,
  at: [1, 4, 16].map((k) => ({ k, pass: 0.75, majority: 0.5, passError: 0.1, majorityError: 0.1 })),
}));
const row = (after: number): LevelRow => ({
  ...{ level: 2, seed: 11, iterations: 100, sampledTokens: 1000, seconds: 60.4 },
  ...{ before: { accuracy: 0.5, low: 0.4, high: 0.6 }, after: { accuracy: after, low: 0.6, high: 0.8 } },
  ...{ lowBefore: { accuracy: 0.7, low: 0.6, high: 0.8 }, lowAfter: { accuracy: 0.75, low: 0.65, high: 0.85 } },
  ...{ answersBefore: answers, answersAfter: answers },
  ...{ harderBefore: 0.2, harderAfter: 0.3, nextBefore: 0.1, nextAfter: 0.15 },
});

it('a level that gained less than 0.15 is reported', () => {
  const results = { machine: 'this one', backend: 'simd', rows: [row(0.64), row(0.66)] };
  expect(gainedTooLittle(results)).toEqual(['level 2, seed 11']);
  expect(levelsTable(results)).toMatch(
    /\| 0\.500 → 0\.640 \| 0\.600 to 0\.800 +\| 0\.700 → 0\.750 +\| 0\.750 → 0\.750/,
  );
  expect(levelsTable(results)).toMatch(/\| 2 +\| multiplication first +\| 0\.750/);
});

it('the cross-play table has a row for each planner and a column for each reasoner', () => {
  const accuracy = [
    [0.5, 0.6],
    [0.7, 0.9],
  ];
  const lines = crossTable({ machine: 'this one', backend: 'simd', seeds: [null, 11], accuracy }).split('\n');
  expect(lines.at(-2)).toMatch(/\| warm start +\| 0\.500 +\| 0\.600/);
  expect(lines.at(-1)).toMatch(/\| seed 11 +\| 0\.700 +\| 0\.900/);
});
