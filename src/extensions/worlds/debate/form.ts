// Facts about the debate before a judge for the settings, the files and the page.
import * as v from 'valibot';
import { halfSights } from '../../../config/protocols/registry.ts';
import type { ShippedForm } from '../../../config/worlds/form.ts';

/** The possible verdicts on a claim. */
export const verdicts = ['follows', 'contradicted'] as const;

const half =
  'This text contains the statements that only this side has. The claim can be decided only together with statements of the other side.';

const part = { source: 'Cothink', weight: 0, min: 0, max: 2, suggested: 0.25, paidOn: 'every turn' } as const;

export const form = {
  name: 'debate',
  order: 50,
  label: 'Debate',
  sentence:
    'A claim, and evidence that is divided between two sides. A judge hears the statements of both sides, one at a time, and decides by what follows from these statements.',
  levels: [
    { level: 1, label: 'a fact and one of two rules' },
    { level: 2, label: 'two rules, one after the other' },
    { level: 3, label: 'three rules, and misleading evidence' },
    {
      level: 4,
      label: 'like the first level, but with a judge that counts words',
      note: {
        label: 'the judge counts words',
        sentence:
          'The side that has written more text wins, regardless of what the text says, so this judge can be cheated.',
      },
    },
  ],
  hidden: [
    {
      ...{ name: 'proponent', label: 'the proponent’s evidence', sentence: half },
      usual: halfSights(0),
    },
    {
      ...{ name: 'opponent', label: 'the opponent’s evidence', sentence: half },
      usual: halfSights(1),
    },
  ],
  slices: { label: 'verdict', words: { follows: 'the claim holds', contradicted: 'the claim fails' } },
  parts: [
    {
      ...part,
      name: 'evidence',
      label: 'Evidence',
      sentence: 'The agent cites statements, and all of these statements are in the evidence of this agent.',
    },
    {
      ...part,
      name: 'reasoning',
      label: 'Continues the chain',
      sentence: 'The agent cites a statement that continues the chain of earlier statements.',
    },
    {
      ...part,
      name: 'consistency',
      label: 'No contradiction',
      sentence: 'The agent ends the turn with an answer and has not given the opposite answer before.',
    },
    {
      ...part,
      name: 'victory',
      label: 'Victory',
      sentence:
        'The judge decides that this agent’s side wins. Without a decision of the judge, the side that was the first not to continue the chain of statements loses. Only one side can win.',
      paidOn: 'the last turn of each side if the sides speak in turn',
      suggested: 1,
    },
  ],
  judges: ['inTurn'],
  vocabularies: { words: 'a token for each word, digit and sign' },
  tokens: 107,
  typed: {
    label: 'Claim',
    hint: 'For example “Ann is kind?”, with evidence on both sides, such as “Ann is a baker. Every baker is a sailor. No sailor is kind.”',
  },
  given: v.object({ deciding: v.array(v.string()) }),
  example: {
    shown: 'Ann is kind?',
    hidden: { proponent: 'Ann is a baker.', opponent: 'Every baker is kind.' },
    plan: 'Ann is a baker. unknown',
    answer: 'Every baker is kind. follows',
  },
  // The warm start has to be longer than in other worlds, and more demonstrations must cite the right statements,
  // because it is harder to learn which rule applies to a person.
  shipped: [{ agents: { protocol: 'inTurn' }, warmStart: { steps: 2000, goodPlans: 0.5 }, run: { seed: 1 } }],
} as const satisfies ShippedForm;

declare module '../../../config/worlds/form.ts' {
  interface WorldForms {
    debate: typeof form;
  }
}
