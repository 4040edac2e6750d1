// What visitors type, in every world that reads it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../base/errors.ts';
import { Draws, streams } from '../base/random.ts';
import { worlds } from './registry.ts';
import type { Spoken } from './world.ts';

const reading = Object.values(worlds).filter(({ read }) => read);

describe.each(reading.map((world) => [world.label, world] as const))('%s', (_, world) => {
  const read = world.read as NonNullable<typeof world.read>;
  // Words of its problems in any order: what nearly is one.
  const draws = new Draws(1, streams.problems, 1);
  const drawn = Array.from({ length: 20 }, () => world.draw(1, draws, 'training'));
  const pieces = drawn.flatMap(({ shown, hidden }) =>
    [shown, ...Object.values(hidden)].flatMap((one) => one.split(/(?<=[.?;])/)),
  );
  const pieced = fc.array(fc.constantFrom(...pieces), { maxLength: 4 }).map((some) => some.join(' '));
  const hidden = world.hidden.map(({ name, words }) =>
    (words ? fc.constantFrom(...Object.keys(words), '') : fc.oneof(pieced, fc.string())).map(
      (text) => [name, text] as const,
    ),
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

  it('reads any other text as a problem that its answer solves, or refuses it in words', async () => {
    const text = fc.string({ unit: fc.constantFrom(...'0123456789xy+-;= ', ...signs), maxLength: 16 });
    const any = fc.oneof(text, pieced, fc.string());
    const level = fc.constantFrom(...world.levels.map((described) => described.level));
    await fc.assert(
      fc.asyncProperty(any, fc.tuple(...hidden).map(Object.fromEntries), level, async (shown, texts, at) => {
        try {
          const problem = read({ shown, hidden: texts as Record<string, string> }, at);
          const answer: Spoken = { role: 'reasoning', text: problem.answer, isFinish: false };
          expect(await world.judge(problem, answer)).toMatchObject({ isRight: true, score: 1 });
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
