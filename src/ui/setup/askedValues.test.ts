import { expect, it } from 'vitest';
import { AskedValues } from './askedValues.svelte.ts';

it('the newest set value is shown until the run reports it, even if the run reports earlier ones', () => {
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

it('a value that was set elsewhere replaces the set values, and leaving the control drops them', () => {
  const asked = new AskedValues<number>();
  asked.ask(1);
  asked.follow(7);
  expect(asked.newest).toBeUndefined();
  asked.ask(2);
  asked.drop();
  expect(asked.newest).toBeUndefined();
});
