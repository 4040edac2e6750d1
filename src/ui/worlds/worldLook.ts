// How a world is set on the page, and the typesetting that several worlds share. Each world states its own in its folder.
import type { Component } from 'svelte';
import type { Problem } from '../../records/problem.ts';
import type { Trajectory } from '../../records/trajectory.ts';

export interface WorldLook {
  /** A question or an answer. */
  formula: (text: string) => string;
  /** The title of a problem where its text alone says too little; absent: its formula. */
  title?: (shown: string) => string;
  /** Messages and reasons of the check, within a sentence. */
  sentence: (text: string) => string;
  /** The tokens of a text; ids tell tokens of several signs apart. */
  tokens: (text: string, ids?: readonly number[]) => string[];
  /** The hidden texts and the texts that the world shows on the way; absent: as they are written. */
  note?: (text: string) => string;
  /** Shows a problem beside its texts, with what was said as far as it is known. */
  Figure?: Component<{ problem: Problem; trajectory: Trajectory | null }>;
  /** A hidden text that nobody sees is read piece by piece. */
  isReadInPieces?: true;
  /** Plays a problem out as it should go, for who sees the world for the first time. */
  Played?: Component<{ trajectory: Trajectory }>;
}

/** A text as it is written, a word a token. */
export const asWritten: WorldLook = {
  formula: (text) => text,
  sentence: (text) => text,
  tokens: (text) => text.match(/<[^<>\s]+>|[^<\s]+/gu) ?? [],
};

const signs: Readonly<Record<string, string>> = { '*': '×', '/': '÷', '-': '−' };

/** An expression set as in print: `7+4*2-5` is `7 + 4 × 2 − 5`; a sign before a number stays with it. */
export const typeset = (expression: string): string =>
  expression
    .replace(/\s+/g, '')
    .replace(/([\d)])([+\-*/=])/g, '$1 $2 ')
    .replace(/[*/-]/g, (sign) => signs[sign] ?? sign);

/** Signs within a sentence: `4*2-5 is left` reads `4×2−5 is left`; a hyphen between letters stays. */
export const mathText = (text: string) =>
  text
    .replace(/\*/g, '×')
    .replace(/\/(?=[\d-])/g, '÷')
    .replace(/-(?=[\d(])/g, '−');

/** Words whole, digits and signs one by one. */
export const wordTokens = (text: string): string[] =>
  (text.match(/<[^<>\s]+>|[A-Za-z]+|\S/gu) ?? []).map((token) => (token === '/' ? token : (signs[token] ?? token)));
