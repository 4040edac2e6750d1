import { expect, it } from 'vitest';
import { parseConfig } from '../config/parse.ts';
import type { ConfigInput } from '../config/schema.ts';
import { roughly, startWords, waitingWords, warmStartRange } from './warmStartWords.ts';

it('an estimate is rounded to natural durations, and is never zero', () => {
  const told = [0, 4_300, 42_000, 58_000, 97_000, 152_000, 361_000, 5_000_000].map(roughly);
  expect(told).toEqual([
    'about 1 s',
    'about 4 s',
    'about 40 s',
    'about 1 min',
    'about 1 min 30 s',
    'about 2 min 30 s',
    'about 6 min',
    'about 1 h 20 min',
  ]);
});

it('a stopped warm start states its progress and the remaining time, a waiting one its purpose', () => {
  expect(waitingWords({ share: 0.34, msLeft: 61_000 }).detail).toBe(
    '34 % of the learning from examples is done. “Train” continues from there, about 1 min on this machine.',
  );
  expect(waitingWords({ share: 0, msLeft: 120_000 }).detail).toContain('about 2 min on this machine, only once');
});

const range = (settings: ConfigInput) =>
  warmStartRange(parseConfig({ ...settings, warmStart: { source: 'train', ...settings.warmStart } }));

it('a range grows with level, size, steps and networks', () => {
  expect(range({ world: { level: 2 } })).toBe('½ to 3 min');
  expect(range({ world: { level: 4 } })).toBe('2 to 10 min');
  expect(range({ world: { level: 2 }, agents: { parameters: 'separate' } })).toBe('1 to 5 min');
  expect(range({ world: { level: 2 }, warmStart: { steps: 6000 } })).toBe('2 to 10 min');
  expect(range({ agents: { size: 'small' } })).toMatch(/^\d to \d\d min$/);
});

it('a range that is short on any machine is given as one duration', () => {
  expect(range({ agents: { size: 'micro' }, warmStart: { steps: 20 } })).toBe('about ½ min');
});

it('a run states its start: the warm start, random weights, or a model with its label if known', () => {
  const [one, other] = ['model-0123456789abcdef', 'model-fedcba9876543210'];
  const held = [
    { name: one, label: 'calm-otter after 40' },
    { name: other, label: 'quiet-wren after 100' },
  ];
  const said = (settings: ConfigInput, known = held) => startWords(parseConfig(settings), known);
  expect(said({})).toBe('its warm start');
  expect(said({ warmStart: { source: 'none' } })).toBe('random first weights');
  expect(said({ agents: { start: one } })).toBe('calm-otter after 40');
  expect(said({ agents: { start: one } }, [])).toBe('weights of another run or of a file');
  const apart = (otherStart: string) => said({ agents: { parameters: 'separate', start: one, otherStart } });
  expect(apart('same')).toBe('calm-otter after 40');
  expect(apart(one)).toBe('calm-otter after 40');
  expect(apart(other)).toBe('calm-otter after 40, quiet-wren after 100');
  expect(apart('warmStart')).toBe('calm-otter after 40, its warm start');
  // One network has one start.
  expect(said({ agents: { start: one, otherStart: other } })).toBe('calm-otter after 40');
});
