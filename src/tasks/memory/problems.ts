// Which texts are asked. Most of a text is beside the point; of what matters, one fact says where somebody is, and a second
// one, where there are two, who has the thing that is asked for. A hash of text and question parts training from held-out.
import { Draws, streams } from '../../base/random.ts';
import type { Problem } from '../../records/problem.ts';
import { splitOf } from '../splits.ts';
import type { Split } from '../world.ts';
import { factsOfPiece, levelOf, placesOfPiece, type Level } from './levels.ts';
import { dishes, persons, rooms, things } from './vocabulary.ts';

/** What shares right are told apart by, as in the form: whether something that matters stands in the last piece. */
const slices = ['last', 'kept'] as const;
type Slice = (typeof slices)[number];

export const placeOf = (who: string, room: string) => ` ${who} in ${room}.`;
const ownerOf = (who: string, thing: string) => ` ${who} has ${thing}.`;

/** The pieces in which the facts stand, in the order of `facts`. */
function drawPlaces({ pieces, apart }: Level, draws: Draws, slice: Slice): number[] {
  for (;;) {
    const first = draws.below(pieces);
    const second = apart ? draws.below(pieces) : first;
    const gap = apart?.least === 0 ? Math.abs(second - first) : second - first;
    const isLast = Math.max(first, second) === pieces - 1;
    if (apart && (gap < apart.least || gap > apart.most)) continue;
    if (isLast === (slice === 'last')) return apart ? [first, second] : [first];
  }
}

/** A fact beside the point, about neither the person nor the thing that matters. */
function drawOther(draws: Draws, { who, thing, isPlace }: { who: string; thing: string; isPlace: boolean }): string {
  const other = draws.pick(persons.filter((name) => name !== who));
  if (isPlace) return placeOf(other, draws.pick(rooms));
  return draws.below(3) === 0
    ? ownerOf(other, draws.pick(things.filter((name) => name !== thing)))
    : ` ${other} likes ${draws.pick(dishes)}.`;
}

function drawText(level: Level, draws: Draws, slice: Slice) {
  const [who, thing, room] = [draws.pick(persons), draws.pick(things), draws.pick(rooms)];
  const facts = [placeOf(who, room), ...(level.apart ? [ownerOf(who, thing)] : [])];
  const places = drawPlaces(level, draws, slice);
  const pieces = Array.from({ length: level.pieces }, (_, at) => {
    const own = facts.filter((__, i) => places[i] === at);
    // What matters counts among the places of its piece, so that a note can hold them all.
    const others = 1 + draws.below(placesOfPiece) - (own.includes(facts[0] as string) ? 1 : 0);
    const rest = Array.from({ length: factsOfPiece - own.length }, (__, i) =>
      drawOther(draws, { who, thing, isPlace: i < others }),
    );
    return draws.shuffle([...own, ...rest]).join('');
  });
  const asked = level.apart ? thing : who;
  return { pieces, facts, conclusion: placeOf(asked, room), question: ` Where is ${asked}?`, room };
}

/** One problem of a split, with or without something that matters in its last piece. */
export function drawProblem(level: number, draws: Draws, split: Split, slice = draws.pick(slices)): Problem {
  for (;;) {
    const { pieces, facts, conclusion, question, room } = drawText(levelOf(level, split), draws, slice);
    const text = pieces.join('');
    if (split !== 'harder' && splitOf(`${question}${text}`) !== split) continue;
    return {
      ...{ id: `${question.trim()}${text}`, world: 'memory', level, shown: question.trim() },
      ...{ hidden: { text: text.trim() }, answer: room, slice, given: { pieces, facts, conclusion } },
    };
  }
}

/** The fixed problems of the evaluation: the same in every run, each slice as often as the other, none twice. */
export function heldOutProblems(level: number, count: number): Problem[] {
  const draws = new Draws(0, streams.heldOut, level);
  const found = new Map<string, Problem>();
  while (found.size < count) {
    const problem = drawProblem(level, draws, 'heldOut', slices[found.size % 2]);
    found.set(problem.id, problem);
  }
  return [...found.values()];
}

/** Share right at most: all for who sees the text, else that of any room, since each is drawn as often as the next. */
export const ceiling = (_: number, sees: readonly string[]): number => (sees.includes('text') ? 1 : 1 / rooms.length);
