// Tests the titles of problems on the page, for worlds in which the text of a problem alone would not be clear to
// newcomers.
import { afterAll, describe, expect, it } from 'vitest';
import { Language } from '../../state/visitor/language.svelte.ts';
import { problemView } from './look.ts';

const headline = (world: string, shown: string) =>
  problemView({ id: 'one', world, level: 1, shown, hidden: {} } as unknown as Parameters<typeof problemView>[0], [])
    .headline;

describe('the title of a problem', () => {
  const language = new Language();
  afterAll(() => language.choose('en'));

  it.each([
    ['tools', '2 calls', 'Answer with at most 2 tool calls', 'Mit höchstens 2 Aufrufen von Werkzeugen antworten'],
    ['tools', '1 calls', 'Answer with at most 1 tool call', 'Mit höchstens 1 Aufruf von Werkzeugen antworten'],
    ['grid', 'b1', 'Find the treasure from b1', 'Den Schatz finden, von b1 aus'],
    ['code', 'f(xs)', 'Write the function f(xs)', 'Die Funktion f(xs) schreiben'],
  ])('of %s is a sentence, not %s', async (world, shown, english, german) => {
    await language.choose('en');
    expect(headline(world, shown)).toBe(english);
    await language.choose('de');
    expect(headline(world, shown)).toBe(german);
  });

  it('is the problem itself if this is clear enough', async () => {
    await language.choose('en');
    expect(headline('memory', 'Where is coat?')).toBe('Where is coat?');
    expect(headline('houseRule', '7-4*2')).toBe('7 − 4 × 2');
  });
});
