// The world in plain words, for agents that are language models: their prompts, and how their messages are read. Plans
// and calls are written like functions, such as `search(Ann lives)`, and answers as `answer: Rome`.
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { operationIn, spaced } from '../../../tasks/inWords/numbers.ts';
import type { Duty, PromptTexts } from '../../../tasks/inWords/names.ts';
import { levelIn } from '../../../tasks/levels.ts';
import { foldNames, folds, readMessage, saidValue, written } from './calls.ts';
import type { ToolName } from './form.ts';
import { answerPlan, isPlan } from './plans.ts';
import { givenOf } from './problems.ts';
import { fileNames, jobs, persons, rivers, things, towns, unknown } from './vocabulary.ts';

/** The maximum number of tokens of a turn. */
export const chatWindow = 24;
/** The maximum number of tokens of an observation. */
export const chatObservation = 40;

export const prompts = {
  'system.plan':
    'You are the planner of a team. You read a question and name one step at a time. The reasoner has tools and carries out each step.',
  start: 'At most {budget} are allowed.',
  'start.answer': '',
  'hidden.question': 'Question: {question}',
  'hidden.tools': 'You have tools. Your calls look like this: {calls}. You search knowledge base {base}.',
  observed: '{message}',
  'ask.plan':
    'Write only the next step, such as {steps}. The word "it" stands for the last result. If nothing is left to find, write answer.',
  'ask.step':
    'Write only one call for this step, with the last result in place of "it". For the step answer, write the last result, such as answer: Madrid.',
  'ask.alone': 'Write only one call. If a result answers the question, write it instead, such as answer: Madrid.',
  'ask.answer': 'You cannot make a call now. Answer with one word or number.',
} as const satisfies PromptTexts;

/** Searches that the questions of a level may need. */
const searches = [
  ['search(Ann lives)', 'search(Ann works)', 'search(Ann owns)'],
  ['search(Ann lives)', 'search(Rome lies)', 'search(Rome sells)'],
  ['search(Ann aged)'],
  ['search(Ann aged)'],
];
/** Other steps that the questions of a level may need. */
const otherSteps = [
  ['read(log)'],
  ['read(log)'],
  ['read(log)', 'calculate(it + 3)'],
  ['read(log)', 'write(log, it)', ...foldNames.map((fold) => `run(${fold} log)`)],
];
const listed = (forms: readonly string[]) => `${forms.slice(0, -1).join(', ')} or ${forms.at(-1) ?? ''}`;

/** The calls of each tool except `search`. */
function callsOf(tool: ToolName, hasFiles: boolean): string[] {
  const programs = hasFiles ? foldNames.map((fold) => folds[fold].program('log')) : ['52-3'];
  const inputs = { search: [], read: [' log'], write: [' log,34'], calc: ['52-3'], js: programs };
  return inputs[tool].map((given) => callInWords(tool, given));
}

/** The budget of calls, the forms of plans and, for an agent that has the tools, the forms of its calls. */
export const facts: WorldModule['facts'] = (problem, sees) => {
  const { tools, base } = givenOf(problem);
  const found = levelIn(searches, problem.level);
  const hasFiles = tools.includes('write');
  return {
    budget: problem.shown,
    steps: listed([...found.map((form) => form.replace('Rome', 'it')), ...levelIn(otherSteps, problem.level)]),
    ...(sees.includes('tools') && {
      calls: [...found, ...tools.flatMap((tool) => callsOf(tool, hasFiles))].join(', '),
      base: `${base}`,
    }),
  };
};

const verbs = { search: 'search', read: 'read', write: 'write', calc: 'calculate', js: 'run' } as const;
const wholeSum = /^\d+[-+*]\d+$/;

/** A call in plain words: `<calc>52-4` becomes `calculate(52 - 4)`. */
function callInWords(tool: ToolName, given: string): string {
  const input = given.trim();
  const said =
    tool === 'calc' || wholeSum.test(input)
      ? spaced(input)
      : tool === 'write'
        ? input.replace(',', ', ')
        : input.replaceAll('... ', '...');
  return `${verbs[tool]}(${said})`;
}

/** A plan in plain words: ` calculate it-4` becomes `calculate(it - 4)`. */
function planInWords(plan: string): string {
  const [, verb = '', input = ''] = /^ (\w+)(.*)$/.exec(plan) ?? [];
  if (plan === answerPlan || !isPlan(plan)) return plan.trim();
  if (verb === 'write') return `write(${input.trim().replace(' ', ', ')})`;
  return `${verb}(${input.trim().replace(/(?<=^it)[-+*]/, ' $& ')})`;
}

