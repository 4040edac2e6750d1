import { expect, it } from 'vitest';
import { wilson } from '../../base/stats.ts';
import { presetConfig } from '../../config/presets.ts';
import type { Evaluation } from '../../records/metrics.ts';
import { endOf, isProven, numbersOf, phaseOf, sentenceOf } from './story.ts';

const evaluation = (iteration: number, accuracy: number, maskedMessage?: number): Evaluation => ({
  ...{ iteration, accuracy, low: accuracy, high: accuracy, problems: 512, bySlice: {}, ceiling: 0.67 },
  ...(maskedMessage !== undefined && { maskedMessage }),
});

it('the story is told of two minds and a sum, from before the start to the end', () => {
  const quick = presetConfig('quick');
  const phase = (state: Parameters<typeof phaseOf>[1]['state'], iteration: number) =>
    phaseOf(quick, { state, iteration });
  expect(phase('idle', 0)).toBe('before');
  expect(phase('preparing', 0)).toBe('before');
  expect(phase('training', 0)).toBe('during');
  expect(phase('paused', 3)).toBe('during');
  expect(phase('done', 100)).toBe('after');
  expect(phase('failed', 3)).toBeNull();
  for (const other of ['story', 'alone', 'debate'])
    expect(phaseOf(presetConfig(other), { state: 'idle', iteration: 0 })).toBeNull();
});

it('its numbers are those of the first and the newest evaluation, and the best between', () => {
  expect(numbersOf({ evaluations: [] })).toBeNull();
  const evaluations = [evaluation(0, 0.57, 0.05), evaluation(10, 0.9, 0.1), evaluation(20, 0.8, 0.07)];
  expect(numbersOf({ evaluations })).toEqual({
    start: 0.57,
    startLow: 0.57,
    startHigh: 0.57,
    now: 0.8,
    low: 0.8,
    high: 0.8,
    best: 0.9,
    ceiling: 0.67,
    iteration: 20,
  });
});

it('the message is called proven only where all of the interval lies above what is possible without it', () => {
  const numbers = {
    start: 0.57,
    startLow: 0.53,
    startHigh: 0.61,
    now: 0.7,
    low: 0.58,
    high: 0.74,
    best: 0.7,
    ceiling: 0.67,
    iteration: 10,
  };
  const proven = { ...numbers, now: 0.8, low: 0.7 };
  expect([isProven(numbers), isProven(proven)]).toEqual([false, true]);
  expect(sentenceOf('learning', numbers)).toBe('learning');
  expect(sentenceOf('learning', proven)).toBe('learningProven');
  expect(sentenceOf('collapsed', proven)).toBe('collapsed');
  expect(sentenceOf('learning', { ...numbers, iteration: 0 })).toBe('measured');
});

it('the message is not called proven by who always multiplies first, which is right in 0.693 of 512 above a ceiling of 0.667', () => {
  const rule = { ...evaluation(20, 355 / 512), ...wilson(355, 512), ceiling: 0.667 };
  const numbers = numbersOf({ evaluations: [evaluation(0, 0.57), rule] });
  expect(numbers && isProven(numbers)).toBe(false);
});

it('the end is called a gain or a loss only where the intervals are apart', () => {
  const of = (right: number) =>
    numbersOf({
      evaluations: [290, right].map((count, i) => ({ ...evaluation(i, count / 512), ...wilson(count, 512) })),
    });
  const ends = [330, 291, 290, 260, 200].map((right) => of(right)).map((numbers) => numbers && endOf(numbers));
  expect(ends).toEqual(['same', 'same', 'same', 'same', 'loss']);
  expect([480].map((right) => of(right)).map((numbers) => numbers && endOf(numbers))).toEqual(['gain']);
});
