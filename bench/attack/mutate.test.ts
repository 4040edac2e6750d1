import { expect, it } from 'vitest';
import { drawsOf, mutateBytes, mutateRecord, mutateText } from './mutate.ts';

const text = 'format: 1\npreset: micro\nlearning:\n  clipHigh: 0.3\n';
const bytes = Uint8Array.from({ length: 64 }, (_, i) => i);
const record = { name: 'calm-otter', changes: [{ iteration: 3, value: 0.3 }], values: Float32Array.of(1, 2) };
const indices = Array.from({ length: 200 }, (_, i) => i);

const damages = [
  ['texts', (index: number, seed = 5) => mutateText(text, 'other words', drawsOf(seed, 1, index))],
  ['bytes', (index: number, seed = 5) => String(mutateBytes(bytes, drawsOf(seed, 1, index)))],
  ['records', (index: number, seed = 5) => mutateRecord(record, drawsOf(seed, 1, index))],
] as const;

it.each(damages)('%s: one seed always gives the same damage, and few inputs stay undamaged', (_, damage) => {
  const first = indices.map((index) => damage(index));
  expect(indices.map((index) => damage(index))).toEqual(first);
  expect(indices.map((index) => damage(index, 6))).not.toEqual(first);
  const whole = [text, String(bytes), record];
  const same = first.filter((mutant) => whole.some((one) => JSON.stringify(one) === safeJson(mutant)));
  expect(same.length).toBeLessThan(indices.length / 5);
});

it('the original input is not changed', () => {
  const before = structuredClone({ record, bytes });
  for (const index of indices) {
    mutateRecord(record, drawsOf(1, 2, index));
    mutateBytes(bytes, drawsOf(1, 3, index));
  }
  expect({ record, bytes }).toEqual(before);
});

/** Returns the value as JSON if possible. Damage may create cycles and numbers that JSON cannot represent. */
function safeJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
