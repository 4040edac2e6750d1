import { expect, it } from 'vitest';
import { AskedValues } from './askedValues.svelte.ts';

it('the newest value that was set stays until the run reports it, whatever it reports of the earlier ones', () => {
  const asked = new AskedValues<number>();
  for (const value of [0.21, 0.22, 0.23]) asked.ask(value);
  asked.follow(0.21);
  expect(asked.newest).toBe(0.23);
  asked.ask(0.24);
  asked.follow(0.23);
  expect(asked.newest).toBe(0.24);
  asked.follow(0.24);
  expect(asked.newest).toBeUndefined();
});

it('a value that nobody set here replaces those that were, as does leaving the control', () => {
  const asked = new AskedValues<number>();
  asked.ask(1);
  asked.follow(7);
  expect(asked.newest).toBeUndefined();
  asked.ask(2);
  asked.drop();
  expect(asked.newest).toBeUndefined();
});
