// Makes the small knowledge bases and searches them. All knowledge bases are about the same people and towns, but
// contain different facts about them, so agents cannot answer from memory. A search ranks facts by TF-IDF (Salton &
// Buckley 1988). For each word of the query, the number of times that a fact contains the word is multiplied by a
// measure of how rare the word is among all facts. All facts have about the same length, so there is no normalisation
// by length.
import { Draws, streams, type RandomNumbers } from '../../../base/random.ts';
import { splitOf } from '../../../tasks/splits.ts';
import type { Split } from '../../../tasks/world.ts';
import { jobs, persons, rivers, things, towns } from './vocabulary.ts';

/** The numbers that occur as ages and in files. All have two digits. */
export const numbers: readonly number[] = Array.from({ length: 60 }, (_, i) => 20 + i);
export const drawNumber = (draws: RandomNumbers) => `${draws.pick(numbers)}`;

/** The facts of a base about each person and each town. The last word of a fact is the value that questions ask for. */
function factsOf(draws: RandomNumbers): string[] {
  const ofPerson = (who: string) => [
    ` ${who} lives in ${draws.pick(towns)}.`,
    ` ${who} works as ${draws.pick(jobs)}.`,
    ` ${who} owns ${draws.pick(things)}.`,
    ` ${who} is aged ${drawNumber(draws)}.`,
  ];
  const ofTown = (town: string) => [` ${town} lies at ${draws.pick(rivers)}.`, ` ${town} sells ${draws.pick(things)}.`];
  return [...persons.flatMap(ofPerson), ...towns.flatMap(ofTown)];
}

const wordsOf = (text: string) => text.match(/[A-Za-z]+|\d+/g) ?? [];

interface Base {
  facts: readonly string[];
  /**
   * For each word, a map from the index of each fact that contains the word to the number of times that the word occurs
   * in the fact.
   */
  holding: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

function indexed(facts: readonly string[]): Base {
  const holding = new Map<string, Map<number, number>>();
  for (const [place, fact] of facts.entries()) {
    for (const word of wordsOf(fact)) {
      const counts = holding.get(word) ?? new Map<number, number>();
      counts.set(place, (counts.get(place) ?? 0) + 1);
      holding.set(word, counts);
    }
  }
  return { facts, holding };
}

/** The number of bases for training and held-out problems together, and the number of bases for harder problems. */
const [usual, harder] = [256, 64];
export const baseCount = usual + harder;
const allBases = Array.from({ length: baseCount }, (_, base) => base);
/** Whether this base belongs to the harder split, in which a search returns two facts. */
export const isHarder = (base: number): boolean => base >= usual;

const basesBy: Readonly<Record<Split, readonly number[]>> = {
  training: allBases.filter((base) => base < usual && splitOf(`base ${base}`) === 'training'),
  heldOut: allBases.filter((base) => base < usual && splitOf(`base ${base}`) === 'heldOut'),
  harder: allBases.slice(usual),
};

export const drawBase = (draws: RandomNumbers, split: Split): number => draws.pick(basesBy[split]);

const known = new Map<number, Base>();

function baseOf(number: number): Base {
  const base = known.get(number) ?? indexed(factsOf(new Draws(number, streams.knowledge, 0)));
  known.set(number, base);
  return base;
}

/**
 * The best facts of a base for a query, at most `most` of them. Facts with equal scores stay in their original order.
 * The result is empty if no fact contains a word of the query.
 */
export function search(number: number, query: string, most: number): string[] {
  const { facts, holding } = baseOf(number);
  const scores = new Map<number, number>();
  for (const word of wordsOf(query)) {
    const counts = holding.get(word) ?? new Map<number, number>();
    const rarity = Math.log(facts.length / counts.size);
    for (const [place, count] of counts) scores.set(place, (scores.get(place) ?? 0) + count * rarity);
  }
  const ranked = [...scores].sort(([placeA, a], [placeB, b]) => b - a || placeA - placeB);
  return ranked.slice(0, most).map(([place]) => facts[place] as string);
}
