// Tests which records a run keeps after it has stored more than its allowance.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkpointAllowance, flagged, surplus, type Allowance } from './retention.ts';

/**
 * Stores records one after the other, and deletes surplus records after each of them, as during a run. Returns the
 * remaining records.
 */
function storedInTurn(iterations: readonly number[], allowance: Allowance, bytes = 1) {
  let kept: { iteration: number; bytes: number }[] = [];
  for (const iteration of iterations) {
    const stored = [...kept, { iteration, bytes }];
    const gone = new Set(surplus(stored, allowance));
    kept = stored.filter((one) => !gone.has(one));
  }
  return kept.map(({ iteration }) => iteration);
}
const gaps = (iterations: readonly number[]) => iterations.slice(1).map((at, i) => at - (iterations[i] as number));
const every = (step: number, end: number) => Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);

describe('what is thinned', () => {
  it('is nothing up to the allowance', () => {
    expect(storedInTurn([0, 1, 2], { count: 3, bytes: 3 })).toEqual([0, 1, 2]);
    expect(storedInTurn([0, 1, 2, 3], { count: 3, bytes: 9 })).toEqual([0, 2, 3]);
  });

  it('leaves the beginning, the end and 18 evenly spaced checkpoints between after 3,500 iterations', () => {
    const kept = storedInTurn(every(10, 3500), checkpointAllowance);
    expect(kept).toHaveLength(20);
    expect([kept[0], kept.at(-1)]).toEqual([0, 3500]);
    expect(Math.max(...gaps(kept))).toBeLessThanOrEqual((2 * 3500) / 19);
  });

  it('never leaves a gap of more than twice the even distance, however many come and at whatever step', () => {
    const long = fc.record({
      step: fc.integer({ min: 1, max: 50 }),
      stored: fc.integer({ min: 3, max: 700 }),
      count: fc.integer({ min: 3, max: 30 }),
    });
    fc.assert(
      fc.property(long, ({ step, stored, count }) => {
        const end = step * stored;
        const kept = storedInTurn(every(step, end), { count, bytes: Infinity });
        expect(kept.length).toBe(Math.min(count, stored + 1));
        expect([kept[0], kept.at(-1)]).toEqual([0, end]);
        if (stored >= count) expect(Math.max(...gaps(kept))).toBeLessThanOrEqual((2 * end) / (count - 1));
      }),
    );
  });

  it('is bounded by bytes as well, and two are left whatever they weigh', () => {
    expect(storedInTurn([0, 10, 20, 30, 40], { count: 20, bytes: 3000 }, 1000)).toEqual([0, 20, 40]);
    expect(storedInTurn([0, 10, 20], { count: 20, bytes: 5 }, 1000)).toEqual([0, 20]);
  });

  it('leaves both ends and an even choice of a run of which an earlier version kept everything', () => {
    const all = every(1, 5000).map((iteration) => ({ iteration, bytes: 1 }));
    const gone = new Set(surplus(all, { count: 200, bytes: Infinity }));
    const kept = all.filter((one) => !gone.has(one)).map(({ iteration }) => iteration);
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([200, 0, 5000]);
    expect(Math.max(...gaps(kept))).toBeLessThanOrEqual((2 * 5000) / 199);
  });
});

it('trajectories stay at checkpoints, before and after a change, and after a fork', () => {
  const changes = [{ iteration: 7, path: 'learning.clipHigh', value: 0.3 }];
  const forkedFrom = { id: 'p', name: 'calm-otter', iteration: 3 } as never;
  expect([...flagged({ changes, forkedFrom }, [10, 20])].sort((a, b) => a - b)).toEqual([4, 7, 8, 10, 20]);
});
