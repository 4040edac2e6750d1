import { Inflate, strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../base/errors.ts';
import { unpackWithin } from '../base/inflate.ts';
import { lyingZip } from './testing/lyingZip.ts';
import { holdsEntry, unzipped } from './zip.ts';

const all = () => true;
const files = { 'run.record': new Uint8Array(1000).fill(7), 'ünï/b.txt': strToU8('zwei'), empty: new Uint8Array() };

describe('a zip', () => {
  it.each([0, 6] as const)('returns its files unchanged at level %i', (level) => {
    const zip = zipSync(files, { level });
    expect(Object.fromEntries(unzipped(zip, all))).toEqual(files);
    expect([...unzipped(zip, ({ name }) => name === 'empty').keys()]).toEqual(['empty']);
    expect(holdsEntry(zip, (name) => name === 'run.record')).toBe(true);
  });

  it('gives the sizes of its files before anything is unpacked', () => {
    const sizes: number[] = [];
    unzipped(zipSync(files), ({ originalSize }) => (sizes.push(originalSize), false));
    expect(sizes).toEqual([1000, 4, 0]);
  });

  it.each([0, 1, 21, 22, 40, 100])('that is cut off after %i bytes is refused by name', (bytes) => {
    expect(() => unzipped(zipSync(files).slice(0, bytes), all)).toThrow(FormatError);
    expect(holdsEntry(zipSync(files).slice(0, bytes), all)).toBe(false);
  });

  it.each([100, 4e7 + 1])('that states %i bytes and holds 40 MB is refused', (states) => {
    expect(() => unzipped(lyingZip('run.record', 40_000_000, states), all)).toThrow(
      /is given as .* has a different size/,
    );
  });
});

it('the unpacking of a file that exceeds its bound stops early', () => {
  const content = lyingZip('a', 40_000_000, 100).subarray(30 + 1);
  let pushed = 0;
  const counting = (hear: (part: Uint8Array) => void) => {
    const inflate = new Inflate(hear);
    return { push: (packed: Uint8Array, isLast: boolean) => ((pushed += packed.length), inflate.push(packed, isLast)) };
  };
  expect(unpackWithin(content, 100, counting)).toBeNull();
  expect(content.length / pushed).toBeGreaterThan(2);
});
