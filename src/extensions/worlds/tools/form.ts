// Facts about tool use for the settings, the files and the page.
import * as v from 'valibot';
import type { ShippedForm } from '../../../config/worlds/form.ts';

/** A call begins with one of these tokens, followed by the tool's argument. */
export const toolNames = ['search', 'read', 'write', 'calc', 'js'] as const;
export type ToolName = (typeof toolNames)[number];

const part = { source: 'Cothink', weight: 0, min: 0, max: 2 } as const;
const paidOn = 'a turn that calls a tool';
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

export const form = {
  name: 'tools',
  order: 90,
  label: 'Tool use',
  sentence:
    'A question about people, towns and files that no agent can answer from memory. The agents have tools that search, calculate and store data, but only a few calls are allowed.',
  levels: [
    { level: 1, label: 'one call, which searches or reads a file' },
    { level: 2, label: 'two calls; the second uses the result of the first' },
    { level: 3, label: 'a calculation with the results of earlier calls' },
    { level: 4, label: 'finding a number, writing it to a file, and running a program on that file' },
  ],
  hidden: [
    {
      name: 'question',
      label: 'the question',
      sentence: 'The question of the problem; an agent that does not see this question cannot know what to look for.',
    },
    {
      name: 'tools',
      label: 'the tools',
      sentence:
        'The available tools, and the number of the knowledge base that is searched. Only the agents that see this part read the results of the tools.',
      usual: { reMA: 'last' },
    },
  ],
  slices: { label: 'first tool', words: { search: 'a search first', file: 'a file first' } },
  parts: [
    {
      ...part,
      name: 'nextStep',
      label: 'Next step',
      sentence: 'The plan names the next step that is needed for the answer.',
      paidOn: 'a planner turn',
      suggested: 0.25,
    },
    {
      ...part,
      name: 'wellFormedCall',
      label: 'Well-formed call',
      sentence: 'The call names an existing tool, and its input is valid for this tool.',
      paidOn,
      suggested: 0.1,
    },
    {
      ...part,
      name: 'usefulCall',
      label: 'Useful call',
      sentence: 'The call returns something that the answer depends on and that no earlier call has returned.',
      paidOn,
      suggested: 0.25,
    },
    {
      ...part,
      name: 'waste',
      label: 'Waste',
      sentence: 'The call returns an error, or something that an earlier call has already returned.',
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
    hint: 'For example “Where does Ann live?”, with tools such as <search>17<read>; the number determines what the files contain.',
  },
  given: v.object({
    base: whole,
    /** Number of facts that a search returns. */
    shows: whole,
    files: v.record(v.string(), v.string()),
    tools: v.array(v.picklist(toolNames)),
    /** The maximum number of calls. */
    budget: whole,
    /** The steps of the solution (`plans`), and the results of all steps except the last (`goals`). */
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
