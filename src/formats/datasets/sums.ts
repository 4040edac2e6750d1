// GSM8K: a story with a question, and a solution. In the solution, each calculation is marked, as in `<<48/2=24>>`; at
// the end, the answer follows after `####`. A row whose answer is not exactly one number is refused, because rewards
// need a certain answer.
import * as v from 'valibot';
import { quoted } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { numberStated } from '../../text/normalised.ts';
import { filled, reader, type ShapeReader } from './reading.ts';

const marked = /<<([^<>=]+)=([^<>=]+)>>/g;

/**
 * The steps of a solution, each with its calculation and its result. A solution without marks is converted to a single
 * step, which consists of the text and the answer.
 */
function stepsOf(solution: string, answer: string): [plan: string, reply: string][] {
  const steps = [...solution.matchAll(marked)].flatMap(([, sum = '', result = '']): [string, string][] => {
    const number = numberStated(result);
    return number === null ? [] : [[sum.replace(/[\s$,]/g, ''), number]];
  });
  if (steps.length === 0) return [[solution.replace(/\s+/g, ' '), answer]];
  return steps.at(-1)?.[1] === answer ? steps : [...steps, [answer, answer]];
}

const graded = (steps: number) => (steps <= 2 ? '1 or 2 steps' : steps <= 4 ? '3 or 4 steps' : '5 steps or more');

export const gsm8k: ShapeReader = {
  isOf: ({ question, answer }) => typeof question === 'string' && typeof answer === 'string' && answer.includes('####'),
  read: reader(v.object({ question: filled, answer: filled }), ({ question, answer: worked }) => {
    const [solution = '', ...last] = worked.split('####');
    const answer = numberStated(last.join(''));
    if (last.length === 0) return spoken`answer: expected #### before the number, got none`;
    if (answer === null) return spoken`answer: expected one number after ####, got ${quoted(last.join('').trim())}`;
    if (solution.trim() === '') return spoken`answer: expected a solution before ####, got none`;
    const steps = stepsOf(solution.trim(), answer);
    return {
      ...{ shown: '', hidden: { question }, answer, steps },
      slice: steps.length === 1 ? '1 step' : `${steps.length} steps`,
      grade: graded(steps.length),
      told: { question: steps.map(([plan, reply]) => `${plan}=${reply}`).join('\n') },
    };
  }),
};
