import fc from 'fast-check';
import { expect, it } from 'vitest';
import { endKind, stretchesOf, type EndKind } from './ends.ts';

it('a dialogue that never finished is neither right nor wrong', () => {
  expect(endKind({ isRight: true, finishCode: 0 })).toBe('right');
  expect(endKind({ isRight: false, finishCode: 0 })).toBe('wrong');
  expect(endKind({ isRight: true, finishCode: 2 })).toBe('unfinished');
});

it('stretches cover every position once, in order, and neighbours differ', () => {
  const kinds = fc.array(fc.constantFrom<EndKind>('right', 'wrong', 'unfinished'));
  fc.assert(
    fc.property(kinds, (all) => {
      const stretches = stretchesOf(all);
      expect(stretches.flatMap(({ kind, count }) => Array<EndKind>(count).fill(kind))).toEqual(all);
      expect(stretches.map(({ from }) => from)).toEqual(
        stretches.map((_, i) => stretches.slice(0, i).reduce((sum, { count }) => sum + count, 0)),
      );
      for (const [i, { kind }] of stretches.entries()) expect(stretches[i + 1]?.kind).not.toBe(kind);
    }),
  );
});
