// The vocabulary. Its tokens are the marks of tools and of their results, words with the space before them, digits, and
// pieces of programs. Calls are therefore easy to read: `<search> Ann lives`, `<calc>34+7`, `<js>Math.max(... notes)`.
import { because, type Reason } from '../../../base/reason.ts';
import { reasonInEnglish } from '../../../base/spoken.ts';
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

/** The tokens at the beginning of calls and of their results. */
export const signOf = (tool: ToolName) => `<${tool}>`;
export const marks = { result: '<result>', error: '<error>', left: '<left>' } as const;

/** The answer of an agent that does not know the answer. */
export const unknown = ' unknown';

const asToken = (reply: Reason) => ` ${reasonInEnglish(reply)}`;

/** The replies to calls that find nothing or are invalid. Each reply is a single token. */
export const errors = {
  malformed: asToken(because`malformed call`),
  unknownTool: asToken(because`unknown tool`),
  spent: asToken(because`nothing left`),
  notFound: asToken(because`nothing found`),
  noFile: asToken(because`no such file`),
  notSum: asToken(because`no such sum`),
  program: asToken(because`program`),
} as const;

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
