// The words of stories, and of facts and rules. They form one vocabulary, so that knowledge about names and function
// words can be transferred from one world to another. A word is one token, including the space before it. Each digit
// and each sign is one token. So the text decoded from any ids is encoded into the same ids, and it reads as people
// write it: ` Ann has seven apples.`
import { tokenizerJsonOf } from '../text/lexicon.ts';

export const names = ['Ann', 'Ben', 'Eva', 'Ida', 'Max', 'Mia', 'Sam', 'Tom'] as const;

/** Numbers in stories, starting with two. */
export const numberWords = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'] as const;

export const things = ['apples', 'cards', 'coins', 'cups', 'eggs', 'gloves', 'shells', 'socks'] as const;
export const containers = ['bags', 'boxes', 'jars'] as const;

/** The kinds that facts state about a person, and the traits. */
export const kinds = ['baker', 'doctor', 'farmer', 'miner', 'pilot', 'sailor', 'singer', 'teacher'] as const;
export const traits = ['brave', 'calm', 'clever', 'honest', 'kind', 'quick', 'strong', 'tidy'] as const;

/** The words between names, numbers and things, and the answers to a claim. */
const joints =
  'has finds buys gets loses breaks gives more fewer than times as many with in each of pairs dozen a day for week is years old How does have not Every No follows contradicted unknown';

const signs = '0123456789+-*=;.?';
const words = [...names, ...numberWords, ...things, ...containers, ...kinds, ...traits, ...joints.split(' ')];

export const tokenizerJson = tokenizerJsonOf([...signs, ...words.map((word) => ` ${word}`)], ' [A-Za-z]+|.');
