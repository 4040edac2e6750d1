// Tests the comparison of learning curves with another trainer.
import { expect, it } from 'vitest';
import { comparedCurves } from './twinCurves.ts';

const row = (...rewards: number[][]) =>
  ({ runs: rewards.map((one, seed) => ({ seed, result: { rewards: one } })) }) as never;

it('curves agree if each mean is within the band of the other in four of five iterations', () => {
  const ours = row([0.1, 0.3, 0.5, 0.7, 0.9], [0.2, 0.5, 0.6, 0.9, 1], [0.15, 0.4, 0.7, 0.8, 0.95]);
  const near = row([0.12, 0.35, 0.6, 0.75, 0.95], [0.2, 0.45, 0.5, 0.85, 0.9], [0.1, 0.4, 0.65, 0.8, 1]);
  expect(comparedCurves(ours, near, 32)).toMatchObject({ share: 1, isSame: true });
  const late = row([0.1, 0.3, 0.1, 0.2, 0.3], [0.2, 0.5, 0.1, 0.2, 0.3], [0.15, 0.4, 0.12, 0.22, 0.32]);
  expect(comparedCurves(ours, late, 32)).toMatchObject({ share: 2 / 5, isSame: false });
});

it('equal seeds, whose band has no width, agree with a mean that differs by one dialogue', () => {
  const ours = row([1, 1], [1, 1], [1, 1]);
  expect(comparedCurves(ours, row([31 / 32, 0.9], [31 / 32, 0.9], [31 / 32, 0.9]), 32).share).toBe(0.5);
});
