// What visitors type, in every world that reads it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../base/errors.ts';
import { Draws, streams } from '../base/random.ts';
import { worlds } from './registry.ts';

const reading = Object.values(worlds).filter(({ read }) => read);

describe.each(reading.map((world) => [world.label, world] as const))('%s', (_, world) => {
  const read = world.read as NonNullable<typeof world.read>;
  const hidden = world.hidden.map(({ name, words = {} }) =>
    fc.constantFrom(...Object.keys(words), '').map((text) => [name, text] as const),
  );
  const signs = Object.keys({ ...world.signs }).filter((sign) => sign.length === 1);

  it('says how a problem is typed', () => expect(world.typed?.hint).toMatch(/\.$/));

  it('reads every problem that it draws as that problem', () => {
    for (const { level } of world.levels) {
      const draws = new Draws(5, streams.problems, level);
      for (let i = 0; i < 200; i++) {
        const problem = world.draw(level, draws, i % 2 ? 'training' : 'heldOut');
        expect(read(problem, level)).toEqual(problem);
      }
    }
  });

  it('reads any other text as a problem with an answer, or refuses it in words', () => {
    const text = fc.string({ unit: fc.constantFrom(...'0123456789xy+-;= ', ...signs), maxLength: 16 });
    const any = fc.oneof(text, fc.string());
    const level = fc.constantFrom(...world.levels.map((described) => described.level));
    fc.assert(
      fc.property(any, fc.tuple(...hidden).map(Object.fromEntries), level, (shown, texts, at) => {
        try {
          const problem = read({ shown, hidden: texts as Record<string, string> }, at);
          expect(problem.answer).toMatch(/\d/);
          expect(read(problem, at)).toEqual(problem);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(FormatError);
          expect((thrown as Error).message).toMatch(/^the \w+: .*[.]$/su);
        }
      }),
      { numRuns: 400 },
    );
  });
});
