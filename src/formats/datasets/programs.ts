// HumanEval with programs in JavaScript, as in HumanEval-X. Programs in other languages, such as Python in the original
// data set, are refused, because the page can only judge programs that it can run. The refusal states the language.
import * as v from 'valibot';
import { spoken } from '../../base/spoken.ts';
import { filled, has, lacks, reader, type ReadRow, type ShapeReader } from './reading.ts';

const schema = v.object({
  task_id: v.nullish(v.union([v.string(), v.number()]), ''),
  language: v.nullish(v.string(), ''),
  prompt: filled,
  declaration: v.nullish(v.string()),
  canonical_solution: filled,
  test: filled,
  entry_point: v.nullish(v.string()),
});
type Row = v.InferOutput<typeof schema>;

const python = /^\s*(?:async\s+)?def\s+\w+\s*\(/m;

/**
 * The language that is stated in a row; if no language is stated, the language is detected from the text of the row.
 */
function languageOf({ task_id: id, language, prompt }: Row): string {
  const said = language || `${id}`.split('/')[0] || '';
  if (/^(?:js|javascript)$/i.test(said)) return 'JavaScript';
  if (said !== '' && !/^(?:test|HumanEval|MBPP|\d+)$/i.test(said)) return said;
  return python.test(prompt) ? 'Python' : 'JavaScript';
}

const comments = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;

/** The text of comments, without their delimiters. */
const said = (text: string) =>
  text
    .replaceAll(/^\s*(?:\/\*+|\*+\/|\/\/+|\*(?!\/))|\*+\/\s*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

function read(row: Row): ReadRow {
  const { prompt, declaration, canonical_solution: answer, test, entry_point: called } = row;
  const language = languageOf(row);
  if (language !== 'JavaScript')
    return spoken`programs in ${language} cannot be run here, so they cannot be judged; use JavaScript`;
  const found = prompt.match(comments) ?? [];
  const description = found.map(said).join(' ').trim();
  if (description === '') return spoken`prompt: there is no comment that describes the program`;
  const head = (declaration ?? found.reduce((left, comment) => left.replace(comment, ''), prompt)).trim();
  // In HumanEval, the tests are a function `check`, whose argument is the program to be tested. In other data sets, the
  // tests call the program by its name.
  const calls = typeof called === 'string' && /\bcheck\b/.test(test) && !/^check\(/m.test(test);
  const [first = description] = /^.*?[.?!](?=\s|$)/.exec(description) ?? [];
  return {
    ...{ shown: head, hidden: { description }, answer, slice: 'any', told: { description: first } },
    grade: answer.length < 200 ? 'programs of up to 200 characters' : 'longer programs',
    tests: { before: `${head}\n`, after: calls ? `${test}\ncheck(${called});` : test },
  };
}

const readWhole = reader(schema, read);

/**
 * The reason why rows of MultiPL-E are refused: these rows contain no solutions, which the warm start needs. The tests
 * also require a Node module.
 */
const unsolved = () =>
  spoken`the row has tests but no solution (as in MultiPL-E), and a warm start needs solutions; use HumanEval-X in JavaScript, which has tests and solutions in the columns prompt, canonical_solution and test`;

export const humanEval: ShapeReader = {
  isOf: (row) => has(row, 'prompt') && (has(row, 'test') || has(row, 'tests')),
  read: (row, options) => {
    const isUnsolved = typeof row === 'object' && row !== null && 'tests' in row && lacks(row, 'canonical_solution');
    return isUnsolved ? unsolved() : readWhole(row, options);
  },
};
