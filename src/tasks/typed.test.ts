// Tests the problems that visitors type, in every world that accepts such problems.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../base/errors.ts';
import { Draws, streams } from '../base/random.ts';
import type { Problem } from '../records/problem.ts';
import { worlds } from './registry.ts';
import type { Utterance } from './world.ts';

const reading = Object.values(worlds).filter(({ read }) => read);

/**
 * A problem without its files, because visitors do not type files. If the question is about a file, the goals, the id
 * and the answer are removed as well, because they depend on the file.
 */
function seenOf(problem: Problem): object {
  const { files, goals, ...given } = (problem.given ?? {}) as { files?: unknown; goals?: unknown };
  if (!files) return problem;
  const hangsOnFile = problem.hidden['question']?.includes(' file ');
  return {
    ...problem,
    given: { ...given, ...(!hangsOnFile && { goals }) },
    ...(hangsOnFile && { id: '', answer: '' }),
  };
}

describe.each(reading.map((world) => [world.label, world] as const))('%s', (_, world) => {
  const read = world.read as NonNullable<typeof world.read>;
  // Parts of real problems in random order, which result in texts that are almost problems.
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
  // In the world of tools, an answer that is a word begins with a space. Numbers, and the answers of other worlds, do
  // not.
  const blankBefore = (answer: string) => (world === worlds.tools && /^[a-z]/i.test(answer) ? ' ' : '');
  const sayingOf = ({ answer }: Problem): Utterance => ({
    role: 'reasoning',
    text: blankBefore(answer) + answer,
    isFinish: false,
  });
  const signs = Object.keys({ ...world.signs }).filter((sign) => sign.length === 1);

  it('explains how a problem is typed', () => expect(world.typed?.hint).toMatch(/\.”?$/));

  it('reads every drawn problem unchanged', () => {
    for (const { level } of world.levels) {
      const draws = new Draws(5, streams.problems, level);
      for (let i = 0; i < 200; i++) {
        const problem = world.draw(level, draws, i % 2 ? 'training' : 'heldOut');
        expect(seenOf(read(problem, level))).toEqual(seenOf(problem));
      }
    }
  });

  it('reads any other text as a problem with a right answer, or refuses it with a message', async () => {
    const text = fc.string({ unit: fc.constantFrom(...'0123456789xy+-;= ', ...signs), maxLength: 16 });
    const any = fc.oneof(text, pieced, fc.string());
    const level = fc.constantFrom(...world.levels.map((described) => described.level));
    // A walk over a map is judged by its moves, but its answer contains only the place where it ends.
    const drawn = world.draw(world.levels[0]?.level ?? 1, new Draws(5, streams.problems, 1), 'training');
    const { isRight: isSaid } = await world.judge(drawn, sayingOf(drawn));
    await fc.assert(
      fc.asyncProperty(any, fc.tuple(...hidden).map(Object.fromEntries), level, async (shown, texts, at) => {
        try {
          const problem = read({ shown, hidden: texts as Record<string, string> }, at);
          if (isSaid) expect(await world.judge(problem, sayingOf(problem))).toMatchObject({ isRight: true, score: 1 });
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
