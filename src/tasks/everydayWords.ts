// The words of all worlds that tell stories or state facts and rules. All these worlds have the same vocabulary, so
// what agents learn about names and function words in one world can help them in another. A word is one token,
// including the space before it. Each digit and each sign is one token. Therefore, token ids do not change if they are
// decoded to text and encoded again, and texts look like ordinary English: ` Ann has seven apples.`
import { tokenizerJsonOf } from '../text/lexicon.ts';

export const names = ['Ann', 'Ben', 'Eva', 'Ida', 'Max', 'Mia', 'Sam', 'Tom'] as const;

/** The words for the numbers in stories, beginning with two. */
export const numberWords = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'] as const;

export const things = ['apples', 'cards', 'coins', 'cups', 'eggs', 'gloves', 'shells', 'socks'] as const;
export const containers = ['bags', 'boxes', 'jars'] as const;

/** The categories and the traits that a fact can assign to a person. */
export const kinds = ['baker', 'doctor', 'farmer', 'miner', 'pilot', 'sailor', 'singer', 'teacher'] as const;
export const traits = ['brave', 'calm', 'clever', 'honest', 'kind', 'quick', 'strong', 'tidy'] as const;

/** The words between names, numbers and things, and the answers to a claim. */
const joints =
  'has finds buys gets loses breaks gives more fewer than times as many with in each of pairs dozen a day for week is years old How does have not Every No follows contradicted unknown';

const signs = '0123456789+-*=;.?';
const words = [...names, ...numberWords, ...things, ...containers, ...kinds, ...traits, ...joints.split(' ')];

export const tokenizerJson = tokenizerJsonOf([...signs, ...words.map((word) => ` ${word}`)], ' [A-Za-z]+|.');
