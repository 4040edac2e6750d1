// Makes a table from the rows that were read from a file. A vocabulary is learned from the texts of the rows. Rows that
// cannot be used as problems are left out, each with a reason.
import { FormatError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import { mostLevels } from '../../../config/worlds/form.ts';
import {
  datasetShapes,
  fewestRows,
  type PlacedExample,
  type ShapeName,
  type ImportedTable,
} from '../../../config/worlds/imported.ts';
import { bytePairTokenizer, piecesOf } from '../../../text/bytePairs.ts';
import { specialTokens } from '../../../text/lexicon.ts';
import { tokenizerOf } from '../../../text/tokenizer.ts';
import { judgeRow } from './judging.ts';
import { promptRoom, type Room } from './table.ts';
import { answerText, shownText, stepsOf } from './texts.ts';

/** The maximum number of steps of a solution. */
const mostSteps = 8;

export interface TableOptions {
  /** Maximum number of tokens of the vocabulary. */
  vocabulary: number;
  /** The maximum number of tokens of a prompt. A message may have a quarter of this number. */
  prompt: number;
}

/** A row that is left out, and the reason why. */
export interface LeftOut {
  row: number;
  reason: string;
}

/** Measures the lengths of texts in tokens. Each piece of a text is tokenised only once. */
function lengthsIn(json: object): (text: string) => number {
  const tokenizer = tokenizerOf(json);
  const known = new Map<string, number>();
  return (text) => {
    let sum = 0;
    for (const piece of piecesOf(text)) {
      let length = known.get(piece);
      if (length === undefined) known.set(piece, (length = tokenizer.encode(piece).length));
      sum += length;
    }
    return sum;
  };
}

/** All texts of a row: those that agents see, and the messages of an agent that sees all hidden texts. */
function textsOf(example: PlacedExample): string[] {
  const sees = Object.keys(example.hidden);
  return [shownText(example, sees), answerText(example, sees), ...stepsOf(example, sees).flat()];
}

/** The lengths of the texts of a row, in tokens. */
function roomOf(example: PlacedExample, length: (text: string) => number): Room {
  const sees = Object.keys(example.hidden);
  const steps = stepsOf(example, sees);
  return {
    shown: length(example.shown),
    hidden: Object.fromEntries(sees.map((name) => [name, length(example.hidden[name] as string)])),
    plan: Math.max(...steps.map(([plan]) => length(plan))),
    reply: Math.max(...steps.map(([, reply]) => length(reply))),
    answer: length(answerText(example, sees)),
    steps: steps.length,
  };
}

const larger = (one: Room, other: Room): Room => ({
  shown: Math.max(one.shown, other.shown),
  hidden: Object.fromEntries(
    Object.entries(one.hidden).map(([name, length]) => [name, Math.max(length, other.hidden[name] ?? 0)]),
  ),
  plan: Math.max(one.plan, other.plan),
  reply: Math.max(one.reply, other.reply),
  answer: Math.max(one.answer, other.answer),
  steps: Math.max(one.steps, other.steps),
});

/** The reason why a text of a row is too long; null if no text is too long. */
function overlong(room: Room, { prompt }: TableOptions): string | null {
  const asked = promptRoom(room, Object.keys(room.hidden));
  const said = Math.max(room.plan, room.reply, room.answer) + 1;
  const most = Math.floor(prompt / 4);
  if (asked > prompt) return spoken`the prompt would have ${asked} tokens, but a prompt can have at most ${prompt}`;
  if (said > most) return spoken`the longest message would have ${said} tokens, but a message can have at most ${most}`;
  return room.steps > mostSteps
    ? spoken`the problem needs ${room.steps} steps, but a dialogue can have at most ${mostSteps}`
    : null;
}

/**
 * The grades that become levels, in ascending order of difficulty. If there are too many, the most common ones are
 * used. Grades with too few rows are left out.
 */
function gradesOf(shape: ShapeName, examples: readonly PlacedExample[]): string[] {
  const counts = new Map<string, number>();
  for (const { grade } of examples) counts.set(grade, (counts.get(grade) ?? 0) + 1);
  const order: readonly string[] = datasetShapes[shape].grades;
  const place = (grade: string) => (order.indexOf(grade) + order.length + 1) % (order.length + 1);
  return [...counts]
    .filter(([, count]) => count >= fewestRows)
    .sort(([, a], [, b]) => b - a)
    .slice(0, mostLevels)
    .map(([grade]) => grade)
    .sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
}

/** The maximum number of slices. */
const mostSlices = 12;

/**
 * If there are too many slices, merges the rarest ones into a single slice, because the page draws a curve for each
 * slice.
 */
function fewerSlices(examples: readonly PlacedExample[]): PlacedExample[] {
  const counts = new Map<string, number>();
  for (const { slice } of examples) counts.set(slice, (counts.get(slice) ?? 0) + 1);
  if (counts.size <= mostSlices) return [...examples];
  const common = [...counts].sort(([, a], [, b]) => b - a).slice(0, mostSlices - 1);
  const kept = new Map(common);
  return examples.map((example) => (kept.has(example.slice) ? example : { ...example, slice: 'other' }));
}

/**
 * Makes a table from rows of one shape, and returns it with the rows that are left out. `rejected` contains the rows
 * that could not be converted to problems in an earlier step. Throws FormatError if no level has enough rows.
 */
export async function makeTable(
  shape: ShapeName,
  all: readonly PlacedExample[],
  options: TableOptions,
  rejected: readonly LeftOut[] = [],
): Promise<{ table: ImportedTable; leftOut: LeftOut[] }> {
  const leftOut: LeftOut[] = [];
  /** The rows that have no fault. */
  const keep = (rows: readonly PlacedExample[], fault: (example: PlacedExample) => string | null | undefined) =>
    rows.filter((example) => {
      const reason = fault(example);
      if (reason) leftOut.push({ row: example.row, reason });
      return !reason;
    });
  const plain = keep(all, (example) => {
    const written = textsOf(example).join('\n');
    const special = specialTokens.find((token) => written.includes(token));
    return special && spoken`the row contains ${special}, which is a special token of the dialogue format`;
  });
  const failing = new Set<PlacedExample>();
  for (const example of plain.filter(({ tests }) => tests))
    if (!(await judgeRow(shape, example, { text: example.answer })).isRight) failing.add(example);
  const sound = keep(plain, (example) => (failing.has(example) ? spoken`the solution does not pass the tests` : null));
  const tokenizer = bytePairTokenizer(sound.flatMap(textsOf), options.vocabulary);
  const length = lengthsIn(tokenizer);
  const rooms = new Map(sound.map((example) => [example, roomOf(example, length)]));
  const fitting = keep(sound, (example) => overlong(rooms.get(example) as Room, options));
  const grades = gradesOf(shape, fitting);
  const examples = keep(fitting, ({ grade }) =>
    grades.includes(grade) ? null : spoken`the file has too few rows of the kind “${grade}” for a level`,
  );
  const levels = grades.map((grade) => {
    const own = examples.filter((example) => example.grade === grade);
    return { grade, ...own.map((example) => rooms.get(example) as Room).reduce(larger) };
  });
  if (levels.length === 0) {
    const [first] = [...rejected, ...leftOut];
    throw new FormatError(
      spoken`the file: expected at least ${fewestRows} rows that can be used as questions, got ${fitting.length} of ${all.length + rejected.length}${first ? spoken`; row ${first.row}: ${first.reason}` : ''}.`,
    );
  }
  const table = { shape, tokenizer: tokenizer as ImportedTable['tokenizer'], levels, examples: fewerSlices(examples) };
  return { table, leftOut };
}
