// What is new in a held-out problem? No held-out problem is ever asked in training, but its core may be: the part of a
// problem on which the answer depends, without the names, texts and hints around it. `npm run bench:cores` counts how
// many held-out problems have a core that training asks, too.
import { Draws, streams } from '../../src/base/random.ts';
import type { WorldName } from '../../src/config/worlds/registry.ts';
import type { Problem } from '../../src/records/problem.ts';
import type { World } from '../../src/tasks/world.ts';
import { table, type Column } from '../shared/table.ts';

interface Core {
  words: string;
  /** A text that is equal for equal cores. */
  of: (problem: Problem) => string;
}

/** The core in each world. In a world that is not listed, it is the whole problem. */
const listed = {
  houseRule: {
    words: 'the numbers and operations of the sum in any order, and the rule',
    of: ({ shown, hidden }) => `${sorted(shown)} ${hidden['rule']}`,
  },
  wordProblems: { words: 'the numbers and operations of the story', of: ({ given }) => JSON.stringify(given) },
  algebra: {
    words: 'the equations that contain the unknown that is asked',
    of: ({ shown, given }) => {
      const { asked } = given as { asked: string };
      return `${asked} ${shown
        .split(';')
        .filter((equation) => equation.includes(asked))
        .join(';')}`;
    },
  },
  entailment: { words: 'the form of the premises and of the claim, without their words', of: formOf },
  debate: { words: 'the form of the evidence and of the claim, without their words', of: formOf },
  grid: {
    words: 'the size of the map, the start and the treasure',
    of: ({ given, answer }) => {
      const { size, start } = given as { size: number; start: string };
      return `${size} ${start} ${answer}`;
    },
  },
  code: { words: 'the program', of: ({ answer }) => answer },
  memory: { words: 'the question and its answer', of: ({ shown, answer }) => `${shown} ${answer}` },
  tools: {
    words: 'the question and the knowledge base',
    of: ({ given, hidden }) => `${(given as { base: number }).base} ${hidden['question']}`,
  },
  passItOn: {
    words: 'the things and their colours',
    of: ({ given }) => JSON.stringify({ ...(given as object), friend: undefined }),
  },
  legs: {
    words: 'the animals in any order',
    of: ({ given }) => (given as { animals: string[] }).animals.toSorted().join(),
  },
  sayOrder: { words: 'the order of the runners', of: ({ answer }) => answer },
} satisfies Partial<Record<WorldName, Core>>;

export const cores: typeof listed & Partial<Record<WorldName, Core>> = listed;

const coreOf = (name: WorldName): Core => cores[name] ?? { words: 'the whole problem', of: ({ id }) => id };

const sorted = (text: string) => [...text].toSorted().join('');

/** Words that belong to the form of a premise. */
const ofForm = new Set(['is', 'a', 'an', 'no', 'not', 'every']);

/** The premises and the claim, in which each word is replaced by a number in the order of the words. */
function formOf({ id }: Problem): string {
  const numbers = new Map<string, number>();
  return id.replace(/\p{L}+/gu, (word) => {
    const plain = word.toLowerCase();
    if (ofForm.has(plain)) return plain;
    const number = numbers.get(plain) ?? numbers.size;
    numbers.set(plain, number);
    return String(number);
  });
}

/** Drawn training problems, and held-out problems. */
export const [drawnCount, heldOutCount] = [20_000, 512];

export interface CoresRow {
  world: WorldName;
  level: number;
  /** Held-out problems that were drawn in training, too; always 0. */
  asked: number;
  heldOut: number;
  /** Held-out problems whose core was drawn in training. */
  knownCores: number;
  /** Different cores of the drawn training problems. */
  cores: number;
}

export function coresOf(world: World, level: number, drawn = drawnCount): CoresRow {
  const name = world.name as WorldName;
  const { of } = coreOf(name);
  const training = Array.from({ length: drawn }, (_, i) =>
    world.draw(level, new Draws(1, streams.problems, i), 'training'),
  );
  const [ids, known] = [new Set(training.map(({ id }) => id)), new Set(training.map(of))];
  const heldOut = world.heldOut(level, heldOutCount);
  return {
    ...{ world: name, level },
    asked: heldOut.filter(({ id }) => ids.has(id)).length,
    heldOut: heldOut.length,
    knownCores: heldOut.filter((problem) => known.has(of(problem))).length,
    cores: known.size,
  };
}

const columns: Column<CoresRow>[] = [
  ['World', ({ world }) => world],
  ['Level', ({ level }) => String(level)],
  ['Core', ({ world }) => coreOf(world).words],
  ['Cores in training', ({ cores: count }) => String(count)],
  ['Held-out problems with such a core', ({ knownCores, heldOut }) => `${knownCores} of ${heldOut}`],
  ['Asked in training', ({ asked }) => String(asked)],
];

export const coresTable = ({ rows }: { rows: readonly CoresRow[] }): string => table(columns, rows);
