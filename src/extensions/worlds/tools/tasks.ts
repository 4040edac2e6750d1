// The tasks of each level: the question, the steps that lead to the answer, and the files. A task begins with a search
// or with a file. All files of a task have contents of the same kind, so an agent cannot infer from a file whether the
// question is about this file. This module also contains the probability of each answer for an agent that reads the
// question but has no tools.
import { Draws, streams, type RandomNumbers } from '../../../base/random.ts';
import { levelIn } from '../../../tasks/levels.ts';
import { foldNames, folds, type ToolFiles, type FoldName } from './calls.ts';
import { drawNumber, numbers } from './knowledge.ts';
import { fileNames, jobs, persons, rivers, things, towns } from './vocabulary.ts';

/**
 * The slices for which accuracy is reported separately, with the names that form.ts uses. A slice consists of all tasks
 * with the same kind of first call.
 */
export const slices = ['search', 'file'] as const;
export type Slice = (typeof slices)[number];

export interface ToolTask {
  question: string;
  /** The plans of all steps before the answer. */
  plans: readonly string[];
  files: ToolFiles;
}

/** The probability of each answer. */
type Chances = ReadonlyMap<string, number>;

/** A kind of question, with the probabilities of its answers. */
interface Kind {
  /** Returns a question and its steps, and the files that differ from the usual files of the level. */
  ask: (
    names: { who: string; file: string; other: string },
    draws: RandomNumbers,
  ) => Omit<ToolTask, 'files'> & Partial<ToolTask>;
  chances: () => Chances;
}

const evenly = (values: readonly string[]): Chances => new Map(values.map((value) => [value, 1 / values.length]));

const ofPerson: Kind[] = (
  [
    [(who) => ` Where does ${who} live?`, 'lives', towns],
    [(who) => ` As what does ${who} work?`, 'works', jobs],
    [(who) => ` What does ${who} own?`, 'owns', things],
  ] satisfies [(who: string) => string, string, readonly string[]][]
).map(([ask, verb, values]) => ({
  ask: ({ who }) => ({ question: ask(who), plans: [` search ${who} ${verb}`] }),
  chances: () => evenly(values),
}));

const words = [...towns, ...jobs, ...things];
const ofFile: Kind = {
  ask: ({ file }) => ({ question: ` What is in file ${file}?`, plans: [` read ${file}`] }),
  chances: () => evenly(words),
};

/** Questions about a town, which is either the town of a person or the town in a file. */
const ofTown = [
  {
    ofPerson: (who: string) => ` At which river does ${who} live?`,
    ofFile: (name: string) => ` At which river is the town of file ${name}?`,
    ...{ then: ' search it lies', chances: () => evenly(rivers) },
  },
  {
    ofPerson: (who: string) => ` What is sold where ${who} lives?`,
    ofFile: (name: string) => ` What is sold in the town of file ${name}?`,
    ...{ then: ' search it sells', chances: () => evenly(things) },
  },
].map(({ ofPerson: askOfPerson, ofFile: askOfFile, then, chances }) => {
  const search: Kind = {
    ask: ({ who }) => ({ question: askOfPerson(who), plans: [` search ${who} lives`, then] }),
    chances,
  };
  const file: Kind = {
    ask: ({ file: name }) => ({ question: askOfFile(name), plans: [` read ${name}`, then] }),
    chances,
  };
  return { search, file };
});

/** Questions that ask for the sum or the difference of two numbers. */
const sums = [2, 3, 4, 5, 6, 7, 8, 9].flatMap((step) =>
  [
    {
      ...{ signed: `+${step}`, ofFile: (name: string) => ` How much is file ${name} plus ${step}?` },
      ofPerson: (who: string) => ` How old is ${who} in ${step} years?`,
    },
    {
      ...{ signed: `-${step}`, ofFile: (name: string) => ` How much is file ${name} minus ${step}?` },
      ofPerson: (who: string) => ` What is the age of ${who} ${step} years ago?`,
    },
  ].map(({ signed, ofPerson: askOfPerson, ofFile: askOfFile }) => {
    const then = ` calculate it${signed}`;
    const chances = () => evenly(numbers.map((number) => `${number + Number(signed)}`));
    const search: Kind = {
      ask: ({ who }) => ({ question: askOfPerson(who), plans: [` search ${who} aged`, then] }),
      chances,
    };
    const file: Kind = {
      ask: ({ file: name }) => ({ question: askOfFile(name), plans: [` read ${name}`, then] }),
      chances,
    };
    return { search, file };
  }),
);

/**
 * Questions that ask for the largest number, the smallest number or the sum of the numbers in a file and one more
 * number, which is in the knowledge base or in another file.
 */
