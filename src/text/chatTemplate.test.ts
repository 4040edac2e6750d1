import { expect, it } from 'vitest';
import { feedbackOf, feedbackTexts } from './chatTemplate.ts';

it('a score gives one of four feedback texts, in rising order', () => {
  expect([0, 0.29, 0.3, 0.59, 0.6, 0.79, 0.8, 1].map(feedbackOf)).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
  expect(feedbackTexts).toHaveLength(4);
  expect(new Set(feedbackTexts).size).toBe(4);
});
