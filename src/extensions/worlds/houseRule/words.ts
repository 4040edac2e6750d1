// The world in plain words, for agents that are language models: their prompts, and how their messages are read and
// written. A plan is an operation such as `4 * 2`, and a reply is the new sum, `7 + 8`. A whole answer lists every
// operation with its result, `4 * 2 = 8. 7 + 8 = 5.`
import { ruleNames, type RuleName } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { spaced } from '../../../tasks/inWords/numbers.ts';
import type { PromptTexts } from '../../../tasks/inWords/names.ts';
import { soloText, type Step } from '../../../tasks/steps/steps.ts';
import { parseExpression, placesOf, printExpression, type Expression } from './expression.ts';
import { levelOf } from './levels.ts';
import { replaceOperation } from './rules.ts';

const ask = 'Write every operation with its result, such as: 2 + 3 = 5. 5 + 1 = 6.';
const again = `Consider what you have heard. Work out {question} again. ${ask}`;

/** The maximum number of tokens of a turn. */
export const chatWindow = 64;

export const prompts = {
  start: 'The sum is {question}. A house rule determines the order of the operations.{digits}',
  'start.plan': 'The sum is {question}.',
  'start.step': 'The sum is {question}.{digits}',
  'hidden.rule': 'House rule: {rule}.',
  'ask.plan':
    'Which operation comes next? Write only this operation, such as 2 + 3. If only a number is left, write [FINISH].',
  'ask.step': 'Do only this operation. Write only the new sum.',
  'ask.alone': 'Do the next operation. Write only the new sum.',
  ask,
  'again.tell': again,
  'again.answer': again,
} as const satisfies PromptTexts;

const inWords: Readonly<Record<RuleName, string>> = {
  precedence: 'multiplication first',
  leftToRight: 'from left to right',
  rightToLeft: 'from right to left',
};

export const facts: WorldModule['facts'] = ({ shown, hidden, level }, sees) => {
  const { modulus, operators } = levelOf(level);
  const rule = ruleNames.find((name) => hidden['rule'] === `<${name}>`);
  const isWithDivision = rule === 'precedence' && operators.includes('/');
  return {
    question: spaced(shown),
    digits: modulus === null ? '' : ' Keep only the last digit of every result, and add 10 to a result below 0.',
    ...(sees.includes('rule') &&
      rule && { rule: isWithDivision ? 'multiplication and division first' : inWords[rule] }),
  };
};

/** Replacements that turn the words and signs of a calculation into the signs of the world, in this order. */
const signs: readonly (readonly [RegExp, string])[] = [
  [/\*\*|\$|\\[()[\]]/g, ''],
  [/[−–]/g, '-'],
  [/\\times|\\cdot|[×·]/g, '*'],
  [/\\div|÷/g, '/'],
  [/(?<=\d),(?=\d{3}\b)/g, ''],
  [/\d+\.\d+/g, '?'],
  [/(?<!\d)0+(?=\d)/g, ''],
  [/\bnegative (?=\d)/gi, '-'],
  [/\badd (-?\d+) to (-?\d+)/gi, '$2+$1'],
  [/\badd (-?\d+) and (-?\d+)/gi, '$1+$2'],
  [/\bsubtract (-?\d+) from (-?\d+)/gi, '$2-$1'],
  [/\bmultiply (-?\d+) (?:by|and|with) (-?\d+)/gi, '$1*$2'],
  [/\bdivide (-?\d+) by (-?\d+)/gi, '$1/$2'],
  [/(?<=\d) ?(?:x|times|multiplied by) ?(?=-?\d)/gi, '*'],
  [/(?<=\d) ?divided by ?(?=-?\d)/gi, '/'],
  [/(?<=\d) ?plus ?(?=-?\d)/gi, '+'],
  [/(?<=\d) ?minus ?(?=-?\d)/gi, '-'],
  [/\bminus (?=\d)/gi, '-'],
  [/(?<=\d)[^\S\n]*([-+*/=])[^\S\n]*(?=-?\d)/g, '$1'],
  [/(?<=[-+*/]-?\d+) (?:equals|is equal to|is|gives|makes) (?=-?\d)/gi, '='],
];

const isNumber = ({ operators }: Expression) => operators.length === 0;
const isOperation = ({ operators }: Expression) => operators.length === 1;

