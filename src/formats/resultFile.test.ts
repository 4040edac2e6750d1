import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../base/errors.ts';
import { presetConfig } from '../config/presets.ts';
import { withSettings } from '../config/parse.ts';
import type { Settings } from '../base/errors.ts';
import type { ClaimResult } from '../records/claims/result.ts';
import { claimDigest, readResultFile, writeResultFile } from './resultFile.ts';
import { writeRunFile } from './runFile.ts';

const result = (seed: number, claim = 'too-fast'): ClaimResult => ({
  ...{ claim, digest: 'a'.repeat(64), seed },
  ...{ values: [0.5, 0.75], backend: 'simd' },
});
const arm = (settings: Settings, label = 'an arm') => ({
  label,
  values: [],
  run: writeRunFile({
    ...{ preset: 'default', changes: [], imports: [] },
    config: withSettings(presetConfig('default'), settings),
  }),
});
const claim = (first: Settings, second: Settings = {}, label?: string) => ({
  arms: [arm(first, label), arm(second)] as [ReturnType<typeof arm>, ReturnType<typeof arm>],
  ...{ tokens: 120_000, measuredBy: 'accuracy' as const },
});

describe('a result file', () => {
  it('is read as it was written, in the order of claims and seeds', () => {
    const text = writeResultFile([result(3), result(1), result(2, 'collapse')]);
    expect(readResultFile(text)).toEqual([result(2, 'collapse'), result(1), result(3)]);
    expect(readResultFile(writeResultFile([]))).toEqual([]);
  });

  const written = JSON.parse(writeResultFile([result(1)])) as object;
  it.each([
    ['no JSON', 'format: 1', /^the result file: expected JSON/],
    ['something else', '{"runs": []}', /expected results of claims/],
    ['nothing', 'null', /expected results of claims/],
    [
      'another schema',
      JSON.stringify({ ...written, format: 2 }),
      /expected format 1, got 2; the file was written by another version/,
    ],
    [
      'a wrong seed',
      JSON.stringify({ ...written, results: [{ ...result(1), seed: 1.5 }] }),
      /results\.0\.seed: expected a whole number from 0, got 1\.5/,
    ],
    [
      'a wrong digest',
      JSON.stringify({ ...written, results: [result(1), { ...result(1), digest: 'b' }] }),
      /results\.1\.digest: expected a SHA-256/,
    ],
    [
      'a value too few',
      JSON.stringify({ ...written, results: [{ ...result(1), values: [1] }] }),
      /results\.0\.values\.1/,
    ],
    [
      'a value that is none',
      JSON.stringify({ ...written, results: [{ ...result(1), values: [1, null] }] }),
      /results\.0\.values\.1/,
    ],
  ])('with %s is refused in words', (_, text, message) => {
    expect(() => readResultFile(text)).toThrow(FormatError);
    expect(() => readResultFile(text)).toThrow(message);
  });

  it('of any text is read or refused with a FormatError', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((value) => JSON.stringify({ ...written, results: value })),
        ),
        (text) => {
          try {
            expect(Array.isArray(readResultFile(text))).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(FormatError);
          }
        },
      ),
    );
  });
});

describe('the digest of a claim', () => {
  it('depends on the settings, the limit and the measure, but not on names, seeds or evaluations', () => {
    const digest = claimDigest(claim({ 'kl.coef': 0.5 }));
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(claimDigest(claim({ 'kl.coef': 0.5, 'run.seed': 9, 'evaluation.every': 3 }, {}, 'other words'))).toBe(
      digest,
    );
    expect(claimDigest(claim({ 'kl.coef': 0.25 }))).not.toBe(digest);
    expect(claimDigest(claim({}, { 'kl.coef': 0.5 }))).not.toBe(digest);
    expect(claimDigest({ ...claim({ 'kl.coef': 0.5 }), tokens: 1 })).not.toBe(digest);
    expect(claimDigest({ ...claim({ 'kl.coef': 0.5 }), measuredBy: 'turns' })).not.toBe(digest);
  });

  it('is null if the page cannot run an arm', () => {
    const [first, second] = claim({}).arms;
    expect(claimDigest({ ...claim({}), arms: [first, { ...second, run: null }] })).toBeNull();
  });
});
