import { expect, it } from 'vitest';
import { openingTable, type OpeningRow } from './openingTable.ts';

const row = (preset: OpeningRow['preset'], seed: number, accuracies: number[]): OpeningRow => ({
  ...{ preset, seed, level: 2, sampledTokens: 1000 },
  lowAfter: { accuracy: 0.9, low: 0.8, high: 1 },
  measured: accuracies.map((accuracy, i) => ({ iteration: 30 * i, accuracy, seconds: 10 * i })),
});

it('the table shows when one preset reaches the final accuracy of the other, and their difference by seed', () => {
  const rows = [row('quick', 11, [0.4, 0.7, 0.8]), row('default', 11, [0.4, 0.6, 0.7])];
  rows.push(row('quick', 12, [0.4, 0.6, 0.7]), row('default', 12, [0.4, 0.5, 0.6]));
  rows.push(row('quick', 13, [0.4, 0.5, 0.9])); // this seed has no other preset yet
  const cells = openingTable({ machine: 'this one', backend: 'simd', rows })
    .split('\n')
    .at(-1)
    ?.split(/ *\| */);
  expect(cells?.slice(1, 3)).toEqual(['2', '11, 12']);
  expect(cells?.slice(5, 7)).toEqual(Array(2).fill('0.900 (0.900 to 0.900)'));
  expect(cells?.[7]).toBe('0.100 (0.100 to 0.100)');
  expect(cells?.slice(8, 10)).toEqual(['0.100 (0.100 to 0.100)', '2 of 2']);
  expect(cells?.slice(10, 14)).toEqual(['20.0', '10.0', '0.50 0.50', '30']);
});

it('a preset that never reaches the final accuracy of the other has no time', () => {
  const rows = [row('quick', 11, [0.4, 0.5, 0.6]), row('default', 11, [0.4, 0.6, 0.7])];
  expect(openingTable({ machine: 'this one', backend: 'simd', rows }).split('\n').at(-1)).toMatch(
    /\| 20\.0 +\| – +\| – +\| – +\|$/,
  );
});
