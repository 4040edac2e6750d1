// The format of a world on the page, and typesetting that several worlds share. Each world defines its own format in
// its folder.
import type { Component } from 'svelte';
import type { Problem } from '../../records/problem.ts';
import type { Trajectory } from '../../records/trajectory.ts';

export interface WorldLook {
  /** Formats a question or an answer. */
  formula: (text: string) => string;
  /**
   * The title of a problem whose text alone is not clear enough. If absent, the title is the formula of the problem.
   */
  title?: (shown: string) => string;
  /** Formats messages, and reasons that the checker gives, within a sentence. */
  sentence: (text: string) => string;
  /** The tokens of a text. `ids` make it possible to distinguish tokens of several characters. */
  tokens: (text: string, ids?: readonly number[]) => string[];
  /** Formats hidden texts, and texts that the world shows during the dialogue. If absent, they are plain text. */
  note?: (text: string) => string;
  /** Draws a problem next to its texts, with the messages known so far. */
  Figure?: Component<{ problem: Problem; trajectory: Trajectory | null }>;
  /** Whether a hidden text that no agent sees is read piece by piece. */
  isReadInPieces?: true;
  /** Shows visitors who see the world for the first time how a perfect team would solve a problem. */
  Played?: Component<{ trajectory: Trajectory }>;
}

/** Plain text with one word per token. */
export const asWritten: WorldLook = {
  formula: (text) => text,
  sentence: (text) => text,
  tokens: (text) => text.match(/<[^<>\s]+>|[^<\s]+/gu) ?? [],
};

const signs: Readonly<Record<string, string>> = { '*': '×', '/': '÷', '-': '−' };

/**
 * An expression in printed form: `7+4*2-5` becomes `7 + 4 × 2 − 5`. There is no space between a sign and its number.
 */
export const typeset = (expression: string): string =>
  expression
    .replace(/\s+/g, '')
    .replace(/([\d)])([+\-*/=])/g, '$1 $2 ')
    .replace(/[*/-]/g, (sign) => signs[sign] ?? sign);

/**
 * Replaces mathematical signs within a sentence: `4*2-5 is left` becomes `4×2−5 is left`. A hyphen between letters is
 * not replaced.
 */
export const mathText = (text: string) =>
  text
    .replace(/\*/g, '×')
    .replace(/\/(?=[\d-])/g, '÷')
    .replace(/-(?=[\d(])/g, '−');

/** A word is one token; digits and signs are separate tokens. */
export const wordTokens = (text: string): string[] =>
  (text.match(/<[^<>\s]+>|[A-Za-z]+|\S/gu) ?? []).map((token) => (token === '/' ? token : (signs[token] ?? token)));
