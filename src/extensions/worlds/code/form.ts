// Facts about code for the settings, the files and the page.
import * as v from 'valibot';
import type { ShippedForm } from '../../../config/worlds/form.ts';

/** The kinds of programs, which differ in which elements of a list they select. */
export const kindNames = ['drop', 'take', 'last', 'trim', 'above', 'below', 'without', 'even', 'odd'] as const;
export type KindName = (typeof kindNames)[number];

const part = { source: 'Cothink', weight: 0, min: 0, max: 2 } as const;
const list = v.array(v.number());

export const form = {
  name: 'code',
  order: 70,
  label: 'Code',
  sentence:
    'The team writes a small JavaScript function: the planner reads a description of the function, and the coder reads two examples that fit several functions. The code is then run.',
  levels: [
    { level: 1, label: 'one step, xs.slice(2)' },
    { level: 2, label: 'two steps, xs.slice(2).map(x => x + 3)' },
    { level: 3, label: 'a condition, xs.map(x => x > 4 ? x + 3 : x)' },
  ],
  hidden: [
    {
      name: 'description',
      label: 'the description',
      sentence: 'This text describes the function, but without numbers; only the examples show the numbers.',
    },
    {
      name: 'examples',
      label: 'the examples',
      sentence: 'The results of the function for two lists; at least three kinds of function fit these results.',
      usual: { reMA: 'last' },
    },
  ],
  slices: {
    label: 'how many fit',
    words: { three: 'at most three functions fit the examples', more: 'more than three fit' },
  },
  parts: [
    {
      ...part,
      name: 'asDescribed',
      label: 'As described',
      sentence: 'The plan matches the description.',
      paidOn: 'a planner turn',
      suggested: 0.25,
    },
    {
      ...part,
      name: 'hiddenTests',
      label: 'Hidden tests',
      sentence: 'The reward is the share of unseen tests that the program passes.',
      paidOn: 'a turn that contains a program',
      suggested: 0.5,
    },
    {
      ...part,
      name: 'runs',
      label: 'Runs',
      sentence: 'The program finishes every test without an error.',
      paidOn: 'a turn that contains a program',
      suggested: 0.1,
    },
  ],
  vocabularies: { lexemes: 'a token for each word and each piece of a program' },
  tokens: 104,
  typed: {
    hint: 'A description such as “Leave out the first ones.”, with two examples such as [4,2,7]=[7];[1,6,8]=[8].',
  },
  given: v.object({
    plan: v.string(),
    examples: v.tuple([list, list]),
  }),
  example: {
    shown: 'f(xs)',
    hidden: { description: 'Leave out the first ones.', examples: '[4,2,7]=[7];[1,6,8]=[8]' },
    plan: 'drop',
    answer: 'xs.slice(2)',
  },
  shipped: [{ warmStart: { steps: 700 }, run: { seed: 1 } }],
} as const satisfies ShippedForm;

declare module '../../../config/worlds/form.ts' {
  interface WorldForms {
    code: typeof form;
  }
}
