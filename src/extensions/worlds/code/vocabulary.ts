// The vocabulary. Its tokens are pieces of programs, digits and signs, the words of plans, the words of descriptions,
// and the words of the feedback on a program.
import { kindNames } from './form.ts';
import { tokenizerJsonOf } from '../../../text/lexicon.ts';
import { words } from './descriptions.ts';
import { operationNames } from './programs.ts';

const pieces =
  'xs .slice( .filter(x=> .map(x=> .map((x,i)=> .reverse() .length .at( x i ( ) [ ] , ? : + - * / % < > <= >= === !== && || !';

/**
 * The marks at the beginning of the feedback on a program, and the errors that have their own names in the vocabulary.
 */
export const marks = { passed: '<passed>', failed: '<failed>', error: '<error>' } as const;
export const errorNames = ['SyntaxError', 'TypeError', 'ReferenceError', 'RangeError'] as const;

export const codeTokenizerJson = tokenizerJsonOf([
  ...Object.values(marks),
  ...pieces.split(' '),
  ...'0123456789=;.',
  ...['f(xs)', ...kindNames, ...operationNames, ...errorNames],
  ...words.map((word) => ` ${word}`),
]);
