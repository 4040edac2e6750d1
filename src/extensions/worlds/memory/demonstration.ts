// Dialogues to imitate in the warm start. The reader notes the fact that the question is about or, if there are two
// facts, every statement about where a person is. As soon as the reader can see both facts, it writes the conclusion
// into its note and keeps it there. Some readers forget: from a random piece on, they note only where some person is,
// even if the question is about another person. The setting `goodPlans` determines how many readers do not forget. The
// other readers are not optimal, so reinforcement learning can still improve the agents.
import type { RandomNumbers } from '../../../base/random.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Demonstrate, ShownMessage } from '../../../tasks/contract/worldModule.ts';
import { givenOf, opened, pieceAt, readOn, type NotesState } from './notes.ts';
import { nothing, rooms, signs, unknown } from './vocabulary.ts';

/** The messages in the order in which they are sent. The messages never exceed the limits of the level. */
export const demonstrate: Demonstrate = (draws, problem, { goodPlans, resultNoise }, { roles }) => {
  const { pieces, conclusion } = givenOf(problem);
  const forgetsFrom = draws.next() < goodPlans ? Infinity : draws.below(pieces.length + 1);
  const out: ShownMessage[] = [];
  let now = opened;
  for (let round = 0; round <= pieces.length; round++) {
    const note = round < forgetsFrom ? goodNote(problem, now) : anyPlace(pieceAt(problem, now), draws);
    now = readOn(now, note);
    const known = note.includes(conclusion) ? ` ${problem.answer}` : unknown;
    const answer = draws.next() < resultNoise ? ` ${draws.pick(rooms)}` : known;
    // If there is only one agent, the agent answers instead of writing a last note.
    const said = roles.length > 1 ? [note, answer] : [round < pieces.length ? note : answer];
    for (const [agent, text] of said.entries()) out.push({ agent, round, text });
  }
  return out;
};

const placesOf = (text: string) => text.match(/ [A-Z][a-z]+ in [a-z]+\./g) ?? [];
/** All statements in a text about where a person is. */
const placesIn = (text: string): string => placesOf(text).join('');

/** A statement about where some person is, who need not be the person in the question. */
const anyPlace = (piece: string, draws: RandomNumbers): string => {
  const places = placesOf(piece);
  return places.length > 0 ? draws.pick(places) : nothing;
};

/** The note of a reader that does not forget relevant facts. */
function goodNote(problem: Problem, now: NotesState): string {
  const { facts, conclusion } = givenOf(problem);
  const [piece, newest] = [pieceAt(problem, now), now.notes.at(-1) ?? ''];
  const inView = newest + now.back + piece;
  if (inView.includes(conclusion) || facts.every((fact) => inView.includes(fact))) return conclusion;
  const owner = facts[1];
  if (owner === undefined) return nothing;
  if (piece.includes(owner)) return `${owner}${signs.recall}${owner.split(' has')[0]}`;
  return newest.includes(owner) ? owner : placesIn(piece) || nothing;
}
