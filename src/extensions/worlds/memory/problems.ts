// Determines which texts occur in problems. Most of a text is irrelevant. One relevant fact says where a person is. If
// there are two relevant facts, the second says who has the thing in the question. A hash of the text and the question
// determines whether a problem is used for training or held out.
import { Draws, streams, type RandomNumbers } from '../../../base/random.ts';
import type { Problem } from '../../../records/problem.ts';
import { noneTwice, splitOf } from '../../../tasks/splits.ts';
import type { Split } from '../../../tasks/world.ts';
import { levelOf, type MemoryLevel } from './levels.ts';
import { dishes, persons, rooms, things } from './vocabulary.ts';

/**
 * The slices for which accuracy is reported separately, with the names that form.ts uses. A slice states whether the
 * last piece contains a relevant fact.
 */
const slices = ['last', 'kept'] as const;
type Slice = (typeof slices)[number];

export const placeOf = (who: string, room: string) => ` ${who} in ${room}.`;
export const ownerOf = (who: string, thing: string) => ` ${who} has ${thing}.`;

/**
 * Whether the relevant facts may be in these two pieces of a text of this slice. If there is only one relevant fact,
 * both pieces are the same.
 */
function mayStand({ pieces, apart }: MemoryLevel, slice: Slice, [first, second]: readonly [number, number]): boolean {
  if ((Math.max(first, second) === pieces - 1) !== (slice === 'last')) return false;
  if (apart === null) return first === second;
  const gap = apart.least === 0 ? Math.abs(second - first) : second - first;
  if (gap < apart.least || gap > apart.most) return false;
  // If the two facts are far apart, the second one is in the second half of the text. Before that, the reader sees many
  // facts that state where a person is, and the reader cannot know which of these facts is relevant.
  return apart.least <= 1 || second >= pieces / 2;
}

/** Draws the pieces that contain the relevant facts, in the order of `facts`. */
function drawPlaces(level: MemoryLevel, draws: RandomNumbers, slice: Slice): number[] {
  for (;;) {
    const first = draws.below(level.pieces);
    const second = level.apart ? draws.below(level.pieces) : first;
    if (mayStand(level, slice, [first, second])) return level.apart ? [first, second] : [first];
  }
}

/** An irrelevant fact, which concerns neither the person nor the thing in the question. */
function drawOther(
  draws: RandomNumbers,
  { who, thing, isPlace }: { who: string; thing: string; isPlace: boolean },
): string {
  const other = draws.pick(persons.filter((name) => name !== who));
  if (isPlace) return placeOf(other, draws.pick(rooms));
  return draws.below(3) === 0
    ? ownerOf(other, draws.pick(things.filter((name) => name !== thing)))
    : ` ${other} likes ${draws.pick(dishes)}.`;
}

function drawText(level: MemoryLevel, draws: RandomNumbers, slice: Slice) {
  const [who, thing, room] = [draws.pick(persons), draws.pick(things), draws.pick(rooms)];
  const facts = [placeOf(who, room), ...(level.apart ? [ownerOf(who, thing)] : [])];
  const places = drawPlaces(level, draws, slice);
  const pieces = Array.from({ length: level.pieces }, (_, at) => {
    const own = facts.filter((__, i) => places[i] === at);
    // The number of statements about where a person is includes the relevant statement, so that a note has room for all
    // these statements.
    const others = 1 + draws.below(level.places) - (own.includes(facts[0] as string) ? 1 : 0);
    const rest = Array.from({ length: level.facts - own.length }, (__, i) =>
      drawOther(draws, { who, thing, isPlace: i < others }),
    );
    return draws.shuffle([...own, ...rest]).join('');
  });
  const asked = level.apart ? thing : who;
  return { pieces, facts, conclusion: placeOf(asked, room), question: ` Where is ${asked}?`, room };
}

/** One problem of a split, with or without a relevant fact in its last piece. */
export function drawProblem(level: number, draws: RandomNumbers, split: Split, slice = draws.pick(slices)): Problem {
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

/**
 * The fixed problems of the evaluation. The problems are the same in every run, all different, and belong to both
 * slices equally often.
 */
export function heldOutProblems(level: number, count: number): Problem[] {
  const draws = new Draws(0, streams.heldOut, level);
  return noneTwice(count, (at) => drawProblem(level, draws, 'heldOut', slices[at % 2]));
}

/**
 * The maximum accuracy. The maximum is 1 for an agent that sees the text. For other agents it is 1 divided by the
 * number of rooms, because all rooms are drawn equally often.
 */
export const ceiling = (_: number, sees: readonly string[]): number => (sees.includes('text') ? 1 : 1 / rooms.length);

/**
 * The maximum accuracy of a reader that recalls nothing, whose note contains one whole fact, and that guesses the room
 * if this fact is irrelevant. The accuracy is computed for the best strategy, that is, the best choice of when to
 * replace the fact in the note, and averaged over all pieces that may contain the relevant facts.
 */
export function keepingCeiling(level: number, split: Split): number {
  const asked = levelOf(level, split);
  const numbers = Array.from({ length: asked.pieces }, (_, n) => n);
  const known = numbers.map(() => numbers.map(() => 0));
  let atHand = 0;
  for (const slice of slices) {
    const pairs = numbers
      .flatMap((first) => numbers.map((second): [number, number] => [first, second]))
      .filter((pair) => mayStand(asked, slice, pair));
    for (const [first, second] of pairs) {
      const share = 1 / slices.length / pairs.length;
      if (first >= second) atHand += share;
      else (known[first] as number[])[second] = (known[first]?.[second] ?? 0) + share;
    }
  }
  // The best expected accuracy from piece `at` on, for each piece from which the fact in the current note may come. The
  // fact is either kept, or replaced by a fact from piece `at`.
  let best = numbers.map(() => 0);
  for (const at of [...numbers].reverse()) {
    const retaken = best[at] ?? 0;
    best = numbers.map((kept) => (known[kept]?.[at] ?? 0) + Math.max(best[kept] as number, retaken));
  }
  const right = atHand + (best[0] as number);
  return right + (1 - right) / rooms.length;
}
