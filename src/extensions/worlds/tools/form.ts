// Facts about tool use for the settings, the files and the page.
import * as v from 'valibot';
import type { ShippedForm } from '../../../config/worlds/form.ts';

/** A call begins with one of these tokens, followed by the tool's argument. */
export const toolNames = ['search', 'read', 'write', 'calc', 'js'] as const;
export type ToolName = (typeof toolNames)[number];

const part = { source: 'Cothink', weight: 0, min: 0, max: 2 } as const;
const paidOn = 'a turn that is a call';
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

export const form = {
  name: 'tools',
  order: 90,
  label: 'Tool use',
  sentence:
    'A question about people, towns and files that nobody knows by heart: tools find it, calculate and keep it, and each call is one of a few.',
  levels: [
    { level: 1, label: 'one call, a search or a file' },
    { level: 2, label: 'two calls, the second with what the first has found' },
    { level: 3, label: 'a calculation with what was found' },
    { level: 4, label: 'a number found, written to a file, and a program run on that file' },
  ],
  hidden: [
    {
      name: 'question',
      label: 'the question',
      sentence: 'The question; an agent that does not see it cannot know what to look for.',
    },
    {
      name: 'tools',
      label: 'the tools',
      sentence:
        'Which tools there are, and the number of the knowledge base that is searched. Nobody else reads their results.',
      usual: { reMA: 'last' },
    },
  ],
  slices: { label: 'first tool', words: { search: 'a search first', file: 'a file first' } },
  parts: [
    {
      ...part,
      name: 'nextStep',
      label: 'Next step',
      sentence: 'The plan says what is to be done next of what the answer still lacks.',
      paidOn: 'a planner turn',
      suggested: 0.25,
    },
    {
      ...part,
      name: 'wellFormedCall',
      label: 'Well-formed call',
      sentence: 'The call names a tool that there is, and the tool can read what it is given.',
      paidOn,
      suggested: 0.1,
    },
    {
      ...part,
      name: 'usefulCall',
      label: 'Useful call',
      sentence: 'The call brings something that the answer hangs on, and that no call has brought before.',
      paidOn,
      suggested: 0.25,
    },
    {
      ...part,
      name: 'waste',
      label: 'Waste',
      sentence: 'The call brings nothing: an error, or what a call has brought before.',
      paidOn,
      weight: -0.1,
      suggested: -0.1,
      min: -2,
      max: 0,
    },
  ],
  protocols: ['reMA', 'toolLoop', 'single', 'vote'],
  vocabularies: { words: 'a token for each tool, word, digit and piece of a program' },
  tokens: 176,
  typed: {
    hint: 'As Where does Ann live?, with tools such as <search>17<read>; what the files hold is drawn from the number.',
  },
  given: v.object({
    base: whole,
    /** Number of facts that a search returns. */
    shows: whole,
    files: v.record(v.string(), v.string()),
    tools: v.array(v.picklist(toolNames)),
    /** The maximum number of calls. */
    budget: whole,
    /** The steps of the solution, and the result of each step except the last. */
    plans: v.array(v.string()),
    goals: v.array(v.string()),
  }),
  example: {
    shown: '2 calls',
    hidden: { question: 'Where does Ann live?', tools: '<search>17<read>' },
    plan: 'search Ann lives',
    answer: '<search> Ann lives',
  },
  shipped: (['reMA', 'toolLoop'] as const).map((protocol) => ({
    ...{ agents: { protocol }, warmStart: { steps: 800, goodPlans: 0.35 }, run: { seed: 1 } },
  })),
} as const satisfies ShippedForm;

declare module '../../../config/worlds/form.ts' {
  interface WorldForms {
    tools: typeof form;
  }
}
