// GSM8K: a story with a question, and a solution. In the solution, each calculation is marked, as in `<<48/2=24>>`; at
// the end, the answer follows after `####`. A row whose answer is not exactly one number is refused, because rewards
// need a certain answer. The prompt tables of verl and TRL are read too, if they contain the solutions.
import * as v from 'valibot';
import { quoted } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { numberStated } from '../../text/normalised.ts';
import { filled, has, reader, type ShapeReader } from './reading.ts';

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

const message = v.object({ role: v.string(), content: v.string() });
/** A result that a file states as a number; JSON keeps only about 16 digits of it. */
const isRounded = (result: unknown) =>
  typeof result === 'number' && Number.isInteger(result) && !Number.isSafeInteger(result);

/** A row of a trainer's prompt table: verl's columns reward_model and extra_info, or TRL's prompt with an answer. */
const trainerRow = v.object({
  prompt: v.union([v.string(), v.array(message)]),
  reward_model: v.nullish(v.object({ ground_truth: v.nullish(v.union([v.string(), v.number()])) })),
  extra_info: v.nullish(v.object({ question: v.nullish(v.string()), answer: v.nullish(v.string()) })),
  solution: v.nullish(v.string()),
  answer: v.nullish(v.union([v.string(), v.number()])),
  ground_truth: v.nullish(v.union([v.string(), v.number()])),
});

/**
 * The question and the solution of a row of a trainer's prompt table, as GSM8K writes them; null for other rows. The
 * solution is absent if the table contains only the result.
 */
function ofTrainer(row: unknown): { question: string; answer?: string; isRounded?: boolean } | null {
  const { success, output } = v.safeParse(trainerRow, row);
  if (!success) return null;
  const { prompt, reward_model: reward, extra_info: extra, solution, answer, ground_truth: truth } = output;
  const asked = typeof prompt === 'string' ? prompt : prompt.findLast(({ role }) => role === 'user')?.content;
  const question = extra?.question ?? asked;
  const worked = [extra?.answer, solution, answer].find((text) => typeof text === 'string' && /\S\s/.test(text.trim()));
  const result = reward?.ground_truth ?? truth ?? answer;
  if (question === undefined || (worked === undefined && (result ?? null) === null)) return null;
  if (typeof worked !== 'string') return { question };
  if (worked.includes('####')) return { question, answer: worked };
  return { question, answer: `${worked}\n#### ${result ?? ''}`, isRounded: isRounded(result) };
}

const isWorked = ({ question, answer }: Readonly<Record<string, unknown>>) =>
  typeof question === 'string' && typeof answer === 'string' && answer.includes('####');

const readWorked = reader(v.object({ question: filled, answer: filled }), ({ question, answer: worked }) => {
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
});

export const gsm8k: ShapeReader = {
  isOf: (row) => isWorked(row) || (!has(row, 'test') && !has(row, 'tests') && ofTrainer(row) !== null),
  read: (row, options) => {
    // A row with the columns of GSM8K is read by these columns, whatever else it contains.
    const isOwn = typeof row === 'object' && row !== null && isWorked({ ...row });
    const trained = isOwn ? null : ofTrainer(row);
    if (trained && trained.answer === undefined)
      return spoken`the row has a prompt and its result, but no solution, which a warm start needs; add it in a column solution or in extra_info.answer`;
    if (trained?.isRounded)
      return spoken`the result has more digits than a number in JSON can hold, so some of them are lost; write it as text, in quotation marks`;
    return readWorked(trained ?? row, options);
  },
};
