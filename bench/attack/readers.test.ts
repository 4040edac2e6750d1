import { describe, expect, it } from 'vitest';
import { attackReader, readerNames } from './readers.ts';

/** `npm run attack -- readers --inputs 100000` tries more inputs, with limits of time and memory. */
const plan = { seed: 7, inputs: 200, forMs: 3000, isBrief: true };

describe('some hundred damaged inputs are read or refused with a named error:', () => {
  it.each(readerNames.map((name, part) => [name, part] as const))('%s', async (_, part) => {
    const { count, faults } = await attackReader(part, plan);
    expect(faults).toEqual([]);
    expect(count).toBeGreaterThan(0);
  });
});
