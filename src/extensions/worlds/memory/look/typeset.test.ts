import { describe, expect, it } from 'vitest';
import type { Trajectory } from '../../../../records/trajectory.ts';
import { factsOf, shortened, shownNote } from './typeset.ts';

const problem = {
  given: {
    pieces: [' Ann in hall. Ben in den.', ' Max likes tea.', ' Ann has ball.'],
    facts: [' Ann in hall.', ' Ann has ball.'],
    conclusion: ' ball in hall.',
  },
};
const noted = (...texts: string[]) =>
  ({
    turns: texts.flatMap((text) => [
      { role: 'metaThinking', text },
      { role: 'reasoning', text: ' unknown' },
    ]),
  }) as Pick<Trajectory, 'turns'>;

describe('a relevant fact of a text', () => {
  it('is listed with its piece, and is kept if the newest note contains it or its consequence', () => {
    const kept = (trajectory: Pick<Trajectory, 'turns'> | null) =>
      factsOf(problem, trajectory)?.map(({ isKept }) => isKept);
    expect(factsOf(problem, null)?.map(({ text, piece }) => [text, piece])).toEqual([
      ['Ann in hall', 1],
      ['Ann has ball', 3],
    ]);
    expect(kept(null)).toEqual([null, null]);
    expect(kept(noted(' Ann in hall. Ben in den.'))).toEqual([true, false]);
    expect(kept(noted(' Ann in hall.', ' nothing.'))).toEqual([false, false]);
    expect(kept(noted(' ball in hall.'))).toEqual([true, true]);
    expect(factsOf({ given: null }, null)).toBeNull();
  });

  it('is kept if the last note of a single agent contains it, whatever the answer', () => {
    const own = [' Ann in hall.', ' Max in den.', ' Ann has ball.', ' hall'];
    const turns = own.map((text, round) => ({ role: 'reasoning', agent: 0, round, text }));
    expect(factsOf(problem, { turns } as unknown as Pick<Trajectory, 'turns'>)?.map(({ isKept }) => isKept)).toEqual([
      false,
      true,
    ]);
  });

  it('is whole or left out if a long text is shortened to its start and end', () => {
    const long = Array.from({ length: 80 }, (_, i) => ` Ann in hall${i}.`).join('');
    const short = shortened(long);
    expect(short).toMatch(/^ Ann in hall0\..*\. … Ann in hall\d+\..* Ann in hall79\.$/);
    expect(short.length).toBeLessThan(720);
    expect(shortened(' Ann in hall.')).toBe(' Ann in hall.');
  });
});

it.each([
  ['<text> Ann in hall. Tom likes tea.', 'Ann in hall. Tom likes tea.'],
  ['<recall> Kim in attic.<end>', 'called back: Kim in attic. · the text ends'],
  ['<recall> Ben in barn.<text> Ben in porch.', 'called back: Ben in barn. · Ben in porch.'],
  ['<end>', 'the text ends'],
  [' Ann in hall.', 'Ann in hall.'],
])('the note %s is shown without its special tokens', (text, shown) => expect(shownNote(text)).toBe(shown));
