import { expect, it } from 'vitest';
import { parseConfig } from '../config/parse.ts';
import type { ConfigInput } from '../config/schema.ts';
import { warmStartRange } from './warmStartRange.ts';

const range = (settings: ConfigInput) =>
  warmStartRange(parseConfig({ ...settings, warmStart: { source: 'train', ...settings.warmStart } }));

it('grows with level, size, steps and networks', () => {
  expect(range({ world: { level: 2 } })).toBe('½ to 3 min');
  expect(range({ world: { level: 4 } })).toBe('2 to 10 min');
  expect(range({ world: { level: 2 }, agents: { parameters: 'separate' } })).toBe('1 to 5 min');
  expect(range({ world: { level: 2 }, warmStart: { steps: 6000 } })).toBe('2 to 10 min');
  expect(range({ agents: { size: 'small' } })).toMatch(/^\d to \d\d min$/);
});

it('that is short on any machine is told as one time', () => {
  expect(range({ agents: { size: 'micro' }, warmStart: { steps: 20 } })).toBe('about ½ min');
});
