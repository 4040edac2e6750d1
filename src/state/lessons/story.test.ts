import { expect, it } from 'vitest';
import { presetConfig } from '../../config/presets.ts';
import type { Evaluation } from '../../records/metrics.ts';
import { isProven, numbersOf, phaseOf, sentenceOf } from './story.ts';

const evaluation = (iteration: number, accuracy: number, maskedMessage?: number): Evaluation => ({
  ...{ iteration, accuracy, low: accuracy, high: accuracy, problems: 512, bySlice: {}, ceiling: 0.67 },
  ...(maskedMessage !== undefined && { maskedMessage }),
});

it('the story is told of two minds and a sum, from before the start to the end', () => {
  const quick = presetConfig('quick');
  const phase = (state: Parameters<typeof phaseOf>[1]['state'], iteration: number) => phaseOf(quick, { state, iteration }); // prettier-ignore
  expect(phase('idle', 0)).toBe('before');
  expect(phase('preparing', 0)).toBe('before');
  expect(phase('training', 0)).toBe('during');
  expect(phase('paused', 3)).toBe('during');
  expect(phase('done', 100)).toBe('after');
  expect(phase('failed', 3)).toBeNull();
  for (const other of ['story', 'alone', 'debate']) expect(phaseOf(presetConfig(other), { state: 'idle', iteration: 0 })).toBeNull(); // prettier-ignore
});

it('its numbers are those of the first and the newest evaluation, and the best between', () => {
  expect(numbersOf({ evaluations: [] })).toBeNull();
  const evaluations = [evaluation(0, 0.57, 0.05), evaluation(10, 0.9, 0.1), evaluation(20, 0.8, 0.07)];
  expect(numbersOf({ evaluations })).toEqual({ start: 0.57, now: 0.8, low: 0.8, best: 0.9, masked: 0.07, ceiling: 0.67, iteration: 20 }); // prettier-ignore
});

it('the message is called proven only where all of the interval lies above what is possible without it', () => {
  const numbers = { start: 0.57, now: 0.7, low: 0.58, best: 0.7, masked: 0.1, ceiling: 0.67, iteration: 10 };
  const proven = { ...numbers, now: 0.8, low: 0.7 };
  expect([isProven(numbers), isProven(proven)]).toEqual([false, true]);
  expect(sentenceOf('learning', numbers)).toBe('learning');
  expect(sentenceOf('learning', proven)).toBe('learningProven');
  expect(sentenceOf('collapsed', proven)).toBe('collapsed');
  expect(sentenceOf('learning', { ...numbers, iteration: 0 })).toBe('measured');
});
