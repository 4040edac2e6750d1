// Facts about word problems for the settings, the files and the page.
import * as v from 'valibot';
import type { ShippedForm } from '../../../config/worlds/form.ts';

/** The change of the number of things in the last step of a story. */
export const stepNames = ['add', 'takeAway', 'multiply'] as const;
export type StepName = (typeof stepNames)[number];

const distractor = {
  label: 'one number too many',
  sentence: 'One sentence of the story gives a number that is not needed for the answer.',
};

const part = { source: 'Cothink', weight: 0, min: 0, max: 2 } as const;

export const form = {
  name: 'wordProblems',
  order: 20,
  label: 'Word problems',
  sentence:
    'A short story and a question: only the planner reads the story, and the reasoner does the calculations that the planner names.',
  levels: [
    { level: 1, label: 'one step' },
    { level: 2, label: 'two steps, and one number that is not needed', note: distractor },
    { level: 3, label: 'three steps, a unit such as a dozen, and one number that is not needed', note: distractor },
  ],
  hidden: [
    {
      name: 'story',
      label: 'the story',
      sentence: 'The story contains all numbers; an agent that does not read it knows only the question.',
    },
  ],
  slices: {
    label: 'last step',
    words: { add: 'adds', takeAway: 'takes away', multiply: 'multiplies' } satisfies Record<StepName, string>,
  },
  parts: [
    {
      ...part,
      name: 'nextStep',
      label: 'Next step',
      sentence: 'The agent states the next calculation of the story, which uses the current number.',
      paidOn: 'a turn of the planner, and by an answer if every step of the answer meets this condition',
      suggested: 0.25,
    },
    {
      ...part,
      name: 'result',
      label: 'Right result',
      sentence: 'The agent gives the right result of the planned calculation.',
      paidOn: 'a turn of the reasoner, and by an answer if every step of the answer meets this condition',
      suggested: 0.5,
    },
  ],
  vocabularies: { words: 'a token for each word, digit and sign' },
  tokens: 107,
  given: v.object({
    start: v.number(),
    steps: v.array(v.object({ operator: v.picklist(['+', '-', '*']), number: v.number() })),
    others: v.array(v.number()),
  }),
  typed: {
    label: 'Question',
    hint: 'For example “How many apples does Ann have?”, with a story such as “Ann has seven apples. Tom gives Ann three.”',
  },
  signs: { '*': '×', '-': '−' },
  example: {
    shown: 'How many apples does Ann have?',
    hidden: { story: 'Ann has seven bags with three apples in each.' },
    plan: '7*3',
    answer: '7*3=21',
  },
  shipped: [
    ...[1, 2].map((level) => ({ world: { level }, run: { seed: 1 } })),
    { agents: { protocol: 'single' }, run: { seed: 1 } },
  ],
} as const satisfies ShippedForm;

declare module '../../../config/worlds/form.ts' {
  interface WorldForms {
    wordProblems: typeof form;
  }
}
