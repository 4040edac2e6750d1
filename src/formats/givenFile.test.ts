import { expect, it } from 'vitest';
import { readLlama } from './llama/readLlama.ts';
import { ggufShapeOf, sampleGguf } from './gguf/testing/sampleGguf.ts';
import { heldFile, toldFiles } from './givenFile.ts';

it('reading a model reports a rising number of read bytes, and nearly the whole file at the end', async () => {
  const whole = sampleGguf({ shape: ggufShapeOf(), format: 'Q8_0' });
  const heard: number[] = [];
  const files = toldFiles([heldFile('theirs.gguf', whole)], (read, all) => {
    heard.push(read);
    expect(all).toBe(whole.length);
  });
  await readLlama(files);
  expect(heard.length).toBeGreaterThan(10);
  expect(heard).toEqual(heard.toSorted((a, b) => a - b));
  // Between the tensors of a file there may be a few unused bytes.
  expect(heard.at(-1)).toBeGreaterThan(0.99 * whole.length);
  expect(heard.at(-1)).toBeLessThanOrEqual(whole.length);
});

it('several files report the sum of their bytes, and repeated reads count at most the size of a file', async () => {
  const heard: number[][] = [];
  const [one, two] = toldFiles([heldFile('a', new Uint8Array(10)), heldFile('b', new Uint8Array(30))], (...told) =>
    heard.push(told),
  );
  await one?.bytes();
  await one?.range(2, 9);
  await two?.range(0, 5);
  expect(heard).toEqual([
    [10, 40],
    [10, 40],
    [15, 40],
  ]);
});
