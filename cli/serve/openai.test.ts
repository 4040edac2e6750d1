// What of a request is understood.
import { expect, it } from 'vitest';
import { readAsked, told } from './openai.ts';

it.each([
  ['', []],
  [['', '\n'], ['\n']],
])('of the texts to stop at %j those that are empty are left out', (stop, kept) => {
  const asked = readAsked('text', { prompt: 'a', stop }, 0);
  expect(asked.stop).toEqual(kept);
  expect(told({ tokens: ['4', '2'], logprobs: [-1, -1], isEnded: true }, asked.stop).text).toBe('42');
});
