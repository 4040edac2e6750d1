// The world in plain words, for agents that are language models: their prompts, and how their messages are read and
// written. A plan is a move such as `Add 4 to both sides of equation 1.`, and a reply is the new equation, `3x = 15`. A
// whole answer lists every move with its result: `Add 4 to both sides of equation 1: 3x = 15.` and so on.
import type { Problem } from '../../../records/problem.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import type { PromptTexts } from '../../../tasks/inWords/names.ts';
import { parseRelation } from './linear.ts';
import { isMove } from './moves.ts';

const ask = 'Write every move with its result, such as: {example}';
const again = `Consider what you have heard. {question} ${ask}`;

/** The maximum number of tokens of a turn. */
export const chatWindow = 64;

export const prompts = {
  start: '{question} One of the two unknowns must be found.',
  'start.plan': '{question}',
  'start.step': '{question}',
  'hidden.asked': 'Find {asked}.',
  'ask.plan':
    'Write only the next move, such as "{move}" or "Divide both sides by 2." If the unknown stands alone, write [FINISH].',
  'ask.step': 'Make only this move. Write only the new {noun}.',
  'ask.alone': 'Make the next move. Write only the new {noun}.',
  ask,
  'again.tell': again,
  'again.answer': again,
} as const satisfies PromptTexts;

type Shown = Pick<Problem, 'shown'>;

/** The word for the relations of a problem. */
const nounOf = ({ shown }: Shown) => (/[<>]/.test(shown) ? 'inequality' : 'equation');

export const facts: WorldModule['facts'] = (problem, sees) => {
  const { shown, hidden } = problem;
  const noun = nounOf(problem);
  const isJoint = /x[^;]*y/.test(shown.split(';')[0] ?? '');
  const sign = noun === 'equation' ? '=' : '<';
  const solution = isJoint ? '(1)-2(2);3x=6;/3;x=2' : '(1)+1;2x=6;/2;x=3';
  const relations = shown
    .split(';')
    .map((relation, i) => `${noun === 'equation' ? 'Equation' : 'Inequality'} ${i + 1}: ${spaced(relation)}.`);
  return {
    question: relations.join(' '),
    noun,
    move: `${moveInWords(problem, isJoint ? '(1)-2(2)' : '(1)+1') ?? ''}.`,
    example: solutionInWords(problem, solution.replaceAll('=', sign)) ?? '',
    ...(sees.includes('asked') && { asked: (hidden['asked'] ?? '').replace('?', '') }),
  };
};

/** A relation with spaces: `2x+3=9` becomes `2x + 3 = 9`. */
const spaced = (relation: string): string => relation.replaceAll(/(?<=[\dxy])([-+=<>])/g, ' $1 ');

/** A move as an English sentence without its full stop; null if the text is not a move. */
function moveInWords(problem: Shown, text: string): string | null {
  if (!isMove(text)) return null;
  const noun = nounOf(problem);
  const [, of, sign = '', what = ''] = /^(?:\(([12])\))?([-+*/])(.+)$/.exec(text) ?? [];
  const [, times, other] = /^(\d?)\(([12])\)$/.exec(what) ?? [];
  const sides =
    other === undefined ? (of === undefined ? 'both sides' : `both sides of ${noun} ${of}`) : `${noun} ${of ?? ''}`;
  const added = other === undefined ? what : `${times === '' ? '' : `${times ?? ''} times `}${noun} ${other}`;
  if (sign === '+') return `Add ${added} to ${sides}`;
  if (sign === '-') return `Subtract ${added} from ${sides}`;
  return `${sign === '*' ? 'Multiply' : 'Divide'} ${sides} by ${what}`;
}

/** A solution with every move as a sentence; null if the text is neither a solution nor a relation. */
function solutionInWords(problem: Shown, text: string): string | null {
  const pieces = text.split(';');
  if (pieces.length === 1) return parseRelation(text) && spaced(text);
  const said: string[] = [];
  for (let i = 0; i < pieces.length; i += 2) {
    const move = moveInWords(problem, pieces[i] ?? '');
    const relation = pieces[i + 1];
    if (move === null || relation === undefined || (relation !== '' && !parseRelation(relation))) return null;
    said.push(`${move}${relation === '' ? '' : `: ${spaced(relation)}`}.`);
  }
  return said.join(' ');
}

/**
 * Replacements that bring moves and relations into a uniform form, in this order. The relations of the problem become
 * `@1` and `@2`, and the words `both sides` are left out.
 */
const uniform: readonly (readonly [RegExp, string])[] = [
  [/\*\*|\$|\\[()[\]]/g, ''],
  [/[−–]/g, '-'],
  [/\b(?:equation|inequality|line|eq\.?) ?\(?([12])(?![\dxy])\)?/g, '@$1'],
  [/\b(?:first (?:equation|inequality|line|one)|(?:equation|inequality|line) one)\b/g, '@1'],
  [/\b(?:second (?:equation|inequality|line|one)|(?:equation|inequality|line) two)\b/g, '@2'],
  [/\(([12])\)/g, '@$1'],
  [/\bthe (?=@)/g, ''],
  [/\b(?:both|each) sides? ?(?:of )?/g, ''],
  [/(?<=\d) ?\* ?(?=[xy](?![a-z]))/g, ''],
  [/(?<!\d)1(?=[xy](?![a-z]))/g, ''],
  [/(?<=\d|(?<![a-z])[xy]) (?:is less than|is smaller than) (?=-?[\dxy])/g, '<'],
  [/(?<=\d|(?<![a-z])[xy]) (?:is greater than|is more than) (?=-?[\dxy])/g, '>'],
  [/(?<=\d|(?<![a-z])[xy]) (?:equals|is equal to|is) (?=-?[\dxy])/g, '='],
  [/(?<=\d|(?<![a-z])[xy])[^\S\n]*([-+=<>])[^\S\n]*(?=-?(?:\d|[xy](?![a-z])))/g, '$1'],
];