const ofFiles = foldNames.map((fold) => {
  const after = (first: string, file: string) => [first, ` write ${file} it`, ` run ${fold} ${file}`];
  const chances = () => chancesOf(fold);
  const search: Kind = {
    ask: ({ who, file }) => ({
      question: ` What is the ${fold} of file ${file} and the age of ${who}?`,
      plans: after(` search ${who} aged`, file),
    }),
    chances,
  };
  const file: Kind = {
    ask: ({ file: name, other }, draws) => ({
      question: ` What is the ${fold} of file ${name} and file ${other}?`,
      ...{ plans: after(` read ${other}`, name), files: { [other]: drawNumber(draws) } },
    }),
    chances,
  };
  return { search, file };
});

/** The probability of each answer if three numbers are drawn at random. */
function chancesOf(fold: FoldName): Chances {
  const found = new Map<string, number>();
  for (const a of numbers) {
    for (const b of numbers) {
      for (const c of numbers) {
        const answer = `${folds[fold].of([a, b, c])}`;
        found.set(answer, (found.get(answer) ?? 0) + 1 / numbers.length ** 3);
      }
    }
  }
  return found;
}

interface Asked {
  kinds: Readonly<Record<Slice, readonly Kind[]>>;
  /** The content of a file. */
  content: (draws: RandomNumbers) => string;
}
const bySlice = (both: readonly Readonly<Record<Slice, Kind>>[]): Asked['kinds'] => ({
  search: both.map(({ search }) => search),
  file: both.map(({ file }) => file),
});

const asked: readonly Asked[] = [
  { kinds: { search: ofPerson, file: [ofFile] }, content: (draws) => draws.pick(words) },
  { kinds: bySlice(ofTown), content: (draws) => draws.pick(towns) },
  { kinds: bySlice(sums), content: drawNumber },
  { kinds: bySlice(ofFiles), content: (draws) => `${drawNumber(draws)},${drawNumber(draws)}` },
];

const filled = ({ files, ...task }: Partial<ToolTask> & Omit<ToolTask, 'files'>, content: () => string): ToolTask => ({
  ...task,
  files: { ...Object.fromEntries(fileNames.map((name) => [name, content()])), ...files },
});

/** One task of a level. */
export function drawTask(level: number, draws: RandomNumbers, slice: Slice): ToolTask {
  const { kinds, content } = levelIn(asked, level);
  const [file = '', other = ''] = draws.shuffle([...fileNames]);
  return filled(draws.pick(kinds[slice]).ask({ who: draws.pick(persons), file, other }, draws), () => content(draws));
}

/** The task for a typed question, with random files; null if the text is not a question of this level. */
export function taskOf(level: number, question: string, draws: RandomNumbers): (ToolTask & { slice: Slice }) | null {
  const { kinds, content } = levelIn(asked, level);
  const said: readonly string[] = question.match(/[A-Za-z]+/g) ?? [];
  const who = persons.find((name) => said.includes(name)) ?? '';
  const [file = '', other = ''] = said.filter((word) => fileNames.some((name) => name === word));
  if (file !== '' && file === other) return null;
  for (const slice of slices)
    for (const { ask } of kinds[slice]) {
      const task = ask({ who, file, other }, draws);
      if (task.question === ` ${question}` && !/ (?: |\?)/.test(task.question))
        return { ...filled(task, () => content(draws)), slice };
    }
  return null;
}

/** One question of each kind, with the same person and the same files in all of them. */
export function examplesOf(level: number): string[] {
  const { kinds } = levelIn(asked, level);
  const [[who], [file, other]] = [persons, fileNames];
  const draws = new Draws(0, streams.knowledge, 1);
  return slices.flatMap((slice) => kinds[slice].map(({ ask }) => ask({ who, file, other }, draws).question.trim()));
}

const ceilings = new Map<string, number>();

/**
 * The maximum accuracy of an agent that makes no calls. If the agent reads the question, this is the mean, over all
 * questions, of the probability of the most likely answer. Otherwise, it is the probability of the answer that is most
 * likely over all questions.
 */
export function ceiling(level: number, sees: readonly string[]): number {
  const isRead = sees.includes('question');
  const key = `${level} ${isRead}`;
  const known = ceilings.get(key);
  if (known !== undefined) return known;
  const kinds = slices.flatMap((slice) => {
    const ofSlice = levelIn(asked, level).kinds[slice];
    return ofSlice.map(({ chances }) => ({ chance: 1 / (slices.length * ofSlice.length), chances: chances() }));
  });
  const all = new Map<string, number>();
  for (const { chance, chances } of kinds)
    for (const [answer, share] of chances) all.set(answer, (all.get(answer) ?? 0) + chance * share);
  const found = isRead
    ? kinds.reduce((sum, { chance, chances }) => sum + chance * Math.max(...chances.values()), 0)
    : Math.max(...all.values());
  ceilings.set(key, found);
  return found;
}
