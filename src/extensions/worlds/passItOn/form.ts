// Facts about the world “Pass it on” for the settings, the files and the page.
import * as v from 'valibot';
import type { ShippedForm } from '../../../config/worlds/form.ts';

export const colours = ['red', 'blue', 'green', 'yellow', 'black', 'white'] as const;
export type Colour = (typeof colours)[number];

/** The things in training problems, and the things in held-out problems. */
export const trainedThings = [
  ...['box', 'car', 'house', 'door', 'ball', 'hat'],
  ...['cup', 'boat', 'chair', 'lamp', 'coat', 'bag'],
] as const;
export const keptThings = ['book', 'shoe', 'bike', 'table', 'plate', 'kite'] as const;
export const things: readonly string[] = [...trainedThings, ...keptThings];

export const friends = ['Anna', 'Ben', 'Carla', 'Emil', 'Ida', 'Leo', 'Mia', 'Tom'] as const;

export const form = {
  name: 'passItOn',
  order: 100,
  label: 'Pass it on',
  sentence:
    'A planner knows the colours of one or two things, and a reasoner must name these colours, so the planner’s message has to contain them.',
  levels: [
    { level: 1, label: 'the colour of one thing' },
    { level: 2, label: 'the colours of two things' },
  ],
  hidden: [
    {
      name: 'secret',
      label: 'the secret',
      sentence:
        'The secret is the colour of each thing and the person to be told; an agent that does not see the secret can only guess one of six colours, or one of thirty pairs of colours on the second level.',
    },
  ],
  slices: {
    label: 'colour',
    words: {
      red: 'red',
      blue: 'blue',
      green: 'green',
      yellow: 'yellow',
      black: 'black',
      white: 'white',
    } satisfies Record<Colour, string>,
  },
  parts: [
    {
      ...{ source: 'Cothink', weight: 0, min: 0, max: 2, suggested: 0.25 },
      name: 'told',
      label: 'Colours told',
      sentence: 'The message contains the right colours and no other colour.',
      paidOn: 'a turn of an agent that does not give the team’s answer',
    },
  ],
  protocols: ['tell', 'single'],
  vocabularies: { plain: 'a token for each word and sign' },
  tokens: 52,
  typed: {
    label: 'Question',
    hint: 'For example “What colour is the hat?”, with a secret such as “Tell Anna: the hat is green.” Two things need a question and a secret for each.',
  },
  given: v.object({
    ...{ thing: v.picklist(things), colour: v.picklist(colours), friend: v.picklist(friends) },
    second: v.optional(v.object({ thing: v.picklist(things), colour: v.picklist(colours) })),
  }),
  example: {
    shown: 'What colour is the hat?',
    hidden: { secret: 'Tell Anna: the hat is green.' },
    plan: 'the hat is green',
    answer: 'green',
  },
} as const satisfies ShippedForm;

declare module '../../../config/worlds/form.ts' {
  interface WorldForms {
    passItOn: typeof form;
  }
}
