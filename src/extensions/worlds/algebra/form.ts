// Facts about algebra for the settings, the files and the page.
import * as v from 'valibot';
import type { ShippedForm } from '../../../config/worlds/form.ts';

/** The unknowns for which a problem can ask. */
export const unknowns = ['x', 'y'] as const;
export type Unknown = (typeof unknowns)[number];

export const form = {
  name: 'algebra',
  order: 30,
  label: 'Algebra',
  sentence:
    'One of the unknowns in two equations must be found, and not every agent knows which one. Both sides are rewritten move by move until this unknown is alone on one side.',
  levels: [
    { level: 1, label: 'an unknown on one side, 3x − 4 = 11' },
    { level: 2, label: 'an unknown on both sides, 5x + 2 = 3x + 8' },
    { level: 3, label: 'two unknowns in both equations' },
    { level: 4, label: 'inequalities' },
  ],
  hidden: [
    {
      name: 'asked',
      label: 'the unknown to be found',
      sentence:
        'This text says whether x or y is to be found; an agent that does not see this text must guess the unknown.',
      words: Object.fromEntries(unknowns.map((unknown) => [`${unknown}?`, unknown])),
    },
  ],
  slices: {
    label: 'to be found',
    words: { x: 'x is to be found', y: 'y is to be found' },
  },
  parts: [
    {
      name: 'legalMove',
      label: 'Legal move',
      sentence: 'The agent chooses a possible move: the same operation on both sides, without a remainder.',
      paidOn: 'a planner turn or an answer in which all moves are possible',
      source: 'Cothink',
      weight: 0,
      min: 0,
      max: 2,
      suggested: 0.25,
    },
    {
      name: 'rewrite',
      label: 'Rewrite as planned',
      sentence: 'The agent rewrites both sides exactly as the move requires.',
      paidOn: 'a turn of the reasoner, and by an answer if every step of the answer meets this condition',
      source: 'Cothink',
      weight: 0,
      min: 0,
      max: 2,
      suggested: 0.5,
    },
  ],
  vocabularies: { signs: 'a token for each sign' },
  tokens: 35,
  given: v.object({ asked: v.picklist(unknowns) }),
  signs: { '*': '×', '/': '÷', '-': '−' },
  typed: { label: 'Two equations', hint: 'Two equations separated by a semicolon, such as 3x-4=11;2y+5=9.' },
  example: { shown: '3x-4=11;2y+5=9', hidden: { asked: 'x?' }, plan: '(1)+4', answer: '(1)+4;3x=15;/3;x=5' },
  shipped: [1, 2, 3, 4].map((level) => ({ world: { level }, run: { seed: 1 } })),
} as const satisfies ShippedForm;

declare module '../../../config/worlds/form.ts' {
  interface WorldForms {
    algebra: typeof form;
  }
}
