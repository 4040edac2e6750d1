// The matrix of cross-play, over a worker that answers as the test says, and what it is said to mean.
import { describe, expect, it } from 'vitest';
import type { StartCrossPlay } from '../../api/experimentConnection.ts';
import { hexOf } from '../../base/bits.ts';
import { ConfigError } from '../../base/errors.ts';
import { wilson } from '../../base/stats.ts';
import type { CrossCell } from '../../records/besides.ts';
import { runId } from '../../records/ids.ts';
import { crossContrast } from './crossContrast.ts';
import { CrossPlay, mostCrossed } from './crossPlay.svelte.ts';

/** Right on the first so many problems. */
const cell = (sender: number, receiver: number, right: number, problems = 40): CrossCell => ({
  ...{ sender, receiver },
  evaluation: {
    ...{ iteration: 1, accuracy: right / problems, ...wilson(right, problems), problems, bySlice: {}, ceiling: 0.5 },
    right: hexOf(Array.from({ length: problems }, (_, i) => i < right)),
  },
});
const seat = (iteration: number) => ({ run: runId('run-1'), iteration });

function started() {
  const calls: { seats: unknown; tell: (cell: CrossCell) => void; end: (with_?: Error) => void }[] = [];
  const cancelled: number[] = [];
  const start: StartCrossPlay = (seats, tell) => {
    const number = calls.length;
    const done = new Promise<void>((resolve, reject) => {
      calls.push({ seats, tell, end: (given) => (given ? reject(given) : resolve()) });
    });
    return { done, cancel: () => cancelled.push(number) };
  };
  return { cross: new CrossPlay(start), calls, cancelled };
}

describe('the checkpoints that are crossed', () => {
  it('are each there once, eight at most, and another choice forgets what was measured', async () => {
    const { cross, calls, cancelled } = started();
    cross.add([seat(0), ...Array.from({ length: 12 }, (_, i) => seat(i))]);
    cross.add([seat(3)]);
    expect(cross.chosen).toHaveLength(mostCrossed);
    for (let i = mostCrossed; i > 2; i--) cross.remove(2);
    const running = cross.measure();
    expect(calls[0]?.seats).toEqual([seat(0), seat(1)]);
    calls[0]?.tell(cell(0, 0, 30));
    expect([cross.cells.length, cross.isMeasuring]).toEqual([1, true]);
    cross.add([seat(5)]);
    calls[0]?.tell(cell(0, 1, 30));
    expect([cross.cells.length, cross.isMeasuring, cancelled]).toEqual([0, false, [0]]);
    calls[0]?.end();
    await running;
  });

  it('keep the cells that were measured when it is stopped, and say why it was refused', async () => {
    const { cross, calls, cancelled } = started();
    cross.add([seat(0), seat(1)]);
    void cross.measure();
    calls[0]?.tell(cell(0, 0, 30));
    cross.stop();
    expect([cross.cells.length, cancelled]).toEqual([1, [0]]);
    const again = cross.measure();
    calls[1]?.end(new ConfigError('cross-play: they cannot talk.'));
    await again;
    expect([cross.refusal, cross.isMeasuring]).toEqual(['cross-play: they cannot talk.', false]);
  });
});

describe('what a matrix says', () => {
  const matrix = (values: number[][], problems = 40) =>
    values.flatMap((row, i) => row.map((right, j) => cell(i, j, right, problems)));

  it('is a private language where those who learned together do clearly better', () => {
    const found = crossContrast(matrix([[40, 8], [8, 36]]), 2); // prettier-ignore
    expect(found).toMatchObject({ together: 0.95, strangers: 0.2, kind: 'private' });
    expect(found?.difference.mean).toBeCloseTo(0.75);
  });

  it('is a shared one where strangers do as well, and where only speakers or listeners are of unequal worth', () => {
    expect(crossContrast(matrix([[90, 90], [90, 90]], 100), 2)?.kind).toBe('shared'); // prettier-ignore
    // The second speaker is worth 40 problems less, whoever listens.
    expect(crossContrast(matrix([[90, 90], [50, 50]], 100), 2)).toMatchObject({ together: 0.7, strangers: 0.7, kind: 'shared' }); // prettier-ignore
  });

  it('has an interval with a width where no problem differs from the others: of n at most 3/n are of another kind', () => {
    const none = crossContrast(matrix([[24, 24], [24, 24]], 32), 2); // prettier-ignore
    expect(none).toMatchObject({ difference: { mean: 0, low: -0.09375, high: 0.09375 }, kind: 'open' });
    // Each of 40 differs by 1: were 3 in 40 unlike them, and all −1, the mean would be 1 − 2 · 3/40.
    const all = crossContrast(matrix([[40, 0], [0, 40]]), 2); // prettier-ignore
    expect(all).toMatchObject({ difference: { mean: 1, low: 0.85, high: 1 }, kind: 'private' });
  });

  it('is left open where chance could have made it, and before all is measured', () => {
    expect(crossContrast(matrix([[36, 32], [33, 36]]), 2)?.kind).toBe('open'); // prettier-ignore
    expect(crossContrast(matrix([[36, 32]]), 2)).toBeNull();
    expect(crossContrast([cell(0, 0, 30)], 1)).toBeNull();
  });
});
