// The type of the format in which the page shows a world, and functions that the formats of several worlds use. Each
// world defines its own format in its folder.
import type { Component } from 'svelte';
import type { Problem } from '../../records/problem.ts';
import type { Trajectory } from '../../records/trajectory.ts';

export interface WorldLook {
  /** Formats a question or an answer for the page. */
  formula: (text: string) => string;
  /**
   * The title of a problem whose text alone is not clear enough. If absent, the title is the formula of the problem.
   */
  title?: (shown: string) => string;
  /** Formats messages and reasons that are part of a sentence. */
  sentence: (text: string) => string;
  /** The tokens of a text. If `ids` is given, tokens with several characters can be recognised. */
  tokens: (text: string, ids?: readonly number[]) => string[];
  /**
   * Formats hidden texts, and texts that the world shows during the dialogue. If absent, these texts are shown as plain
   * text.
   */
  note?: (text: string) => string;
  /** Draws a problem next to its texts, including the messages that are known so far. */
  Figure?: Component<{ problem: Problem; trajectory: Trajectory | null }>;
  /** Whether a hidden text that no agent sees is read piece by piece. */
  isReadInPieces?: true;
  /** Shows new visitors how a perfect team would solve a problem. */
  Played?: Component<{ trajectory: Trajectory }>;
}

/** The format of texts that are shown unchanged. Each word is a token. */
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
 * Replaces the characters * and - in formulas within a sentence by mathematical signs: `4*2-5 is left` becomes `4×2−5
 * is left`. A hyphen between letters is not replaced.
 */
export const mathText = (text: string) =>
  text
    .replace(/\*/g, '×')
    .replace(/\/(?=[\d-])/g, '÷')
    .replace(/-(?=[\d(])/g, '−');

/** Splits a text into tokens: each word is one token, and each digit and each sign is one token. */
export const wordTokens = (text: string): string[] =>
  (text.match(/<[^<>\s]+>|[A-Za-z]+|\S/gu) ?? []).map((token) => (token === '/' ? token : (signs[token] ?? token)));
