// The vocabulary of texts and notes. Each word is one token, which includes the space before the word. The marks before
// a piece and before a recalled note are tokens too.
import { tokenizerJsonOf } from '../../../text/lexicon.ts';

export const persons = [
  'Ann',
  'Ben',
  'Cleo',
  'Dan',
  'Eva',
  'Finn',
  'Gus',
  'Hal',
  'Ida',
  'Jan',
  'Kim',
  'Leo',
  'Max',
  'Ned',
  'Ola',
  'Pia',
] as const;
export const rooms = ['attic', 'barn', 'cellar', 'den', 'hall', 'kitchen', 'porch', 'study'] as const;
export const things = ['ball', 'book', 'coat', 'cup', 'drum', 'flute', 'key', 'lamp'] as const;
export const dishes = ['bread', 'cake', 'fish', 'rice', 'soup', 'tea'] as const;

/**
 * The note of a reader that has found no relevant fact, and the answer of an agent whose notes contain no relevant
 * fact.
 */
export const nothing = ' nothing.';
export const unknown = ' unknown';

export const signs = { recall: '<recall>', piece: '<text>', end: '<end>' } as const;

const joints = ['Where', 'is', 'in', 'has', 'likes', 'nothing', 'unknown'];
const words = [...joints, ...persons, ...rooms, ...things, ...dishes];

export const memoryTokenizerJson = tokenizerJsonOf([
  ...Object.values(signs),
  ...['.', '?'],
  ...words.map((word) => ` ${word}`),
]);