function inWords(text: string, duty: Duty): string {
  if (duty === 'plan') return planInWords(text);
  const read = readMessage(text);
  if (read === null || (duty === 'answer' && 'call' in read)) return text.trim();
  if ('call' in read) return callInWords(read.call.tool, read.call.given);
  return duty === 'answer' ? read.answer : `answer: ${read.answer}`;
}

export const toWords: WorldModule['toWords'] = (_, { duty, text }) => inWords(text, duty);

/** The tool or, for an answer, null. */
const meanings: Readonly<Record<string, ToolName | null>> = {
  ...{ search: 'search', read: 'read', write: 'write', answer: null },
  ...{ calculate: 'calc', calc: 'calc', run: 'js', js: 'js' },
};
const namedStep = new RegExp(String.raw`<?\b(${Object.keys(meanings).join('|')})\b>?:?\s*(\()?`, 'gi');

/** A step in a message: a tool with its input, or an answer (null). */
interface SaidStep {
  tool: ToolName | null;
  input: string;
  /** Whether the step is written as a call, with a bracket or with the world's own sign, and not only as a word. */
  isCall: boolean;
}

/** The steps that a message names, in order. The input of a step is the text in its brackets or the rest of its line. */
function stepsIn(said: string): SaidStep[] {
  return [...said.matchAll(namedStep)].map(({ 0: found, 1: name = '', 2: bracket, index }) => {
    const [line = ''] = said.slice(index + found.length).split('\n');
    const inside = upToBracket(line)
      .replaceAll(/[\s<]+/g, ' ')
      .trim();
    const input = bracket === undefined ? inside.replace(/[\s.!?;:"'`]+$/, '') : inside;
    const isCall = bracket !== undefined || found.startsWith('<');
    return { tool: meanings[name.toLowerCase()] ?? null, input, isCall };
  });
}

/** The text before the bracket that closes a call. Brackets that are missing at the end of the text are added. */
function upToBracket(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth < 0) return text.slice(0, at);
  }
  return text + ')'.repeat(depth);
}

const wordsIn = (text: string) => text.match(/[A-Za-z]+/g) ?? [];
const among = (list: readonly string[], word: string) =>
  list.find((one) => one === word) ?? list.find((one) => one.toLowerCase() === word.toLowerCase());
const fileIn = (input: string): string | undefined => {
  const words = wordsIn(input);
  const known = words.map((word) => among(fileNames, word)).find((file) => file !== undefined);
  return known ?? words.find((word) => !/^(?:the|file|to|in|it)$/i.test(word)) ?? words[0];
};

/** The words of a search, with the capital letters of names. */
const searchFor = (input: string, fillers: RegExp) =>
  wordsIn(input)
    .filter((word) => !fillers.test(word))
    .map((word) => ` ${among([...persons, ...towns], word) ?? word}`)
    .join('');

const foldWords = { largest: 'max(?:imum)?|largest', smallest: 'min(?:imum)?|smallest', sum: 'sum|total' } as const;

/** A program that computes the largest number, the smallest number or the sum of a file; null for other texts. */
function foldIn(input: string): { fold: (typeof foldNames)[number]; file: string } | null {
  const files = `(${fileNames.join('|')})`;
  const around = String.raw`[\s.()]*(?:numbers? )?(?:(?:of|in) )?(?:the )?(?:file )?${files}[\s.)]*$`;
  for (const fold of foldNames) {
    const [, file] =
      new RegExp(String.raw`^(?:the )?(?:Math\.)?(?:${foldWords[fold]})\b${around}`, 'i').exec(input) ?? [];
    if (file !== undefined) return { fold, file: file.toLowerCase() };
  }
  const [, file] =
    new RegExp(String.raw`^${files}\.reduce\(\(a,b\)=>a\+b(?:,0)?\)$`).exec(input.replaceAll(' ', '')) ?? [];
  return file === undefined ? null : { fold: 'sum', file };
}

