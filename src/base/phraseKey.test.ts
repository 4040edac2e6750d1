import { expect, test } from 'vitest';
import german from '../../messages/page/de.json';
import { phraseKey, shortKeys } from './phraseKey.ts';
import { translationIn } from './spoken.ts';

test('the texts of the page have different keys, of at most seven signs', () => {
  const texts = Object.keys(german);
  const keys = texts.map(phraseKey);
  expect(new Set(keys).size).toBe(texts.length);
  expect(keys.filter((key) => !/^[0-9a-z]{1,7}$/.test(key))).toEqual([]);
});

test('a text is found by its key where the catalogue has keys, and by itself elsewhere', () => {
  const whole = { Share: 'Teilen' };
  const short = { [shortKeys]: '', [phraseKey('Share')]: 'Teilen' };
  expect([whole, short].map((known) => translationIn(known, 'Share'))).toEqual(['Teilen', 'Teilen']);
  expect([whole, short].map((known) => translationIn(known, 'toString'))).toEqual([undefined, undefined]);
  expect(translationIn(short, phraseKey('Share'))).toBeUndefined();
});
