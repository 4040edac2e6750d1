// Worlds of imported data in plain words, for agents that are language models: their prompts, and how their messages are
// read. In a whole answer, what an agent reports comes first, and the answer follows after “Answer:”.
import { datasetShapes, type AnswerKind, type ImportedTable, type ShapeName } from '../../../config/worlds/imported.ts';
import type { Problem } from '../../../records/problem.ts';
import { numberIn, numberStated, plainWords } from '../../../text/normalised.ts';
import type { WorldModule } from '../../contract/worldModule.ts';
import { spaced } from '../../inWords/numbers.ts';
import type { PromptTexts } from '../../inWords/names.ts';
import { answerMark } from './judging.ts';

const label =
  'entailment if the claim follows from the facts, contradiction if the facts show that it is false, neutral if nobody can know';
const again = 'Consider what the others say. Then answer again in the same form.';

/** The prompts for each shape. An agent that does not plan either only answers (`step`) or also reports what it knows. */
const promptsOf: Readonly<Record<AnswerKind, PromptTexts>> = {
  number: {
    ...{ start: '', 'hidden.question': 'Problem: {question}' },
    'ask.plan':
      'Write only the next calculation, such as 4 + 3. If the last result answers the problem, write [FINISH].',
    'ask.step': 'Give only the result, as a number.',
    ask: 'Write the calculations that you know. Then write "Answer:" and the number.',
  },
  label: {
    ...{ start: '', 'hidden.hypothesis': 'Claim: {hypothesis}', 'hidden.premise': 'Facts: {premise}' },
    'ask.plan': 'Tell the reasoner the claim. If the reasoner has answered, write [FINISH].',
    'ask.step': `Answer with one word: ${label}.`,
    ask: `If you see a claim, repeat it. Then write "Answer:" and one word: ${label}.`,
  },
  words: {
    ...{ start: 'Question: {question}', 'hidden.first': 'Text: {first}', 'hidden.second': 'Text: {second}' },
    'ask.plan':
      'Write one sentence of the text that helps to answer the question. If the reasoner has answered, write [FINISH].',
    'ask.step': 'Answer the question in a few words.',
    ask: 'Write a sentence of the text that helps, if you see one. Then write "Answer:" and the answer in a few words.',
  },
  program: {
    start: 'This is the beginning of a JavaScript function:\n{question}\n',
    'hidden.description': 'Task of the function: {description}',
    'ask.plan':
      'Tell the reasoner in one sentence what the function does. If the reasoner has written the function, write [FINISH].',
    'ask.step': 'Write only the rest of the function.',
    ask: 'If you know what the function does, write it in one sentence. Then write "Answer:" and the rest of the function.',
  },
};

/** The marks of an answer in the requested form, or in the form of the data. */
const mark = /^Answer:|####/gm;
/** Other words that introduce an answer. Capital letters are left out, because they may belong to a title. */
const looseMark =
  /\b(?:(?:[Ss]o|and|[Tt]he|[Mm]y|[Oo]ur|[Ff]inal)\s+)*(?:answer|A(?:nswer|NSWER)(?=:))(?:\s+is\b:?|\s*:)/g;

interface Parts {
  before: string;
  answer: string;
}

/** The text before and after the last mark; null if there is no mark. */
function partedAt(marks: RegExp, said: string): Parts | null {
  const { 0: found = '', index = 0 } = [...said.matchAll(marks)].at(-1) ?? {};
  if (found === '') return null;
  return { before: said.slice(0, index).trim(), answer: said.slice(index + found.length).trim() };
}

const labels: readonly [name: string, words: string][] = [
  ['entailment', 'entailment|entailed|entails|entail'],
  ['contradiction', 'contradiction|contradictory|contradicted|contradicts|contradict'],
  ['neutral', 'neutral'],
];
const anyLabel = new RegExp(
  String.raw`(?<!(?:\bnot|n['’]t)\s+(?:an?\s+)?)\b(?:${labels.map(([, words]) => `(${words})`).join('|')})\b`,
  'gi',
);
const shortLabels: Readonly<Record<string, string>> = {
  ...{ yes: 'entailment', true: 'entailment', no: 'contradiction', false: 'contradiction' },
  ...{ unknown: 'neutral', maybe: 'neutral' },
};

/** The first or the last label in a text, or the label for a single word such as “yes”. */
function labelIn(text: string, which: 'first' | 'last'): string | null {
  const found = [...text.matchAll(anyLabel)].at(which === 'first' ? 0 : -1)?.slice(1);
  const [name] = labels[found?.findIndex((word) => word !== undefined) ?? -1] ?? [];
  const word = plainWords(text);
  return name ?? (Object.hasOwn(shortLabels, word) ? (shortLabels[word] as string) : null);
}

const linesOf = (text: string) => text.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').trim());

/** A program without the fences around it and without the beginning of the function, which the agent may repeat. */
function programIn(text: string, head: string): string {
  const [, fenced] = /```(?:[a-z]*\n)?([\s\S]*?)(?:```|$)/i.exec(text) ?? [];
  let program = (fenced ?? text).trim();
  while (head !== '' && program.startsWith(head)) program = program.slice(head.length).trim();
  return program;
}