const term = String.raw`-?(?:\d+[xy]?|[xy])(?![a-z\d]|\.\d)`;
const moves = new RegExp(
  [
    String.raw`\b(add|subtract|take)(?:ing)? (?:(?:(\d) ?(?:times |\* ?)?|(twice) )?@([12])|(${term}))(?: (?:away )?(?:to|from)(?: @([12]))?)?`,
    String.raw`\b(divid|multipl)(?:e|y|ing|ying) (?:(?:@([12])|it|this) )?by (-?\d+)(?![xy\d]|\.\d)`,
  ].join('|'),
  'g',
);
const side = String.raw`-?(?:\d+[xy]?|[xy])(?:[-+](?:\d+[xy]?|[xy]))*`;
const relations = new RegExp(String.raw`(?<![@\w/*=<>+-]|\d\.)${side}(?:[=<>]${side})+(?![\w/*(=<>+-]|\.\d)`, 'g');

interface Found {
  at: number;
  text: string;
  isMove: boolean;
}

/** The moves and relations in a text, in the notation of the world and in their order. */
function foundIn(text: string): Found[] {
  const plain = uniform.reduce((read, [words, sign]) => read.replaceAll(words, sign), text.toLowerCase());
  const made = [...plain.matchAll(moves)].map((match) => ({ at: match.index, text: moveOf(match), isMove: true }));
  const written = [...plain.matchAll(relations)].map(({ index, 0: whole }) => ({
    at: index,
    text: relationOf(whole),
    isMove: false,
  }));
  return [...made, ...written]
    .filter((found) => (found.isMove ? isMove(found.text) : parseRelation(found.text) !== null))
    .sort((one, other) => one.at - other.at);
}

/** The move that a match of `moves` describes. The result may be impossible, such as `+0`. */
function moveOf([, verb = '', times, twice, other, added = '', of, scaling, scaled, factor = '']: RegExpExecArray) {
  if (scaling !== undefined) return `${relationName(scaled)}${scaling === 'divid' ? '/' : '*'}${factor}`;
  const isNegative = added.startsWith('-') !== (verb !== 'add');
  const factorOf = twice === undefined ? (times ?? '') : '2';
  const what =
    other === undefined ? added.replace('-', '') : `${factorOf === '1' ? '' : factorOf}${relationName(other)}`;
  return `${relationName(of)}${isNegative ? '-' : '+'}${what}`;
}

const relationName = (number: string | undefined) => (number === undefined ? '' : `(${number})`);

/** A relation with one sign. A chain of equations, such as `2y=9-5=4`, becomes `2y=4`. */
function relationOf(chain: string): string {
  const sides = chain.split('=');
  return sides.length > 2 ? `${sides[0] ?? ''}=${sides.at(-1) ?? ''}` : chain;
}

/** The first move in a text, which may also be written in the notation of the world. */
function planIn(text: string): string | null {
  const written = text.replaceAll(/\s/g, '').replaceAll('−', '-').replace('+-', '-');
  return isMove(written) ? written : (foundIn(text).find((found) => found.isMove)?.text ?? null);
}

/** The last relation in a text. */
const replyIn = (text: string): string | null => foundIn(text).findLast((found) => !found.isMove)?.text ?? null;

/**
 * The solution in a text, such as `(1)+4;3x=15;/3;x=5`. The result of a move is the last relation before the next move. If
 * the text contains no moves, the solution is only its last relation.
 */
function answerIn(text: string): string | null {
  const steps: { plan: string; reply: string }[] = [];
  for (const found of foundIn(text)) {
    const last = steps.at(-1);
    if (found.isMove) steps.push({ plan: found.text, reply: '' });
    else if (last) last.reply = found.text;
  }
  return steps.length === 0 ? replyIn(text) : steps.map(({ plan, reply }) => `${plan};${reply}`).join(';');
}

export const fromWords: WorldModule['fromWords'] = (problem, { duty, text, ...speaker }) => {
  const said = text.trim();
  // A planner may end the dialogue without a plan.
  if (duty === 'plan' && said === '') return { text: '', isExact: true };
  const isAnswer = duty === 'answer' || duty === 'tell';
  const found = isAnswer ? answerIn(said) : duty === 'plan' ? planIn(said) : replyIn(said);
  if (found === null) return { text: said, isExact: false };
  const isWhole = !isAnswer || (found.includes(';') && !found.split(';').includes(''));
  return { text: found, isExact: isWhole && toWords(problem, { ...speaker, duty, text: found }) === said };
};

export const toWords: NonNullable<WorldModule['toWords']> = (problem, { duty, text }) => {
  const said = text.trim();
  if (duty === 'answer' || duty === 'tell') return solutionInWords(problem, said) ?? said;
  if (duty !== 'plan') return parseRelation(said) ? spaced(said) : said;
  const move = moveInWords(problem, said);
  return move === null ? said : `${move}.`;
};
