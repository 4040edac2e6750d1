// The format of a world on the page, and the typesetting shared by several worlds. Each world defines its own in its
// folder.
import type { Component } from 'svelte';
import type { Problem } from '../../records/problem.ts';
import type { Trajectory } from '../../records/trajectory.ts';

export interface WorldLook {
  /** A question or an answer. */
  formula: (text: string) => string;
  /** The title of a problem if its text alone is not clear enough; absent: its formula. */
  title?: (shown: string) => string;
  /** Messages and reasons of the check, within a sentence. */
  sentence: (text: string) => string;
  /** The tokens of a text; ids distinguish tokens of several characters. */
  tokens: (text: string, ids?: readonly number[]) => string[];
  /** The hidden texts and the texts that the world shows during the dialogue; absent: as plain text. */
  note?: (text: string) => string;
  /** Draws a problem next to its texts, with the messages known so far. */
  Figure?: Component<{ problem: Problem; trajectory: Trajectory | null }>;
  /** A hidden text that no agent sees is read piece by piece. */
  isReadInPieces?: true;
  /** Plays a problem as a perfect team would, for first-time viewers of the world. */
  Played?: Component<{ trajectory: Trajectory }>;
}

/** A plain text, one word per token. */
export const asWritten: WorldLook = {
  formula: (text) => text,
  sentence: (text) => text,
  tokens: (text) => text.match(/<[^<>\s]+>|[^<\s]+/gu) ?? [],
};

const signs: Readonly<Record<string, string>> = { '*': '×', '/': '÷', '-': '−' };

/** An expression typeset as in print: `7+4*2-5` becomes `7 + 4 × 2 − 5`; a sign before a number stays with it. */
export const typeset = (expression: string): string =>
  expression
    .replace(/\s+/g, '')
    .replace(/([\d)])([+\-*/=])/g, '$1 $2 ')
    .replace(/[*/-]/g, (sign) => signs[sign] ?? sign);

/** Signs within a sentence: `4*2-5 is left` becomes `4×2−5 is left`; a hyphen between letters stays. */
export const mathText = (text: string) =>
  text
    .replace(/\*/g, '×')
    .replace(/\/(?=[\d-])/g, '÷')
    .replace(/-(?=[\d(])/g, '−');

/** Words as a whole, digits and signs one by one. */
export const wordTokens = (text: string): string[] =>
  (text.match(/<[^<>\s]+>|[A-Za-z]+|\S/gu) ?? []).map((token) => (token === '/' ? token : (signs[token] ?? token)));
