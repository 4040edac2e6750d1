// Code in plain words, for agents that are language models: their prompts, and how their messages are read. A plan is a
// short sentence like the description of a function, such as `Leave out the first ones.` A program is JavaScript; words
// and signs around it are left out.
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import type { Facts } from '../../../tasks/inWords/prompts.ts';
import type { PromptTexts } from '../../../tasks/inWords/names.ts';
import { describes, wordings } from './descriptions.ts';
import { kindNames, type KindName } from './form.ts';
import { levelOf } from './levels.ts';
import { operationNames, planOf, programsOf, type CodeProgram, type Form } from './programs.ts';
import { marks } from './vocabulary.ts';

const write = 'Write only the expression. It starts with xs.';

/** The maximum number of tokens of a turn. */
export const chatWindow = 32;
/** The maximum number of tokens of an observation. */
export const chatObservation = 48;

export const prompts = {
  start: 'Write a JavaScript expression that makes a new list from the list of numbers xs.',
  'start.plan': 'The reasoner writes a JavaScript expression that makes a new list from a list of numbers.',
  'hidden.description': 'Task: {description}',
  'hidden.examples': 'Examples: {cases}',
  observed: '{message}',
  'ask.plan':
    'Tell the reasoner in one short sentence what to do with the list. If its program passes the examples, write [FINISH].',
  'ask.step': 'Do what the planner says. Write only the expression. It starts with xs.',
  ask: write,
  'again.answer': `Consider what was said. ${write}`,
} as const satisfies PromptTexts;

const spaced = (list: string) => list.replaceAll(',', ', ');

/** The examples as sentences: `[4,2,7]=[7]` becomes `[4, 2, 7] becomes [7].` */
export const facts: WorldModule['facts'] = ({ hidden }, sees): Facts => {
  if (!sees.includes('examples')) return {};
  const cases = (hidden['examples'] ?? '').split(';').map((one) => `${spaced(one).replace('=', ' becomes ')}.`);
  return { cases: cases.join(' ') };
};

/** The feedback on a program as a sentence. */
export const observedInWords: WorldModule['observedInWords'] = (_, text) => {
  const said = text.replace('<eot>', '').trim();
  if (said === marks.passed) return 'The program passes the examples.';
  if (said.startsWith(marks.error)) {
    const name = said.slice(marks.error.length);
    return `The program ends with ${name === '' ? 'an error' : `a ${name}`}.`;
  }
  const [, list = '', value = ''] = said.startsWith(marks.failed)
    ? (/^(\[[-\d.,]*\])=(.*)$/.exec(said.slice(marks.failed.length)) ?? [])
    : [];
  if (list === '') return said;
  return value === ''
    ? `The program gives a wrong result for ${spaced(list)}.`
    : `The program gives ${spaced(value)} for ${spaced(list)}, which is wrong.`;
};

const plans = new Map<Form, ReadonlyMap<string, CodeProgram>>();

/** A program for each plan of a level. */
function plansAt(level: number): ReadonlyMap<string, CodeProgram> {
  const { form } = levelOf(level);
  const found = plans.get(form) ?? new Map(programsOf(form).map((program) => [planOf(program), program]));
  plans.set(form, found);
  return found;
}

const literal = new RegExp(
  `^(${kindNames.join('|')})(?:(?:\\s*[,+&]\\s*|\\s+)(?:and\\s+|then\\s+)?(${operationNames.join('|')}))?[.!]?$`,
  'i',
);

/** Words for elements of a list, with the kinds of programs that keep these elements and that leave them out. */
const elements: readonly (readonly [words: RegExp, kept: KindName | null, leftOut: KindName])[] = [
  [/\b(?:first|starts?|beginning|front)\b/i, 'take', 'drop'],
  [/\b(?:last|ends?|final|back)\b/i, 'last', 'trim'],
  [/\b(?:large(?:r|st)?|big(?:ger|gest)?|high(?:er|est)?|great(?:er|est)?|above|over|more)\b/i, 'above', 'below'],
  [/\b(?:small(?:er|est)?|little|low(?:er|est)?|less|below|under)\b/i, 'below', 'above'],
  [/\beven\b/i, 'even', 'odd'],
  [/\bodd\b/i, 'odd', 'even'],
  [/\b(?:one|a certain) (?:number|value|element)\b/i, null, 'without'],
];
const leavesOut =
  /\b(?:(?:leave|leaves|left|leaving|take|takes|cut|cuts|filter|filters) (?:\w+ ){0,4}(?:out|away|off)|skip\w*|remov\w*|delet\w*|drop\w*|omit\w*|exclud\w*|discard\w*|trim\w*|without)\b/i;
