// The gains in the gallery are those of the stored results of the benchmarks.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { galleryFigures } from '../../../scripts/galleryFigures.mjs';
import { isPreset } from '../../config/presets.ts';
import { readGains } from './gains.ts';

it('the gallery shows measured gains of presets that exist, as docs/results.md states them', () => {
  const gains = readGains(galleryFigures());
  expect(Object.keys(gains).filter((name) => !isPreset(name))).toEqual([]);
  expect(Object.keys(gains)).toEqual(expect.arrayContaining(['quick', 'grid', 'passItOn', 'sayTheOrder']));
  const { mean } = JSON.parse(readFileSync('bench/results/learn.json', 'utf8')).summary.shipped as { mean: number };
  expect(gains['quick']?.after).toBeCloseTo(mean, 12);
  for (const { before, after } of Object.values(gains)) expect(after).toBeGreaterThan(before);
});

it('an invalid file of gains is refused with the place', () => {
  expect(() => readGains({ quick: { before: 2, after: 1, seconds: 1, seeds: 1 } })).toThrow(/gallery: quick.before/);
});
