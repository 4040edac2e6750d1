import { expect, it } from 'vitest';
import { commentsOf, faults, oddSentences, replacedWords, sentencesIn, wordsIn } from './words.mjs';

it('comments, documentation and page texts of this project have no fault', () => {
  expect(faults()).toEqual([]);
});

it('reads replaced words from the last column of the tables', () => {
  const page =
    '| Word | Meaning | Replaces |\n| --- | --- | --- |\n| fork | A `new` run. | copy, `goneOn`, `wayOn` |\n';
  expect(replacedWords(page)).toEqual(['goneOn', 'wayOn']);
});

it('reports a sentence that begins with "Of" or "What", but neither a question nor a short title', () => {
  const text = 'It runs. Of a run only this is kept. What happens? What a plan is: a call. Offers and Whatever pass.';
  expect(oddSentences(text, false)).toEqual(['Of a run only this is kept.', 'What a plan is: a call.']);
  expect(oddSentences('What happens', true)).toEqual([]);
  expect(oddSentences('What happens.', true)).toEqual(['What happens.']);
});

it('reads comments over several lines, and no comment in an address', () => {
  const text = "const at = 'https://a.b';\n// One line\n// and the next.\n/** Two\n * lines. */\n";
  expect(commentsOf(text).map(({ text: said }) => said)).toEqual(['One line and the next.', 'Two lines.']);
  expect(commentsOf('/**\n * Two\n * lines.\n */').map(({ text: said }) => said)).toEqual(['Two lines.']);
});

it('reads comments and texts of code, and paragraphs of pages outside of generated blocks', () => {
  const source = "// Of code.\nconst a = say('What it holds is kept.');\n";
  expect(sentencesIn('a.ts', source)).toMatchObject([{ line: 1 }, { line: 2, text: 'What it holds is kept.' }]);
  const block = '/**\n * What it holds.\n */\nconst program = `\n  // Of a program.\n  f();\n`;\n';
  expect(sentencesIn('a.ts', block).map(({ text }) => text)).toEqual(['What it holds.', 'Of a program.']);
  const page =
    '# What is here\n\nText. Of\na page.\n\n<!-- generated:a -->\n\nOf a table.\n\n<!-- /generated -->\n\n- What it is.\n';
  expect(sentencesIn('docs/a.md', page).map(({ text }) => text)).toEqual(['Of a page.', 'What it is.']);
});

it('finds replaced words whole, in names and in prose', () => {
  const text = 'const goneOn = 1; // goneOnwards\n// Drawn anew.\n';
  expect(wordsIn('a.ts', text, ['goneOn', 'anew']).map(({ line }) => line)).toEqual([1, 2]);
});
