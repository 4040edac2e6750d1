// Checks the words of comments, documentation and page texts against docs/words.md. It reports (a) each sentence that
// begins with "Of" or "What" and is not a question, and (b) each use of a word that is in `code` in the last column of
// the tables.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './freshness.mjs';

/** @typedef {{ file: string, line: number, text: string }} Use */

const code = /\.(ts|mjs|js|svelte)$/;
// These files are not checked: the list itself, its check, and the log, which keeps the words of its time.
const apart = ['docs/words.md', 'docs/log.md', 'scripts/words.mjs', 'scripts/words.test.ts'];
const comment = /(?<=^|[\s;{}(),])(?:(?:\/\/[^\n]*(?:\n[ \t]*(?=\/\/))?)+|\/\*[^]*?\*\/|<!--[^]*?-->)/g;
const literal = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;

/**
 * Returns the words that the tables of docs/words.md replace.
 * @param {string} page
 * @returns {string[]}
 */
export function replacedWords(page) {
  const cells = [...page.matchAll(/^\|.*\|([^|]*)\|$/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word));
}

/**
 * Returns the sentences that begin with "Of" or "What". A title of at most six words may begin with "What".
 * @param {string} text prose on one line
 * @param {boolean} mayBeTitle
 * @returns {string[]}
 */
export function oddSentences(text, mayBeTitle) {
  const sentences = [
    ...text.matchAll(/(?:^|[.!?:][)*_”’"]*\s+(?:\*\*)?)((?:Of|What)\b(?:[^.!?]|[.!?](?!\s|$))*[.!?]?)/g),
  ];
  return sentences
    .map(([, sentence = '']) => sentence.trim())
    .filter((sentence) => !/\?\W*$/.test(sentence))
    .filter((sentence) => !(mayBeTitle && /^What[^.!;:]*$/.test(sentence) && sentence.split(' ').length <= 6));
}

/**
 * Returns the comments of a code file without their marks, each on one line.
 * @param {string} text
 * @returns {{ at: number, text: string }[]}
 */
export function commentsOf(text) {
  return [...text.matchAll(comment)].map(({ index, 0: found }) => ({
    at: index,
    text: found
      .replace(/^(?:\/\/|\/\*\*?(?:\s*\*(?!\/))?|<!--)\s*|\s*(?:\*\/|-->)$/g, '')
      .replace(/\n\s*(?:\/\/|\*(?!\*))?[ \t]*/g, ' '),
  }));
}

/**
 * Returns the odd sentences of one file.
 * @param {string} file
 * @param {string} text
 * @returns {Use[]}
 */
export function sentencesIn(file, text) {
  const isPage = file.endsWith('.md');
  const source = isPage ? withoutBlocks(text).replace(/^(?:#|\|).*$/gm, '') : text;
  const lineAt = (/** @type {number} */ at) => source.slice(0, at).split('\n').length;
  /** @type {(at: number, prose: string, mayBeTitle: boolean) => Use[]} */
  const uses = (at, prose, mayBeTitle) =>
    oddSentences(prose, mayBeTitle).map((sentence) => ({ file, line: lineAt(at), text: sentence }));
  if (isPage) {
    const paragraphs = [
      ...source.matchAll(/(?:^|\n)(?:[ \t]*(?:- |\d+\. |> ))?((?:(?!\n[ \t]*(?:\n|- |\d+\. |> )|\n\n)[^])+)/g),
    ];
    return paragraphs.flatMap(({ index, 1: found = '' }) =>
      uses(index + 1, found.replace(/\s*\n\s*/g, ' ').trim(), false),
    );
  }
  if (/\.(json|yaml)$/.test(file)) {
    const value = file.endsWith('.json') ? /^\s*"[^"]*": "((?:[^"\\]|\\.)*)"/gm : /^ +(?:[\w.]+: )?['"]?(.+?)['"]?$/gm;
    const values = [...text.matchAll(value)];
    return values.flatMap(({ index, 1: value = '' }) => uses(index + 1, value.replaceAll('\\n', ' '), true));
  }
  const bare = text.replace(comment, (found) => found.replace(/[^\n]/g, ' '));
  return [
    ...commentsOf(text).flatMap(({ at, text: said }) => uses(at, said, false)),
    ...[...bare.matchAll(literal)].flatMap(({ index, 1: one, 2: two, 3: three }) =>
      uses(index, (one ?? two ?? three ?? '').replaceAll('\\n', ' '), true),
    ),
  ];
}

/**
 * Returns the uses of replaced words in one file.
 * @param {string} file
 * @param {string} text
 * @param {readonly string[]} words
 * @returns {Use[]}
 */
export function wordsIn(file, text, words) {
  const any = new RegExp(`(?<![\\w-])(?:${words.join('|')})(?![\\w-])`, 'gi');
  // The keys of messages and the fields of lessons are not checked, because links contain these names.
  const prose = /\.(json|yaml)$/.test(file) ? text.replace(/^([\s-]*)(?:"[^"]*"|[\w.]+):/gm, '$1') : text;
  const lines = (file.endsWith('.md') ? withoutBlocks(text) : prose).split('\n');
  return lines.flatMap((line, index) =>
    [...line.matchAll(any)].map(([word]) => ({ file, line: index + 1, text: `${word}: ${line.trim().slice(0, 100)}` })),
  );
}

/**
 * Returns a page with its generated blocks and its code blanked, line by line. They are checked in their sources.
 * @param {string} text
 */
function withoutBlocks(text) {
  return text.replace(/<!-- generated:[^]*?<!-- \/generated -->|^\s*```[^]*?^\s*```/gm, (found) =>
    found.replace(/[^\n]/g, ''),
  );
}

/**
 * Returns the file of a lesson with everything except its texts blanked, because steps are names and numbers.
 * @param {string} lesson
 */
const textsAlone = (lesson) => lesson.replace(/^[^]*?^texts:/m, (steps) => steps.replace(/[^\n]/g, ''));

/**
 * Returns all odd sentences and replaced words in the tree, one line each.
 * @returns {string[]}
 */
export function faults() {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = listed.split('\n').filter((file) => {
    const isProse =
      /^(?:README|CONTRIBUTING)\.md$|^docs\/.*\.md$|^messages\/en\.json$|^src\/extensions\/.*\.yaml$/.test(file);
    return (isProse || code.test(file)) && !apart.includes(file) && existsSync(path.join(root, file));
  });
  const words = replacedWords(readFileSync(path.join(root, 'docs', 'words.md'), 'utf8'));
  return files.flatMap((file) => {
    const whole = readFileSync(path.join(root, file), 'utf8');
    const text = file.endsWith('.yaml') ? textsAlone(whole) : whole;
    return [
      ...sentencesIn(file, text).map((use) => inWords(use, 'begins with "Of" or "What"; write the subject first')),
      ...wordsIn(file, text, words).map((use) => inWords(use, 'docs/words.md replaces it')),
    ];
  });
}

/** @type {(use: Use, fault: string) => string} */
const inWords = ({ file, line, text }, fault) => `${file}:${line} ${fault}: ${text}`;

if (process.argv[1] === import.meta.filename) {
  const found = faults();
  for (const fault of found) console.error(fault);
  process.exit(found.length > 0 ? 1 : 0);
}
