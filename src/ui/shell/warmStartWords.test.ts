import { expect, it } from 'vitest';
import { roughly, waitingWords } from './warmStartWords.ts';

it('an estimate is told in steps that a person would say, and never as no time at all', () => {
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

it('one that was stopped says how far it is and what is left, one that waits what it is for', () => {
  expect(waitingWords({ share: 0.34, msLeft: 61_000 }).detail).toBe(
    'the warm start stands at 34 %; Train goes on with it, about 1 min on this machine',
  );
  expect(waitingWords({ share: 0, msLeft: 120_000 }).detail).toContain('about 2 min on this machine; it is kept');
});