/** Writes the inputs of calls as the tools read them. */
const inputs: Readonly<Record<ToolName, (input: string) => string>> = {
  search: (input) => searchFor(input, /^for$/i),
  read: (input) => ` ${fileIn(input) ?? ''}`.trimEnd(),
  write: (input) => {
    const [file, value] = [fileIn(input), input.match(/\d+/g)?.at(-1)];
    const known = file === undefined ? [] : [` ${file}`];
    return [...known, ...(value === undefined ? [] : [value])].join(',');
  },
  calc: (input) => (/\d\.\d/.test(input) ? null : operationIn(input)) ?? input.replaceAll(' ', ''),
  js: (input) => {
    const program = input.replaceAll('... ', '...');
    const known = foldIn(program);
    if (known) return folds[known.fold].program(known.file);
    return /^\d+ ?[-+*] ?\d+$/.test(program) ? program.replaceAll(' ', '') : program;
  },
};

const signs: Readonly<Record<string, string>> = {
  plus: '+',
  minus: '-',
  '−': '-',
  '–': '-',
  times: '*',
  x: '*',
  '×': '*',
};

/** The plan that a step of a message means; a text that is no plan if the input does not fit. */
function planOf({ tool, input }: SaidStep): string {
  if (tool === null) return answerPlan;
  if (tool === 'search')
    return ` search${searchFor(input, /^(?:for|where|what|the|of|is|in)$/i).replaceAll(/ It\b/g, ' it')}`;
  if (tool === 'read') return ` read${inputs.read(input)}`;
  if (tool === 'write') return ` write ${fileIn(input) ?? ''}${/\bit\b/i.test(input) ? ' it' : ''}`;
  if (tool === 'calc') {
    const [, sign = '', number = ''] = /\bit\s*(\+|plus|-|minus|[−–]|\*|x|×|times)\s*(\d+)/i.exec(input) ?? [];
    return ` calculate it${signs[sign.toLowerCase()] ?? sign}${number}`;
  }
  const known = foldIn(input);
  return known ? ` run ${known.fold} ${known.file}` : '';
}

const values: readonly string[] = [...towns, ...rivers, ...jobs, ...things, unknown.trim()];

/** The values in a text: its only word, or its numbers and the words that can be answers. */
function valuesIn(text: string): string[] {
  const words = text.match(/[A-Za-z]+|\d+/g) ?? [];
  const [only] = words;
  if (only !== undefined && words.length === 1) return [among(values, only) ?? only];
  const exact = words.filter((word) => /^\d/.test(word) || values.includes(word));
  return exact.length > 0 ? exact : words.flatMap((word) => among(values, word) ?? []);
}

const doubt = /\b(?:not known|(?:do not|don['’]t|cannot|can['’]t) (?:know|tell|say))\b/i;
const answered = (value: string | undefined) => (value === undefined ? null : saidValue(value));

/** The call or the answer in a message of an agent that has tools; null if the message contains neither. */
function callOrAnswerIn(said: string, duty: Duty): string | null {
  const steps = stepsIn(said);
  const call = ({ tool, input }: SaidStep) => tool && written({ tool, given: inputs[tool](input) });
  const called = steps.find(({ tool, isCall }) => isCall && tool !== null);
  if (called) return duty === 'answer' ? null : call(called);
  const marked = steps.flatMap(({ tool, input }) => (tool === null ? valuesIn(input).slice(0, 1) : []));
  if (marked.length > 0) return answered(marked[0]);
  if (doubt.test(said)) return unknown;
  const named = duty === 'answer' ? undefined : steps.find(({ tool }) => tool !== null);
  if (named) return call(named);
  const known = valuesIn(said);
  return duty === 'answer' || wordsIn(said).length < 2 ? answered(known.at(-1)) : null;
}

export const fromWords: WorldModule['fromWords'] = (_, { duty, text }) => {
  const said = text.trim();
  const read = duty === 'plan' ? (stepsIn(said).map(planOf).find(isPlan) ?? null) : callOrAnswerIn(said, duty);
  return read === null ? { text: said, isExact: false } : { text: read, isExact: said === inWords(read, duty) };
};

/** The result of a call, and the number of calls that are left, as sentences. */
export const observedInWords: WorldModule['observedInWords'] = (_, text) => {
  const [, kind, found = '', left] = /^<(result|error)>(.*)<left>(\d+)(?:<eot>)?$/s.exec(text) ?? [];
  if (kind === undefined || left === undefined) return text.trim();
  const calls = left === '0' ? 'No calls are' : left === '1' ? '1 call is' : `${left} calls are`;
  return `${kind === 'error' ? 'Error' : 'Result'}: ${found.trim().replace(/(?<!\.)$/, '.')} ${calls} left.`;
};
