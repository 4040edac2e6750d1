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

describe('what matters of a text', () => {
  it('stands with its piece, and is kept where the newest note holds it or what follows', () => {
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

  it('is kept in the last note of one agent alone, whatever it answers after that', () => {
    const own = [' Ann in hall.', ' Max in den.', ' Ann has ball.', ' hall'];
    const turns = own.map((text, round) => ({ role: 'reasoning', agent: 0, round, text }));
    expect(factsOf(problem, { turns } as unknown as Pick<Trajectory, 'turns'>)?.map(({ isKept }) => isKept)).toEqual([
      false,
      true,
    ]);
  });

  it('is shown with the head and the tail of a long text, whole facts each', () => {
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
])('shows %s without its marks', (text, shown) => expect(shownNote(text)).toBe(shown));
