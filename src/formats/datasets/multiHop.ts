// Questions whose answer depends on several paragraphs: HotpotQA, which is read from its own JSON format and from
// tables, and 2WikiMultihopQA. The paragraphs are divided between two agents: first the supporting paragraphs,
// alternately; then the other paragraphs, as long as a context has space.
import * as v from 'valibot';
import { quoted } from '../../base/quote.ts';
import { inEnglish, spoken } from '../../base/spoken.ts';
import { paragraphGrade, type Example } from '../../config/worlds/imported.ts';
import { plainWords } from '../../text/normalised.ts';
import { readLooseJson } from '../looseJson.ts';
import { filled, has, lacks, reader, type ReadRow, type ReadOptions, type ShapeReader } from './reading.ts';

const text = v.string();
const place = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Parses a column that some tables store as JSON text; any other value is returned unchanged. */
function unwrapped(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return readLooseJson(value);
  } catch {
    return value;
  }
}

const zipped = <T>(names: readonly string[], items: readonly T[]): [string, T][] | null =>
  names.length === items.length ? names.map((name, i) => [name, items[i] as T]) : null;

const unequal = () => spoken`expected lists of the same length, with one entry for each title`;
const pairsOf = () => spoken`expected a list of pairs, each with a title and its entry`;

/**
 * Reads the paragraphs of a context, which is either a list of pairs of title and sentences, or has one column for
 * titles and one for sentences.
 */
const context = v.pipe(
  v.unknown(),
  v.transform(unwrapped),
  v.union(
    [
      v.array(v.tuple([text, v.array(text)])),
      v.pipe(
        v.object({ title: v.array(text), sentences: v.array(v.array(text)) }),
        v.transform(({ title, sentences }) => zipped(title, sentences)),
        v.array(v.tuple([text, v.array(text)]), unequal),
      ),
    ],
    pairsOf,
  ),
);
const facts = v.pipe(
  v.unknown(),
  v.transform(unwrapped),
  v.union(
    [
      v.array(v.tuple([text, place])),
      v.pipe(
        v.object({ title: v.array(text), sent_id: v.array(place) }),
        v.transform(({ title, sent_id: ids }) => zipped(title, ids)),
        v.array(v.tuple([text, place]), unequal),
      ),
    ],
    pairsOf,
  ),
);

const schema = v.object({
  question: filled,
  answer: filled,
  context,
  supporting_facts: facts,
  type: v.nullish(text, ''),
  level: v.nullish(text, ''),
});

interface Paragraph {
  title: string;
  text: string;
  /** The sentences of the paragraph that support the answer; empty if there are none. */
  told: string;
}

const joined = (sentences: readonly string[]) =>
  sentences
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .join(' ');

function read(
  { question, answer, context: paired, supporting_facts: deciding, type, level }: v.InferOutput<typeof schema>,
  { contextSigns }: ReadOptions,
): ReadRow {
  if (plainWords(answer) === '') return spoken`answer: expected a word or a number, got ${quoted(answer)}`;
  if (deciding.length === 0) return spoken`supporting_facts: expected at least one fact, but there is none`;
  const known = new Map(paired);
  for (const [title, at] of deciding) {
    const sentences = known.get(title);
    if (!sentences) return spoken`supporting_facts: no paragraph of the context is called ${quoted(title)}`;
    if (at >= sentences.length)
      return spoken`supporting_facts: ${quoted(title)} has only ${sentences.length} sentences, but the given sentence number is ${at}`;
  }
  const paragraphs = [...known].map(([title, sentences]): Paragraph => {
    const told = sentences.filter((_, i) => deciding.some(([name, at]) => name === title && at === i));
    return { title, text: `${title}: ${joined(sentences)}`, told: joined(told) };
  });
  const decide = ({ told }: Paragraph) => told !== '';
  const halves: [Paragraph[], Paragraph[]] = [[], []];
  paragraphs.filter(decide).forEach((paragraph, i) => halves[i % 2]?.push(paragraph));
  const hops = halves.flat().length;
  for (const paragraph of paragraphs.filter((one) => !decide(one))) {
    const [less] = halves.toSorted((a, b) => signsOf(a) - signsOf(b)) as [Paragraph[]];
    if (signsOf(less) + paragraph.text.length <= contextSigns) less.push(paragraph);
  }
  const by = (of: (half: Paragraph[]) => string): Example['hidden'] => ({
    first: of(halves[0]),
    second: of(halves[1]),
  });
  return {
    ...{ shown: question, answer, slice: type || 'any' },
    // The paragraphs are put back into their original order, so that the supporting paragraphs do not always come
    // first.
    hidden: by((half) =>
      paragraphs
        .filter((one) => half.includes(one))
        .map((one) => one.text)
        .join('\n'),
    ),
    told: by((half) => joined(half.map(({ told }) => told))),
    grade: level || inEnglish(paragraphGrade(hops)),
  };
}

const signsOf = (paragraphs: readonly Paragraph[]) => paragraphs.reduce((sum, { text: of }) => sum + of.length, 0);

const asked = ['question', 'answer', 'context', 'supporting_facts'] as const;

export const hotpotQA: ShapeReader = {
  isOf: (row) => has(row, ...asked) && lacks(row, 'evidences'),
  read: reader(schema, read),
};
export const twoWiki: ShapeReader = {
  isOf: (row) => has(row, ...asked) && !lacks(row, 'evidences'),
  read: reader(schema, read),
};