const turnsRound = /\b(?:all but|except\w*|other than|not|n['’]t)\b/i;
const operations = { add: /\b(?:add\w*|rais\w*|increas\w*|plus)\b/i, times: /\b(?:multipl\w*|scal\w*|times)\b/i };

/** The plan in a message, such as `drop,add`; null if there is none. */
function planIn(said: string, level: number): string | null {
  const [, kind, operation] = literal.exec(said) ?? [];
  const joined = (...names: readonly (string | undefined)[]) => names.flatMap((name) => name ?? []).join(',');
  if (kind !== undefined) return joined(kind.toLowerCase(), operation?.toLowerCase());
  const described = [...plansAt(level)].find(([, program]) => describes(said, program));
  if (described) return described[0];
  const found = elements
    .map(([words, ...kinds]) => ({ at: said.search(words), kinds }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0];
  if (!found) return null;
  // Only words in the same sentence say whether these elements are kept.
  const from = said.lastIndexOf('.', found.at) + 1;
  const end = said.indexOf('.', found.at);
  const sentence = said.slice(from, end < 0 ? undefined : end);
  const [kept, leftOut] = found.kinds;
  const chosen = leavesOut.test(sentence) === turnsRound.test(sentence) ? kept : leftOut;
  return chosen === null
    ? null
    : joined(
        chosen,
        operationNames.find((name) => operations[name].test(said)),
      );
}

const keywords = new Set(
  'async await case const do else for function if in instanceof let new of return throw typeof var void while'.split(
    ' ',
  ),
);

/** Whether a text can be JavaScript about a list, and not prose: in JavaScript, two names hardly ever follow each other. */
function isCode(text: string): boolean {
  if (!/\bxs\b|=>|\bfunction\b/.test(text) || /[A-Za-z][!.]\s+[A-Za-z]/.test(text)) return false;
  const names = text.match(/[\w$]+|[^\s\w$]/g) ?? [];
  const isName = (name = '') => /^[A-Za-z_$]/.test(name) && !keywords.has(name);
  return !names.some((name, at) => isName(name) && isName(names[at + 1]));
}

/** The position after the bracket that closes the bracket at `from`; −1 if it is not closed. */
function closed(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const sign = text.charAt(at);
    if ('([{'.includes(sign)) depth++;
    if (')]}'.includes(sign) && --depth === 0) return at + 1;
  }
  return -1;
}

/** The text up to the first semicolon that is not in brackets. */
function upToSemicolon(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if ('([{'.includes(sign)) depth++;
    if (')]}'.includes(sign)) depth--;
    if (sign === ';' && depth === 0) return text.slice(0, at);
  }
  return text;
}

/** A function as an expression: its result for `xs`. `body` is what stands between its braces. */
function applied(parameter: string, body: string): string {
  const [, result] = /^\s*return\b([^;]*);?\s*$/.exec(body) ?? [];
  if (result === undefined) return `(function(${parameter}){${body.trim()}})(xs)`;
  return parameter === 'xs' ? result.trim() : `(${parameter}=>(${result.trim()}))(xs)`;
}

const block = /^(?:async\s+)?(?:function\b\s*)?[\w$]*\s*\(\s*([\w$]*)\s*\)\s*(?=\{)/;
const arrow = /^(?:(?:const|let|var)\s+)?(?:[\w$]+\s*=\s*)?(?:\(\s*([\w$]+)\s*\)|([\w$]+))\s*=>\s*/;
const equation = /^(?:const\s+|let\s+|var\s+)?(?:[\w$]+|f\s*\(\s*xs\s*\))\s*=(?![=>])\s*/;

/** The expression in a piece of JavaScript, which may also be a function, a statement or an equation. */
function expressionOf(code: string): string {
  const [head, parameter = ''] = block.exec(code) ?? [];
  if (head !== undefined) {
    const end = closed(code, head.length);
    if (end > 0) return applied(parameter, code.slice(head.length + 1, end - 1));
  }
  const [start, braced, bare] = arrow.exec(code) ?? [];
  if (start !== undefined) {
    const result = code.slice(start.length);
    const end = result.startsWith('{') ? closed(result, 0) : -1;
    const body = end > 0 ? result.slice(1, end - 1) : `return ${upToSemicolon(result)}`;
    return applied(braced ?? bare ?? '', body);
  }
  return upToSemicolon(code.replace(equation, '').replace(/^return\b/, '')).trim();
}

/** Words before a program, such as `The answer is:` or `Sure!` */
const label = /^(?:(?:[A-Za-z]+\s+)*[A-Za-z]+:|[A-Za-z]+[,!])\s+/;
const bared = (text: string) =>
  text
    .trim()
    .replace(/^`([^`]*)`[.;]?$/, '$1')
    .replace(label, '')
    .replace(/[\s.,;]+$/, '')
    .trim();

/** A call such as `xs.slice(2)` in prose; null if there is none. */
function callIn(text: string): string | null {
  const from = text.search(/\bxs(?:\.[\w$]|\[)/);
  if (from < 0) return null;
  let end = from + 2;
  for (;;) {
    const next = text.charAt(end);
    const name = /^\??\.[A-Za-z_$][\w$]*/.exec(text.slice(end, end + 40))?.[0];
    const after = name !== undefined ? end + name.length : next === '(' || next === '[' ? closed(text, end) : -1;
    if (after < 0) return end > from + 2 ? text.slice(from, end) : null;
    end = after;
  }
}

/** The first function in prose, up to its closing brace. */
function functionIn(text: string): string {
  const from = text.search(/\bfunction\b|\bf\s*\(\s*xs\s*\)\s*\{/);
  const brace = from < 0 ? -1 : text.indexOf('{', from);
  const end = brace < 0 ? -1 : closed(text, brace);
  return end < 0 ? '' : text.slice(from, end);
}

/** One step of `programIn`: leaves out what stands around the program. */
function barer(said: string): string | null {
  const fenced = /```[ \t]*(?:(?:js|javascript|ts|typescript)\b|\w*[ \t]*\n)?([\s\S]*?)(?:```|$)/.exec(said)?.[1];
  const text = (fenced ?? said).replaceAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '').trim();
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, inner = '']) => inner);
  const code = [text, ...quoted, functionIn(text), ...text.split('\n')].map(bared).find(isCode);
  const found = code === undefined ? callIn(text) : expressionOf(code);
  return found === '' ? null : found;
}

/** The program in a message, as one expression; null if there is none. */
function programIn(said: string): string | null {
  let found: string | null = null;
  for (let next = barer(said); next !== null && next !== found; next = barer(next)) found = next;
  return found;
}

export const fromWords: WorldModule['fromWords'] = (problem, message) => {
  const said = message.text.trim();
  if (message.duty !== 'plan') {
    const program = programIn(said);
    return { text: program ?? said, isExact: said === program && /^xs\b/.test(said) };
  }
  // A planner may end the dialogue without a plan.
  if (said === '') return { text: '', isExact: true };
  const plan = planIn(said, problem.level);
  const asked = plan === null ? undefined : plansAt(problem.level).get(plan);
  return { text: plan ?? said, isExact: asked !== undefined && describes(said, asked) };
};

/** Plans are written as descriptions of functions, and programs as they are. */
export const toWords: WorldModule['toWords'] = ({ level }, { duty, text }) => {
  const said = text.trim();
  const program = duty === 'plan' ? plansAt(level).get(said) : undefined;
  return program ? (wordings([program])[0] ?? said) : said;
};
