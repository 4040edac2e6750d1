// Facts about the world “Say the order” for the settings, the files and the page.
import * as v from 'valibot';
import type { ShippedForm } from '../../../config/worlds/form.ts';

export const runners = [
  ...['Anna', 'Ben', 'Carla', 'Emil', 'Ida', 'Leo'],
  ...['Mia', 'Nora', 'Otto', 'Paul', 'Rosa', 'Tom'],
] as const;
export type Runner = (typeof runners)[number];

/** The place of the winner in the question, which names the runners in alphabetical order. */
export const winnerPlaces = ['first', 'second', 'third'] as const;

export const form = {
  name: 'sayOrder',
  order: 120,
  label: 'Say the order',
  sentence: 'A planner knows in which order three runners arrived, and a reasoner must name the runners in this order.',
  levels: [
    { level: 1, label: 'the order is given' },
    { level: 2, label: 'the order follows from two sentences' },
  ],
  hidden: [
    {
      name: 'secret',
      label: 'the secret',
      sentence:
        'The secret is the order in which the runners arrived; an agent that does not see the secret can only guess one of six orders.',
    },
  ],
  slices: {
    label: 'winner',
    words: { first: 'first name of the question', second: 'second name', third: 'third name' } satisfies Record<
      (typeof winnerPlaces)[number],
      string
    >,
  },
  parts: [
    {
      ...{ source: 'Cothink', weight: 0, min: 0, max: 2, suggested: 0.25 },
      name: 'told',
      label: 'Order told',
      sentence: 'The message names the three runners in the right order, and no other runner.',
      paidOn: 'a turn of an agent that does not give the team’s answer',
    },
  ],
  protocols: ['tell', 'single'],
  vocabularies: { names: 'a token for each word and sign' },
  tokens: 39,
  typed: {
    label: 'Question',
    hint: 'For example “In which order did Anna, Ben and Tom arrive?”, with a secret such as “Tom came first, Anna second and Ben third.” or “Anna came before Ben. Anna came after Tom.”',
  },
  given: v.object({
    /** The runners in the order in which they arrived. */
    arrived: v.pipe(v.array(v.picklist(runners)), v.length(3)),
    /** The sentences of the secret; only at level 2. */
    sentences: v.optional(v.pipe(v.array(v.string()), v.length(2))),
  }),
  example: {
    shown: 'In which order did Anna, Ben and Tom arrive?',
    hidden: { secret: 'Anna came before Ben. Anna came after Tom.' },
    plan: 'Tom, Anna, Ben',
    answer: 'Tom Anna Ben',
  },
} as const satisfies ShippedForm;

declare module '../../../config/worlds/form.ts' {
  interface WorldForms {
    sayOrder: typeof form;
  }
}
