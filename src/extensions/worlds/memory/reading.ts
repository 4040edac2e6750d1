// Reads texts that a user types. Such a text must consist of facts that occur in texts of this world. The text is
// converted to a problem, or refused with a reason.
import { FormatError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import type { Problem } from '../../../records/problem.ts';
import { quote } from '../../../tasks/words.ts';
import type { TypedProblem } from '../../../tasks/world.ts';
import { levelOf } from './levels.ts';
import { ownerOf, placeOf } from './problems.ts';
import { dishes, persons, rooms, things } from './vocabulary.ts';

const parts = {
  question: () => spoken`the question`,
  text: () => spoken`the text`,
};
const refuse = (what: keyof typeof parts, why: string) => new FormatError(`${parts[what]()}: ${why}.`);
const plain = (text: string) => text.trim().replaceAll(/\s+/g, ' ');
const anyOf = (words: readonly string[]) => `(?:${words.join('|')})`;
const fact = new RegExp(`^ ${anyOf(persons)} (?:in ${anyOf(rooms)}|has ${anyOf(things)}|likes ${anyOf(dishes)})\\.$`);

/**
 * Reads a text and a question about it. Throws FormatError if the text or the question is not possible on this level;
 * the message says why.
 */
export function readProblem({ shown, hidden }: TypedProblem, level: number): Problem {
  const { facts: length, apart } = levelOf(level);
  const { pieces: most } = levelOf(level, 'harder');
  const names: readonly string[] = apart ? things : persons;
  const asked = names.find((one) => plain(shown) === `Where is ${one}?`);
  if (!asked)
    throw refuse(
      'question',
      spoken`expected “Where is ${names[0] ?? ''}?” with one of ${names.join(', ')}, got “${quote(plain(shown))}”`,
    );
  const told =
    plain(hidden['text'] ?? '')
      .match(/[^.]+\.?/g)
      ?.map((one) => ` ${one.trim().replace(/\.$/, '')}.`) ?? [];
  const odd = told.find((one) => !fact.test(one));
  if (odd !== undefined)
    throw refuse(
      'text',
      spoken`expected “Ann in hall”, “Ann has key” or “Ann likes tea”, with words from ${[...persons, ...rooms, ...things, ...dishes].join(', ')}, got “${quote(odd.trim())}”`,
    );
  if (told.length > most * length)
    throw refuse('text', spoken`this level allows at most ${most * length} facts, got ${told.length}; leave some out`);

  const who = apart ? only(persons, (one) => told.includes(ownerOf(one, asked)), spoken`who has ${asked}`) : asked;
  const room = only(rooms, (one) => told.includes(placeOf(who, one)), spoken`where ${who} is`);
  const facts = [placeOf(who, room), ...(apart ? [ownerOf(who, asked)] : [])];
  const twice = facts.find((one) => told.indexOf(one) !== told.lastIndexOf(one));
  if (twice !== undefined)
    throw refuse('text', spoken`the same fact occurs twice:${twice.slice(0, -1)}; remove one copy`);
  const pieces = Array.from({ length: Math.ceil(told.length / length) }, (_, at) =>
    told.slice(at * length, (at + 1) * length),
  );
  const isLast = facts.some((one) => pieces.at(-1)?.includes(one));
  const text = told.join('');
  return {
    ...{ id: `Where is ${asked}?${text}`, world: 'memory', level, shown: `Where is ${asked}?` },
    ...{ hidden: { text: text.trim() }, answer: room, slice: isLast ? 'last' : 'kept' },
    given: { pieces: pieces.map((piece) => piece.join('')), facts, conclusion: placeOf(asked, room) },
  };
}

/** The only one of these words that occurs in the text; throws if none or several of these words occur. */
function only(words: readonly string[], isSaid: (word: string) => boolean, what: string): string {
  const [word, other] = words.filter(isSaid);
  if (word === undefined) throw refuse('text', spoken`no fact says ${what}; add such a fact`);
  if (other !== undefined) throw refuse('text', spoken`the facts disagree about ${what}; remove one of these facts`);
  return word;
}
