// Worlds that are made from imported data. This file describes a table of problems, without the code that uses it as a
// world. The shape of a data set determines how its columns are read, which texts are hidden from which agents, and how
// an answer is compared with the right one.
import * as v from 'valibot';
import { told, type Told } from '../../base/spoken.ts';
import { halfSights } from '../protocols/registry.ts';
import type { HiddenText, RewardPart } from './form.ts';
import type { OwnWorld } from './own.ts';

/** How an answer is compared with the right one. */
export type AnswerKind = 'number' | 'label' | 'words' | 'program';

export interface DatasetShape {
  label: string;
  /** The columns that data must have in order to be recognised as this shape, in words for the visitor. */
  columns: string;
  hidden: readonly HiddenText[];
  kind: AnswerKind;
  /** A word for the kind of slices for which accuracy is reported. */
  slice: string;
  /**
   * The grades of difficulty in the data set, the easiest first. Grades that are not listed follow in alphabetical
   * order.
   */
  grades: readonly string[];
}

/** The words for the grade `medium`. The word alone is not used, because it is also the name of a network size. */
export const mediumGrade = 'of medium difficulty';

/** The grade of a problem whose answer depends on this number of paragraphs. */
export const paragraphGrade = (count: number): Told => (count === 1 ? told`1 paragraph` : told`${count} paragraphs`);

const half = 'Half of the paragraphs; each half contains some paragraphs that are needed for the answer.';
const halves: readonly HiddenText[] = [
  { name: 'first', label: 'the first half', sentence: half, usual: halfSights(0) },
  { name: 'second', label: 'the second half', sentence: half, usual: halfSights(1) },
];

export const datasetShapes = {
  gsm8k: {
    label: 'GSM8K',
    columns: 'question, and answer with #### before the number; or the prompts of verl or TRL with solutions',
    hidden: [{ name: 'question', label: 'the question', sentence: 'The whole story and the question.' }],
    kind: 'number',
    slice: 'steps',
    grades: ['1 or 2 steps', '3 or 4 steps', '5 steps or more'],
  },
  anli: {
    label: 'ANLI',
    columns: 'premise, hypothesis, and label 0, 1 or 2',
    hidden: [
      {
        ...{ name: 'hypothesis', label: 'the hypothesis', usual: halfSights(0) },
        sentence: 'A claim. Only the premise shows whether this claim is true.',
      },
      {
        ...{ name: 'premise', label: 'the premise', usual: halfSights(1) },
        sentence: 'The facts that are known.',
      },
    ],
    kind: 'label',
    slice: 'label',
    grades: ['premises of up to 400 characters', 'longer premises'],
  },
  hotpotQA: {
    label: 'HotpotQA',
    columns: 'question, answer, level, context and supporting_facts',
    hidden: halves,
    kind: 'words',
    slice: 'type',
    grades: ['easy', 'medium', 'hard'],
  },
  twoWiki: {
    label: '2WikiMultihopQA',
    columns: 'question, answer, evidences, context and supporting_facts',
    hidden: halves,
    kind: 'words',
    slice: 'type',
    grades: [],
  },
  humanEval: {
    label: 'HumanEval in JavaScript',
    columns: 'prompt, canonical_solution and test',
    hidden: [
      {
        name: 'description',
        label: 'the description',
        sentence: 'A description of what the function does. All agents may see the function’s signature.',
      },
    ],
    kind: 'program',
    slice: 'kind',
    grades: ['programs of up to 200 characters', 'longer programs'],
  },
} as const satisfies Record<string, DatasetShape>;

/** The part of the reward for an answer that is partly right. */
export const partlyRight: RewardPart = {
  ...{ name: 'partly', label: 'Partly right', paidOn: 'every answer' },
  sentence:
    'How close the answer is to the right answer: the share of words that both answers have in common or, if the answer is a program, the share of tests that the program passes.',
  ...{ source: 'SQuAD', weight: 0.25, min: 0, max: 2 },
};

export type ShapeName = keyof typeof datasetShapes;
export const shapeNames = Object.keys(datasetShapes) as ShapeName[];

const text = v.string();

/** A row of a data set in the form of a problem. */
export const exampleSchema = v.object({
  /** The text that all agents see. */
  shown: text,
  /** The hidden texts, by the names that are defined for the shape. */
  hidden: v.record(text, text),
  answer: text,
  slice: text,
  /** The grade of difficulty that the data set states for the row. The grades become the levels of the world. */
  grade: text,
  /** The hidden texts, by name, as an agent that sees them could describe them to the other agents. */
  told: v.record(text, text),
  /** The steps to the answer, each with its result, if the data set contains them. */
  steps: v.optional(v.array(v.tuple([text, text]))),
  /** The code before and after the answer, which tests the answer; present only if the answer is a program. */
  tests: v.optional(v.object({ before: text, after: text })),
});
export type Example = v.InferOutput<typeof exampleSchema>;

const room = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The content of a world made from imported data, without the names that its shape defines. */
export const tableSchema = v.object({
  shape: v.picklist(shapeNames),
  /** The contents of the tokenizer.json that was learned from the data. */
  tokenizer: v.looseObject({ model: v.looseObject({ vocab: v.record(text, room) }) }),
  /** For each level, the maximum lengths of texts in tokens. */
  levels: v.array(
    v.object({
      grade: text,
      /** Maximum length of the shown text, and of each hidden text. */
      shown: room,
      hidden: v.record(text, room),
      /** Maximum lengths of a plan, of a reply, and of an answer, including the description that precedes it. */
      ...{ plan: room, reply: room, answer: room },
      steps: room,
    }),
  ),
  examples: v.array(v.object({ ...exampleSchema.entries, row: room })),
});
export type ImportedTable = v.InferOutput<typeof tableSchema>;
/** A problem, and the row of the file from which it was read. */
export type PlacedExample = ImportedTable['examples'][number];

/** Minimum number of rows of a level, including those that are held out. */
export const fewestRows = 5;

/**
 * Bounds and default of the maximum prompt length in tokens, which a visitor can choose. A message can be a quarter as
 * long.
 */
export const promptBounds = { min: 64, max: 1024, usual: 256 } as const;

/** The unit in which the position of a row is counted, in one word. */
export type RowUnit = 'line' | 'entry' | 'row';

/** A row that cannot be used as a problem. */
export interface Rejection {
  /** The position of the row: the line number in JSON Lines, or the position in a list or table; it starts at 1. */
  row: number;
  reason: string;
  /** The beginning of the row. */
  begins: string;
}

/** The result of reading a file from which a world is made. */
export interface ImportReport {
  /** Null if too few rows can be used as problems; in that case `fault` explains why. */
  world: OwnWorld | null;
  fault: string;
  /** The known format of data sets whose columns match those of the file. */
  shape: string;
  unit: RowUnit;
  /** Number of rows that were read. If `isCut` is true, the file has more. */
  rows: number;
  isCut: boolean;
  kept: number;
  rejections: readonly Rejection[];
  /** The first few problems. */
  first: readonly Example[];
}
