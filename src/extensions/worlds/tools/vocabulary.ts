// The vocabulary, in which each entry is one token: marks of tools and of their results, words with the space before
// them, digits, and pieces of programs. So any call reads as people would write it: `<search> Ann lives`, `<calc>34+7`,
// `<js>Math.max(... notes)`.
import { asGiven, because, reasonInEnglish, type Reason } from '../../../base/reason.ts';
import { toolNames, type ToolName } from './form.ts';
import { tokenizerJsonOf } from '../../../text/lexicon.ts';
import { kinds, names, things as storyThings } from '../../../tasks/everydayWords.ts';

export const persons = [
  ...names,
  'Dan',
  'Finn',
  'Gus',
  'Hal',
  'Jan',
  'Kim',
  'Leo',
  'Ned',
  'Ola',
  'Pia',
  'Rob',
  'Zoe',
] as const;
export const towns = [
  'Athens',
  'Berlin',
  'Cairo',
  'Dublin',
  'Lima',
  'Lyon',
  'Oslo',
  'Paris',
  'Prague',
  'Rome',
  'Turin',
  'Vienna',
] as const;
export const rivers = [
  'Aar',
  'Dee',
  'Ebro',
  'Elbe',
  'Inn',
  'Main',
  'Oder',
  'Po',
  'Rhine',
  'Seine',
  'Tiber',
  'Volga',
] as const;
export const jobs = [...kinds, 'cook', 'judge', 'painter', 'tailor'] as const;
export const things = [...storyThings, 'kites', 'lamps', 'pens', 'rings'] as const;
export const fileNames = ['notes', 'list', 'draft', 'log', 'diary', 'memo', 'table', 'index'] as const;

/** The marks that precede calls and their results. */
export const signOf = (tool: ToolName) => `<${tool}>`;
export const marks = { result: '<result>', error: '<error>', left: '<left>' } as const;

/** The answer of an agent that has found nothing. */
export const unknown = ' unknown';

/** The replies to calls that have no result, as reasons say them. */
const replies = {
  malformed: because`malformed call`,
  unknownTool: because`unknown tool`,
  spent: because`nothing left`,
  notFound: because`nothing found`,
  noFile: because`no such file`,
  notSum: because`no such sum`,
  program: because`program`,
} as const;

const asToken = (reply: Reason) => ` ${reasonInEnglish(reply)}`;

/** The same replies as the tools write them, one token each. */
export const errors = {
  malformed: asToken(replies.malformed),
  unknownTool: asToken(replies.unknownTool),
  spent: asToken(replies.spent),
  notFound: asToken(replies.notFound),
  noFile: asToken(replies.noFile),
  notSum: asToken(replies.notSum),
  program: asToken(replies.program),
} as const;

/** The reply that was written as this word. */
export const replyOf = (word: string): Reason =>
  Object.values(replies).find((reply) => asToken(reply).trim() === word) ?? asGiven(word);

const questions =
  'Where does live As what work What own How old is in At which river sold where lives file the town years ago much plus minus largest smallest sum of age and calls';
const facts = 'works as owns aged lies at sells';
const plans = 'search it read calculate write run answer';
const words = [questions, facts, plans, ...Object.values(errors), unknown].join(' ').match(/[A-Za-z]+/g) ?? [];

const pieces = [
  ' ',
  'Math.max(...',
  'Math.min(...',
  '.reduce((a,b)=>a+b)',
  '(',
  ')',
  ',',
  '.',
  '?',
  '+',
  '-',
  '*',
  '/',
];

export const toolsTokenizerJson = tokenizerJsonOf([
  ...toolNames.map(signOf),
  ...Object.values(marks),
  ...pieces,
  ...'0123456789',
  ...[...new Set([...words, ...persons, ...towns, ...rivers, ...jobs, ...things, ...fileNames])].map(
    (word) => ` ${word}`,
  ),
]);
