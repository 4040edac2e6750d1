import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ConfigError } from '../base/errors.ts';
import { readTokenPlace, writeTokenPlace } from './tokenLink.ts';

const whole = (min: number) => fc.integer({ min, max: 99_999_999 });
const places = fc.record({ iteration: whole(1), group: whole(0), index: whole(0), turn: whole(0), token: whole(0) });

it('a place is read as it was written', () => {
  expect(writeTokenPlace({ iteration: 12, group: 3, index: 26, turn: 0, token: 2 })).toBe('#token=12/4/27/1/3');
  fc.assert(fc.property(places, (place) => void expect(readTokenPlace(writeTokenPlace(place))).toEqual(place)));
});

it('any text gives a place or null, or is refused with a message', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.string().map((text) => `#token=${text}`),
    fc.constant('#token=1/0/1/1/1'),
  );
  fc.assert(
    fc.property(texts, (text) => {
      try {
        const place = readTokenPlace(text);
        if (place) for (const part of Object.values(place)) expect(part).toBeGreaterThanOrEqual(0);
        else expect(text.replace(/^#/, '')).not.toMatch(/^token=/);
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
      }
    }),
  );
  expect(readTokenPlace('#dialogue')).toBeNull();
  expect(() => readTokenPlace('#token=12/4')).toThrow('as in #token=12/4/27/1/3, got');
  expect(() => readTokenPlace('#token=0/1/1/1/1')).toThrow(ConfigError);
});
