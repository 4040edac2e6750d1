// Tests the cross-play matrix with a worker whose answers the test determines, and the interpretation of the matrix.
import { describe, expect, it } from 'vitest';
import type { StartAnalysis } from '../../../../api/experimentConnection.ts';
import { hexOf } from '../../../../base/bits.ts';
import { ConfigError } from '../../../../base/errors.ts';
import { wilson } from '../../../../base/stats.ts';
import { runId } from '../../../../records/ids.ts';
import type { CrossCell } from '../records.ts';
import { readCrossPlay } from './crossContrast.ts';
import { CrossPlay, mostCrossed } from './crossPlay.svelte.ts';

/** A cell in which the first `right` problems are answered correctly. */
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
  const start: StartAnalysis<'crossPlay'> = (seats, tell) => {
    const number = calls.length;
    const done = new Promise<void>((resolve, reject) => {
      calls.push({ seats, tell, end: (given) => (given ? reject(given) : resolve()) });
    });
    return { done, cancel: () => cancelled.push(number) };
  };
  return { cross: new CrossPlay(start), calls, cancelled };
}

describe('the checkpoints that are crossed', () => {
  it('occur once each, are at most eight, and lose their results when the choice changes', async () => {
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

  it('keep the measured cells when the measurement is stopped, and give the reason of a refusal', async () => {
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

describe('the reading of a matrix', () => {
  const matrix = (values: number[][], problems = 40) =>
    values.flatMap((row, i) => row.map((right, j) => cell(i, j, right, problems)));
  const read = (values: number[][], problems = 40) => readCrossPlay(matrix(values, problems), values.length);
  const kindOf = (values: number[][], problems = 40) => read(values, problems)?.contrast?.kind;

  it('is a private language if strangers are clearly worse than the weaker of two trained pairs', () => {
    const found = read([
      [40, 8],
      [8, 36],
    ])?.contrast;
    expect(found).toMatchObject({ together: 0.95, strangers: 0.2, kind: 'private' });
    expect(found?.difference.mean).toBeCloseTo(0.7);
  });

  it('is a shared language if strangers are as good, even if speakers or listeners differ in skill', () => {
    expect(
      kindOf(
        [
          [90, 90],
          [90, 90],
        ],
        100,
      ),
    ).toBe('shared');
    // With the second speaker, every listener gives 40 fewer right answers, so the accuracy is not above the best that
    // is possible without messages.
    expect(
      kindOf(
        [
          [90, 90],
          [70, 70],
        ],
        100,
      ),
    ).toBe('shared');
    expect(
      kindOf(
        [
          [90, 90],
          [50, 50],
        ],
        100,
      ),
    ).toBe('silent');
  });

  it('is no private language because of a collapsed run, which is left out and reported', () => {
    // A case that really occurred: one collapsed run, and two runs whose agents understand each other perfectly.
    const seen = read(
      [
        [0, 0, 0],
        [0, 470, 465],
        [0, 466, 475],
      ],
      512,
    );
    expect(seen).toMatchObject({ leftOut: [0], contrast: { kind: 'shared' } });
    expect(
      read(
        [
          [0, 0],
          [0, 480],
        ],
        512,
      ),
    ).toEqual({ leftOut: [0], contrast: null });
    expect(
      read(
        [
          [0, 0],
          [0, 0],
        ],
        512,
      ),
    ).toEqual({ leftOut: [0, 1], contrast: null });
  });

  it('is no private language if the accuracies are products of skills', () => {
    // The three speakers have the qualities 1, 0.6 and 1, and the three listeners 1, 0.6 and 0.7. The accuracy in each
    // cell is their product.
    const [says, hears] = [
      [1, 0.6, 1],
      [1, 0.6, 0.7],
    ];
    const products = says.map((speaker) => hears.map((listener) => Math.round(500 * speaker * listener)));
    expect(kindOf(products, 512)).not.toBe('private');
    // The difference of the means would wrongly show a private language: it is above 0.05, because agents that learned
    // together have the accuracies 0.87 and 0.36, and strangers have 0.52.
    expect(
      kindOf(
        [
          [445, 267],
          [267, 186],
        ],
        512,
      ),
    ).not.toBe('private');
  });

  it('is no shared language if nothing shows that messages are needed', () => {
    // All accuracies are 0.5, the maximum that is possible without messages.
    expect(
      kindOf(
        [
          [256, 256],
          [256, 256],
        ],
        512,
      ),
    ).toBe('silent');
  });

  it('has an interval that allows 3 of n other results if all n problems have the same result', () => {
    const none = read(
      [
        [24, 24],
        [24, 24],
      ],
      32,
    )?.contrast;
    expect(none).toMatchObject({ difference: { mean: 0, low: -0.09375, high: 0.09375 }, kind: 'open' });
    // The difference is 1 for each of 40 problems. If 3 of 40 problems had a difference of −1 instead, the mean would
    // be 1 − 2 · 3/40.
    const all = read([
      [40, 0],
      [0, 40],
    ])?.contrast;
    expect(all).toMatchObject({ difference: { mean: 1, low: 0.85, high: 1 }, kind: 'private' });
  });

  it('is undecided if chance can explain the matrix, and before all cells are measured', () => {
    expect(
      kindOf([
        [36, 32],
        [33, 36],
      ]),
    ).toBe('open');
    expect(readCrossPlay(matrix([[36, 32]]), 2)).toBeNull();
    expect(readCrossPlay([cell(0, 0, 30)], 1)).toBeNull();
  });
});
