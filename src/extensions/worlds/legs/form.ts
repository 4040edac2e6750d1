// Facts about the world “Count the legs” for the settings, the files and the page.
import * as v from 'valibot';
import type { ShippedForm } from '../../../config/worlds/form.ts';

/** The animals, with the number of legs of each. */
export const legsOf = {
  ...{ hen: 2, duck: 2, goose: 2, owl: 2, swan: 2 },
  ...{ cow: 4, dog: 4, cat: 4, horse: 4, goat: 4 },
  ...{ ant: 6, bee: 6, fly: 6, wasp: 6, moth: 6 },
  ...{ spider: 8, scorpion: 8, tick: 8, mite: 8, tarantula: 8 },
} as const;
export type Animal = keyof typeof legsOf;
export const animals = Object.keys(legsOf) as Animal[];

/** The possible answers, by level: the numbers of legs of one animal, and of two animals. */
export const answersAt = {
  1: ['2', '4', '6', '8'],
  2: ['4', '6', '8', '10', '12', '14', '16'],
} as const;
export type LegsLevel = keyof typeof answersAt;
export type LegsCount = (typeof answersAt)[LegsLevel][number];

export const owners = ['Anna', 'Ben', 'Carla', 'Emil', 'Ida', 'Leo', 'Mia', 'Tom'] as const;

export const form = {
  name: 'legs',
  order: 110,
  label: 'Count the legs',
  sentence:
    'A planner knows which animals somebody has, and a reasoner must say how many legs these animals have together.',
  levels: [
    { level: 1, label: 'the legs of one animal' },
    { level: 2, label: 'the legs of two animals' },
  ],
  hidden: [
    {
      name: 'secret',
      label: 'the secret',
      sentence:
        'The secret names the animals; an agent that does not see the secret can only guess one of four numbers, or of seven on the second level.',
    },
  ],
  slices: {
    label: 'legs',
    words: { 2: '2', 4: '4', 6: '6', 8: '8', 10: '10', 12: '12', 14: '14', 16: '16' } satisfies Record<
      LegsCount,
      string
    >,
  },
  parts: [
    {
      ...{ source: 'Cothink', weight: 0, min: 0, max: 2, suggested: 0.25 },
      name: 'told',
      label: 'Animals told',
      sentence: 'The message names exactly these animals.',
      paidOn: 'a turn of an agent that does not give the team’s answer',
    },
  ],
  protocols: ['tell', 'single'],
  vocabularies: { animals: 'a token for each word and sign' },
  tokens: 62,
  typed: {
    label: 'Question',
    hint: 'For example “How many legs do the animals of Anna have?”, with a secret such as “Anna has a hen.” or “Anna has a hen and a cow.”',
  },
  given: v.object({
    owner: v.picklist(owners),
    animals: v.pipe(v.array(v.picklist(animals)), v.minLength(1), v.maxLength(2)),
  }),
  example: {
    shown: 'How many legs do the animals of Anna have?',
    hidden: { secret: 'Anna has a hen and a cow.' },
    plan: 'Anna has a hen and a cow',
    answer: '6',
  },
} as const satisfies ShippedForm;

declare module '../../../config/worlds/form.ts' {
  interface WorldForms {
    legs: typeof form;
  }
}