/**
 * The calculations in a text, in their order. Each calculation is a list of expressions with `=` between them, or a
 * single expression.
 */
function calculationsIn(text: string): Expression[][] {
  const signed = signs.reduce((read, [words, sign]) => read.replaceAll(words, sign), text);
  return (signed.match(/(?<!\w)-?\d+(?:[-+*/=]-?\d+)*/g) ?? []).flatMap((found) => {
    const sides = found.split('=').map(parseExpression);
    return sides.includes(null) ? [] : [sides as Expression[]];
  });
}

/** The expression that results if an operation has this result; null if the operation does not occur. */
function rewritten(working: Expression | null, operation: Expression, result: number): Expression | null {
  const place = working ? placesOf(operation, working)[0] : undefined;
  return working && place !== undefined ? replaceOperation(working, place, result) : null;
}

/** The first operation in a text that is not the result of a calculation, such as `4*2`. */
const planIn = (text: string): string | null => {
  const plan = calculationsIn(text).find(([first]) => first && isOperation(first))?.[0];
  return plan ? printExpression(plan) : null;
};

/** The last expression in a text, such as `7+8`. */
const replyIn = (text: string): string | null => {
  const reply = calculationsIn(text).at(-1)?.at(-1);
  return reply ? printExpression(reply) : null;
};

/**
 * The solution in a text, such as `4*2=7+8;7+8=5`. A number that the text states after its last calculation is the
 * answer. If the text contains no calculations, the solution is only this number.
 */
function answerIn({ shown }: Problem, text: string): string | null {
  const steps: Step[] = [];
  let working = parseExpression(shown);
  let stated: string | null = null;
  for (const [plan, ...results] of calculationsIn(text)) {
    const last = results.at(-1) ?? plan;
    if (!plan || !last) continue;
    if (isOperation(plan) && last !== plan && results.slice(0, -1).every(isNumber)) {
      const [result] = last.numbers;
      const reply: Expression = (isNumber(last) ? rewritten(working, plan, result ?? 0) : null) ?? last;
      steps.push({ plan: printExpression(plan), reply: printExpression(reply) });
      [working, stated] = [reply, null];
    } else if (isNumber(last)) stated = printExpression(last);
  }
  const final = steps.at(-1);
  if (!final) return stated;
  if (stated !== null) final.reply = stated;
  return soloText(steps);
}

/** A solution with the result of every operation, such as `4 * 2 = 8. 7 + 8 = 5.`; null if it is not a solution. */
function solutionInWords({ shown }: Problem, text: string): string | null {
  let working = parseExpression(shown);
  const said: string[] = [];
  for (const step of text.split(';')) {
    const [plan, reply, ...others] = step.split('=').map(parseExpression);
    if (!plan || !reply || !isOperation(plan) || others.length > 0) return null;
    const place = working ? placesOf(plan, working)[0] : undefined;
    const result = place === undefined ? undefined : reply.numbers[place];
    const expected = result === undefined ? null : rewritten(working, plan, result);
    const isRewritten = expected !== null && printExpression(expected) === printExpression(reply);
    said.push(`${printExpression(plan)}=${isRewritten ? `${result}` : printExpression(reply)}.`);
    // The number would otherwise be read as the result of the operation.
    if (!isRewritten && place !== undefined && isNumber(reply)) said.push(`${printExpression(reply)}.`);
    working = reply;
  }
  return said.map(spaced).join(' ');
}

export const fromWords: WorldModule['fromWords'] = (problem, { duty, text }) => {
  const said = text.trim();
  if (duty === 'answer' || duty === 'tell') {
    const answer = answerIn(problem, said);
    return { text: answer ?? said, isExact: answer !== null && solutionInWords(problem, answer) === said };
  }
  // A planner may end the dialogue without a plan.
  if (duty === 'plan' && said === '') return { text: '', isExact: true };
  const found = duty === 'plan' ? planIn(said) : replyIn(said);
  return { text: found ?? said, isExact: found !== null && spaced(found) === said };
};

export const toWords: WorldModule['toWords'] = (problem, { duty, text }) => {
  const said = text.trim();
  if (duty === 'answer' || duty === 'tell') return solutionInWords(problem, said) ?? said;
  const expression = parseExpression(said);
  return expression && (duty !== 'plan' || isOperation(expression)) ? spaced(said) : said;
};
