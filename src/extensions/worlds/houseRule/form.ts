// Facts about house-rule arithmetic for the settings, the files and the page.
import * as v from 'valibot';
import type { ShippedForm } from '../../../config/worlds/form.ts';

/** The rules, which determine the order in which the operations of an expression are done. */
export const ruleNames = ['precedence', 'leftToRight', 'rightToLeft'] as const;
export type RuleName = (typeof ruleNames)[number];

const ruleWords: Readonly<Record<RuleName, string>> = {
  precedence: 'multiplication first',
  leftToRight: 'left to right',
  rightToLeft: 'right to left',
};

/** The index of the operation that a rule selects next. */
export const nextOf: Readonly<Record<RuleName, (operators: readonly string[]) => number>> = {
  precedence: (operators) =>
    Math.max(
      0,
      operators.findIndex((operator) => operator === '*' || operator === '/'),
    ),
  leftToRight: () => 0,
  rightToLeft: (operators) => operators.length - 1,
};

/**
 * In the second vocabulary, tokens with this id or a higher id consist of two characters: an operator and the digit
 * after it. Tokens with lower ids consist of one character.
 */
export const firstJoinedId = 32;

const lastDigit = {
  label: 'last digit',
  sentence:
    'Modulo 10: every result is one digit. If a result is above 9, its last digit is kept, so 7 × 8 = 56 gives 6. If it is below 0, tens are added, so 3 − 5 = −2 gives −2 + 10 = 8.',
};

export const form = {
  name: 'houseRule',
  order: 10,
  label: 'House-rule arithmetic',
  sentence: 'A sum, and a house rule that determines the order of its operations. Not every agent sees the rule.',
  levels: [
    { level: 1, label: 'two operations, last digit only', note: lastDigit },
    { level: 2, label: 'three operations, last digit only', note: lastDigit },
    { level: 3, label: 'four operations, signed digits' },
    { level: 4, label: 'five operations, signed numbers of two digits' },
    {
      level: 5,
      label: 'three operations including division, signed numbers of two digits',
      note: {
        label: 'divisions leave no remainder',
        sentence:
          'Under every rule, each division gives a whole number. A division with a remainder is not a valid step: it has no result and earns no reward.',
      },
    },
  ],
  hidden: [
    {
      name: 'rule',
      label: 'the rule',
      sentence:
        'The order of evaluation for one problem: multiplication first, left to right, or right to left; it may differ from the usual order, so an agent that does not see the rule cannot know the answer.',
      words: Object.fromEntries(ruleNames.map((rule) => [`<${rule}>`, ruleWords[rule]])),
    },
  ],
  slices: {
    label: 'rule',
    words: ruleWords,
  },
  parts: [
    {
      name: 'legalOperation',
      label: 'Legal plan',
      sentence: 'The agent chooses an operation that occurs in the current expression.',
      paidOn: 'a turn of the planner, and by an answer if every step of the answer meets this condition',
      source: 'Cothink',
      weight: 0,
      min: 0,
      max: 2,
      suggested: 0.25,
    },
    {
      name: 'rewrite',
      label: 'Rewrite as planned',
      sentence: 'The agent rewrites the expression exactly as planned.',
      paidOn: 'a turn of the reasoner, and by an answer if every step of the answer meets this condition',
      source: 'Cothink',
      weight: 0,
      min: 0,
      max: 2,
      suggested: 0.5,
    },
  ],
  vocabularies: { characters: 'a token for each sign', joined: 'an operator and the digit after it in one token' },
  tokens: 32,
  given: v.object({ rule: v.picklist(ruleNames) }),
  signs: {
    '<precedence>': '× first',
    '<leftToRight>': 'left to right',
    '<rightToLeft>': 'right to left',
    '*': '×',
    '/': '÷',
    '-': '−',
  },
  typed: { label: 'Sum', hint: 'Numbers with +, −, × or ÷ between them, such as 7+4*2.' },
  beginsAtEnd({ shown, slice }) {
    const rule = ruleNames.find((name) => name === slice);
    const operators = [...shown.matchAll(/\d([-+*/])/g)].flatMap(([, operator]) => operator ?? []);
    return rule ? nextOf[rule](operators) === operators.length - 1 : null;
  },
  example: { shown: '7+4*2', hidden: { rule: '<rightToLeft>' }, plan: '4*2', answer: '4*2=7+8;7+8=5' },
  shipped: [
    { run: { seed: 1 } },
    { world: { level: 2 }, run: { seed: 1 } },
    { world: { level: 3 }, warmStart: { steps: 8000, goodPlans: 0.5 }, run: { seed: 1 } },
    { agents: { protocol: 'single' }, run: { seed: 1 } },
    { agents: { protocol: 'pioneerObserver' }, run: { seed: 1 } },
    { agents: { protocol: 'debate', count: 2 }, run: { seed: 1 } },
  ],
} as const satisfies ShippedForm;

declare module '../../../config/worlds/form.ts' {
  interface WorldForms {
    houseRule: typeof form;
  }
}
