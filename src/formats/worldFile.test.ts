import { expect, it } from 'vitest';
import fc from 'fast-check';
import type { OwnWorld } from '../config/worlds/own.ts';
import { readWorldFile, writeWorldFile } from './worldFile.ts';

const world = (label: string, source: string) => ({ form: { label }, content: { kind: 'module', source } }) as OwnWorld;

it('a world file gives back the label and the content', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (label, source) => {
      expect(readWorldFile(writeWorldFile(world(label, source)))).toMatchObject({
        ...{ label, content: { kind: 'module', source } },
      });
    }),
  );
});

it('any other text is refused by a FormatError', () => {
  const whole = writeWorldFile(world('Mine', 'export const about = {};'));
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    fc.nat(whole.length - 1).map((length) => whole.slice(0, length)),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(() => readWorldFile(text)).toThrow(expect.objectContaining({ name: 'FormatError' }));
    }),
  );
});
