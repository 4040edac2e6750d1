// Facts about entailment for the settings, the files and the page.
import * as v from 'valibot';
import type { Relation } from '../../../config/names.ts';
import { halfSights } from '../../../config/protocols/registry.ts';
import type { ShippedForm } from '../../../config/worlds/form.ts';

const half =
  'This text contains half of the premises. Usually both halves together are needed to decide whether the claim follows.';

export const form = {
  name: 'entailment',
  order: 40,
  label: 'Entailment',
  sentence:
    'A claim, and premises that not every agent sees: the claim follows from them, contradicts them, or remains unknown.',
  levels: [
    { level: 1, label: 'two premises' },
    { level: 2, label: 'four premises, of which two matter' },
    { level: 3, label: 'six premises, with negated claims and premises' },
  ],
  hidden: [
    {
      ...{ name: 'first', label: 'the first half', sentence: half },
      usual: halfSights(0),
    },
    {
      ...{ name: 'second', label: 'the second half', sentence: half },
      usual: halfSights(1),
    },
  ],
  slices: {
    label: 'relation',
    words: { follows: 'follows', contradicted: 'contradicted', unknown: 'unknown' } satisfies Record<Relation, string>,
  },
  parts: [
    {
      ...{ source: 'Cothink', weight: 0, min: 0, max: 2, suggested: 0.25 },
      name: 'premise',
      label: 'Premise that decides',
      sentence: 'The agent quotes a premise that this agent sees and on which the claim depends.',
      paidOn: 'every turn',
    },
  ],
  vocabularies: { words: 'a token for each word, digit and sign' },
  tokens: 107,
  typed: {
    label: 'Claim',
    hint: 'For example “Ann is kind?”, with premises in both halves, such as “Ann is a baker. Every baker is kind.”',
  },
  given: v.object({ deciding: v.array(v.string()) }),
  example: {
    shown: 'Ann is kind.',
    hidden: { first: 'Ann is a baker.', second: 'Every baker is kind.' },
    plan: 'Ann is a baker. unknown',
    answer: 'Every baker is kind. follows',
  },
  shipped: [{ agents: { protocol: 'debate', count: 2 }, run: { seed: 1 } }],
} as const satisfies ShippedForm;

declare module '../../../config/worlds/form.ts' {
  interface WorldForms {
    entailment: typeof form;
  }
}
