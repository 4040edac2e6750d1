// Facts about long memory for the settings, the files and the page.
import * as v from 'valibot';
import type { ShippedForm } from '../../../config/worlds/form.ts';

const longer = {
  label: 'long text',
  sentence: 'The text is four times as long as on the earlier levels, with the same kinds of questions.',
};
const part = { source: 'ReMemR1', weight: 0, min: 0, max: 2 } as const;

export const form = {
  name: 'memory',
  order: 80,
  label: 'Long memory',
  sentence:
    'A text is read in pieces, each of which is seen once. After each piece, a reader writes notes of a few words, and the agent that answers sees only the notes.',
  levels: [
    { level: 1, label: 'one fact' },
    { level: 2, label: 'two facts, one after the other' },
    { level: 3, label: 'two facts; only the second, much later, shows that the first matters' },
    { level: 4, label: 'like level 3, but in a text of twenty-eight pieces', note: longer },
  ],
  hidden: [
    {
      name: 'text',
      label: 'the text',
      sentence: 'The reader sees the text piece by piece. No agent sees the whole text at once.',
      usual: { memoryLoop: 'nobody', memoryAlone: 'nobody' },
    },
  ],
  slices: { label: 'evidence', words: { last: 'read last', kept: 'to be kept' } },
  parts: [
    {
      ...part,
      name: 'kept',
      label: 'Kept in mind',
      sentence:
        'The reward is one half if the notes contain as many of the facts needed for the answer as the previous notes. The reward is higher if needed facts were added, and lower if needed facts were lost.',
      paidOn: 'a turn of the reader',
      suggested: 0.5,
    },
    {
      ...part,
      name: 'calledBack',
      label: 'Called back',
      sentence:
        'The reward is the share of the facts needed for the answer that are in the recalled note, but neither in the current piece nor in the newest note.',
      paidOn: 'a reader turn in which a note is called back',
      suggested: 0.5,
    },
  ],
  options: [
    {
      name: 'recall',
      label: 'Recall',
      sentence:
        'The reader may call back an earlier note. If this setting is off, such calls have no effect. Warm starts are trained with such calls in either case.',
      source: 'ReMemR1 2509.23040',
    },
  ],
  vocabularies: { words: 'a token for each word and sign' },
  tokens: 62,
  typed: {
    label: 'Question',
    hint: 'For example “Where is ball?”, with facts such as “Ann in hall. Ann has ball. Tom likes tea.”',
  },
  given: v.object({ pieces: v.array(v.string()), facts: v.array(v.string()), conclusion: v.string() }),
  example: {
    shown: 'Where is ball?',
    hidden: { text: 'Ann in hall. Tom likes tea. Ann has ball.' },
    plan: 'ball in hall.',
    answer: 'hall',
  },
  protocols: ['memoryLoop', 'memoryAlone'],
  shipped: [
    {
      agents: { protocol: 'memoryLoop' },
      warmStart: { steps: 2000, batchSize: 32, goodPlans: 0.6 },
      run: { seed: 1 },
    },
    {
      world: { level: 3 },
      agents: { protocol: 'memoryAlone' },
      warmStart: { steps: 700, batchSize: 32, goodPlans: 0.9 },
      run: { seed: 1 },
    },
  ],
} as const satisfies ShippedForm;

declare module '../../../config/worlds/form.ts' {
  interface WorldForms {
    memory: typeof form;
  }
}
