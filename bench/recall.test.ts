import { expect, it } from 'vitest';
import { recallRows, recallTable, shareRow, texts, winOf } from './worlds/recallTable.ts';

it('the table compares the accuracy with and without recall for each kind of text', () => {
  const share = (accuracy: number) => ({ accuracy, low: 0, high: 1 });
  const read = (accuracy: number) => ({
    right: texts.map((_, t) => share(accuracy - 0.1 * t)),
    ...{ before: 0.3, after: accuracy - 0.2, sampledTokens: 2000, seconds: 1 },
  });
  const rows = recallRows([
    { seed: 11, on: read(0.9), off: read(0.7) },
    { seed: 12, on: read(0.8), off: read(0.8) },
  ]);
  expect(rows).toHaveLength(texts.length);
  expect(rows[2]).toMatchObject({ evidence: 'distant', pieces: 7 });
  expect(rows.map(winOf)).toEqual(texts.map(() => expect.closeTo(0.1, 9) as number));
  const shares = [shareRow(0.5, [{ seed: 11, result: read(0.9) }])];
  const written = recallTable({ machine: 'm', backend: 'simd', problems: 9, rows, shares });
  expect(written).toContain('| 0.90 0.80');
  expect(written).toMatch(/\| 0\.5 +\| 11 +\| 0\.30 +\| 0\.70 +\| 0\.70 +\| 2k/);
});
