import { expect, it } from 'vitest';
import { factLine, milliseconds, spread, table, type Column } from './table.ts';

interface Row {
  name: string;
  ms: number | null;
}
const columns: Column<Row>[] = [
  ['Name', ({ name }) => name],
  ['Median ms', ({ ms }) => milliseconds(ms)],
];

it('a table is aligned, shows a dash for a missing value, and escapes bars and line breaks', () => {
  const rows = [
    { name: 'a|b', ms: 1234.5 },
    { name: 'two\nlines', ms: null },
  ];
  expect(table(columns, rows).split('\n')).toEqual([
    '| Name      | Median ms |',
    '| --------- | --------- |',
    '| a\\|b      | 1235      |',
    '| two lines | –         |',
  ]);
});

it('facts are written as text, and the mean of one seed has no interval', () => {
  expect(factLine({ sampledTokens: 5, backend: 'simd' })).toBe('Sampled tokens: 5 · Backend: simd');
  expect(spread({ mean: 0.5, low: 0.25, high: 0.75 })).toBe('0.500 (0.250 to 0.750)');
  expect(spread({ mean: 0.5, low: -Infinity, high: Infinity })).toBe('0.500');
  expect([1.234, 12.34, 1234].map(milliseconds)).toEqual(['1.23', '12.3', '1234']);
});