type Reader = (text: string, isMarked: boolean, head: string) => Parts | null;

/** Reads the answer in a text that follows a mark, or in a whole message without a mark. */
const readers: Readonly<Record<AnswerKind, Reader>> = {
  number: (text, isMarked) => {
    const answer = numberIn(text, isMarked ? 'first' : 'last');
    return answer === null ? null : { before: numberStated(text) === null ? text : '', answer };
  },
  label: (text, isMarked) => {
    const answer = labelIn(text, isMarked ? 'first' : 'last');
    return answer === null ? null : { before: text.includes(' ') ? text : '', answer };
  },
  words: (text, isMarked) => {
    const lines = linesOf(text).filter((line) => line !== '');
    const answer = lines.at(isMarked ? 0 : -1);
    return answer === undefined ? null : { before: lines.slice(0, -1).join('\n'), answer };
  },
  program: (text, _, head) => {
    const answer = programIn(text, head);
    return answer === ''
      ? null
      : { before: text.includes('```') ? text.slice(0, text.indexOf('```')).trim() : '', answer };
  },
};

/** The report and the answer in a message; null if the message contains no answer. */
function partsIn(said: string, kind: AnswerKind, head: string): Parts | null {
  const read = readers[kind];
  const marked = partedAt(mark, said) ?? (kind === 'program' ? null : partedAt(looseMark, said));
  const found = marked && read(marked.answer, true, head);
  return found ? { before: marked.before, answer: found.answer } : read(said.replaceAll(mark, ' ').trim(), false, head);
}

/** A message that contains only the answer; null if it contains no answer. */
function onlyAnswerIn(said: string, kind: AnswerKind, head: string): string | null {
  const found = partsIn(said, kind, head);
  if (found === null || found.answer === said) return found?.answer ?? null;
  return onlyAnswerIn(found.answer, kind, head) ?? found.answer;
}

const ownText = ({ before, answer }: Parts) => (before === '' ? answer : `${before}\n${answerMark} ${answer}`);

/** Writes a whole answer: the report, and the answer after a mark. */
function answerInWords(own: string, kind: AnswerKind, head: string): string {
  const { before, answer: given } = partedAt(new RegExp(answerMark, 'g'), own) ?? { before: '', answer: own };
  const answer = kind === 'words' ? given.replaceAll(/\s+/g, ' ') : given;
  if (readers[kind](answer, true, head)?.answer !== answer) return own;
  return `${before === '' ? '' : `${before}\n`}Answer: ${answer}`;
}

const isCalculation = (text: string) => /^[-\d\s.,()+*/=]+$/.test(text);
const withoutSpaces = (sum: string) => sum.replaceAll(/(?<=[\d.)])\s*([-+*/=])\s*(?=-?[\d.(])/g, '$1');

type Words = Required<Pick<WorldModule, 'fromWords' | 'toWords'>>;

/** The prompts for tables of a shape, and the functions that convert messages to and from plain words. */
export function wordsFor(shape: ShapeName): Words & { prompts: PromptTexts } {
  const { kind } = datasetShapes[shape];
  const texts = promptsOf[kind];
  const headOf = ({ shown }: Problem) => (kind === 'program' ? shown.trim() : '');
  const { 'ask.step': step = '' } = texts;
  const toWords: Words['toWords'] = (problem, { duty, text }) => {
    const own = text.trim();
    if (duty === 'plan') return kind === 'number' && isCalculation(own) ? spaced(own) : own;
    const isRead = partsIn(own, kind, headOf(problem)) !== null;
    if (duty === 'step' || duty === 'alone') return kind === 'words' && isRead ? own.replaceAll(/\s+/g, ' ') : own;
    return isRead ? answerInWords(own, kind, headOf(problem)) : own;
  };
  return {
    prompts: { ...texts, 'ask.alone': step, 'again.answer': again, 'again.tell': again },
    toWords,
    fromWords: (problem, message) => {
      const said = message.text.trim();
      // A plan is a free text, so it always has the requested form.
      if (message.duty === 'plan')
        return { text: kind === 'number' && isCalculation(said) ? withoutSpaces(said) : said, isExact: true };
      const head = headOf(problem);
      const isAlone = message.duty === 'step' || message.duty === 'alone';
      const found = isAlone ? null : partsIn(said, kind, head);
      const read = isAlone ? onlyAnswerIn(said, kind, head) : found && ownText(found);
      if (read === null) return { text: said, isExact: false };
      // A whole answer without a mark does not have the requested form.
      const isMarked = isAlone || said !== read;
      return { text: read, isExact: isMarked && said === toWords(problem, { ...message, text: read }) };
    },
  };
}

/** The fewest tokens of a turn, and the tokens that “Answer:” and longer words may need in addition. */
const [fewest, spare] = [24, 8];

/** The maximum number of tokens of a turn in plain words, which is a little more than in the table's own vocabulary. */
export const chatWindowOf = ({ levels }: Pick<ImportedTable, 'levels'>): number =>
  Math.max(fewest, ...levels.map(({ plan, reply, answer }) => Math.max(plan, reply, answer) + spare));
