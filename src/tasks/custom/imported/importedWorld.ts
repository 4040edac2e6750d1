// Makes a world of imported data. Its problems are the rows of a table, and its levels are the grades of these rows. A
// hash of a row determines whether it is used for training or held out. The longest rows of a level form its harder
// split. The shape of the data determines how answers are compared.
import { because } from '../../../base/reason.ts';
import type { Random, RandomNumbers } from '../../../base/random.ts';
import { inEnglish, told } from '../../../base/spoken.ts';
import type { WorldForm } from '../../../config/worlds/form.ts';
import {
  datasetShapes,
  mediumGrade,
  paragraphGrade,
  partlyRight,
  type DatasetShape,
  type PlacedExample,
  type ImportedTable,
} from '../../../config/worlds/imported.ts';
import type { Problem } from '../../../records/problem.ts';
import { assessAnswers, type ReadAnswer } from '../../answers/answers.ts';
import { demonstrateAnswers } from '../../answers/demonstratedAnswers.ts';
import { levelIn } from '../../levels.ts';
import { hashText } from '../../splits.ts';
import { workedTrajectory } from '../../steps/steps.ts';
import type { Answer, Utterance, Split, World } from '../../world.ts';
import { visitorsWorld } from '../../contract/worldFrom.ts';
import type { DrawnProblem, WorldModule } from '../../contract/worldModule.ts';
import { mostCommonShare } from '../../contract/ceiling.ts';
import { assessNewest } from '../../contract/newestAnswer.ts';
import { judgeRow } from './judging.ts';
import { promptRoom } from './table.ts';
import { answerText, hasSteps, shownText, stepsOf } from './texts.ts';
import { chatWindowOf, wordsFor } from './words.ts';

/**
 * The share of a level's rows that are held out, and the share of rows in its harder split, if the level has enough
 * rows.
 */
const [heldOutShare, harderShare] = [0.2, 0.1];

/**
 * The grades of rows that contain no grade. These grades depend on the number of paragraphs that are needed for the
 * answer.
 */
const paragraphs = Array.from({ length: 9 }, (_, i) => paragraphGrade(i + 1));

function formOf({ shape, tokenizer, levels, examples }: ImportedTable, name: string): WorldForm {
  const { label, hidden, kind, slice, grades }: DatasetShape = datasetShapes[shape];
  const slices = [...new Set(examples.map((example) => example.slice))].sort();
  const tokens = Object.keys(tokenizer.model.vocab).length;
  const sentence = told`${examples.length} problems from a file in the format of ${label}.`;
  const vocabulary = told`${tokens} byte-pair tokens, learned from the file`;
  const ours = [
    ...[slice, ...grades, mediumGrade, partlyRight.label, partlyRight.paidOn, partlyRight.sentence],
    ...hidden.flatMap((text) => [text.label, text.sentence]),
  ];
  return {
    ...{ name, label, sentence: inEnglish(sentence) },
    levels: levels.map(({ grade }, i) => ({
      level: i + 1,
      label: grade === 'medium' ? mediumGrade : grade,
    })),
    hidden,
    slices: { label: slice, words: Object.fromEntries(slices.map((one) => [one, one])) },
    parts: kind === 'words' || kind === 'program' ? [partlyRight] : [],
    vocabularies: { bytePairs: inEnglish(vocabulary) },
    told: [sentence, vocabulary, ...paragraphs, ...ours.map((key) => ({ key, values: [] }))],
    tokens,
    signs: { '\n': '↵' },
  };
}

type Splits = Readonly<Record<Split, readonly PlacedExample[]>>;

/** Divides the rows of one level into splits. Each split except `harder` gets at least one row. */
function partedRows(rows: readonly PlacedExample[]): Splits {
  const lengthOf = (row: PlacedExample) => shownText(row, Object.keys(row.hidden)).length;
  const byLength = rows.toSorted((a, b) => lengthOf(b) - lengthOf(a) || a.row - b.row);
  const harder = Math.floor(rows.length * harderShare);
  const hash = new Map(rows.map((row) => [row, hashText(JSON.stringify([row.shown, row.hidden]))]));
  const byHash = byLength
    .slice(harder)
    .sort((a, b) => (hash.get(a) as number) - (hash.get(b) as number) || a.row - b.row);
  const heldOut = Math.max(1, Math.round(byHash.length * heldOutShare));
  return { harder: byLength.slice(0, harder), heldOut: byHash.slice(0, heldOut), training: byHash.slice(heldOut) };
}

/** Makes the world of a table. `name` is the name by which settings refer to it. */
export function importedWorld(table: ImportedTable, name: string): World {
  const form = formOf(table, name);
  const levels = table.levels.map((room, i) => ({
    ...{ room, level: i + 1 },
    rows: partedRows(table.examples.filter(({ grade }) => grade === room.grade)),
  }));
  const at = (level: number) => levelIn(levels, level);
  const rows = new Map(table.examples.map((example) => [`${example.row}`, example]));
  const rowOf = ({ id }: Problem) => rows.get(id);
  const problemOf = ({ row, shown, hidden, answer, slice }: PlacedExample): DrawnProblem => ({
    ...{ id: `${row}`, shown, hidden, answer, slice },
  });

  function heldOut(_: Random, level: number, count: number): DrawnProblem[] {
    const kept = at(level).rows.heldOut;
    // The rows are taken from each slice in turn: first the first row of each slice, then the second row of each slice,
    // and so on.
    const placed = new Map<string, number>();
    const place = new Map(
      kept.map((row) => {
        placed.set(row.slice, (placed.get(row.slice) ?? -1) + 1);
        return [row, placed.get(row.slice) as number];
      }),
    );
    const inTurn = kept.toSorted((a, b) => (place.get(a) as number) - (place.get(b) as number));
    return inTurn.slice(0, count).map(problemOf);
  }

  const judge = (problem: Problem, message: Utterance): Promise<Answer> =>
    judgeRow(table.shape, rowOf(problem) ?? problem, message);

  /** Judges all answers of a dialogue. Each answer is judged only once. */
  async function readAll(problem: Problem, messages: readonly Utterance[], isAnswer: (message: Utterance) => boolean) {
    const read = new Map<Utterance, ReadAnswer>();
    for (const message of messages.filter(isAnswer)) {
      const answer = await judge(problem, message);
      const parts = { format: answer.answer === null ? 0 : 1, ...(form.parts.length > 0 && { partly: answer.score }) };
      const reason = message.isTruncated ? because`the turn was cut` : [];
      read.set(message, { ...answer, parts, reason, standing: answer.score });
    }
    return read;
  }

  const training = (level: number, draws: RandomNumbers) => draws.pick(at(level).rows.training);

  const hasHarder = levels.every((level) => level.rows.harder.length > 0);
  const { prompts, fromWords, toWords } = wordsFor(table.shape);
  const module: WorldModule = {
    about: { ...form, hasHarder, random: 'shared', chatWindow: chatWindowOf(table), prompts },
    tokenizers: { bytePairs: table.tokenizer },
    draw: (random, level, split) => problemOf(random.pick(at(level).rows[split])),
    heldOut,
    ceiling: (level, sees) => mostCommonShare(Object.values(at(level).rows).flat(), sees),
    view: shownText,
    limits: (level, protocol) => {
      const { room } = at(level);
      const windows = protocol.roles.map((role) =>
        hasSteps(protocol) ? (role === 'metaThinking' ? room.plan : room.reply) : room.answer,
      );
      return {
        roundLimit: hasSteps(protocol) ? room.steps + 1 : protocol.rounds,
        windows: windows.map((tokens) => tokens + 1),
        promptWindow: Math.max(...protocol.sees.map((sees) => promptRoom(room, sees))),
      };
    },
    demonstrate: (draws, problem, options, protocol) => {
      const own = rowOf(problem) ?? training(problem.level, draws);
      const anybody = () => training(problem.level, draws);
      if (!hasSteps(protocol)) {
        const solve = (
          _: Problem,
          __: RandomNumbers,
          how: { isGood: boolean; resultNoise: number; sees: readonly string[] },
        ) => {
          const isRight = how.isGood && draws.next() >= how.resultNoise;
          return answerText(isRight ? own : { ...anybody(), told: own.told }, how.sees);
        };
        // Programs are not run in demonstrations, so only the program in the row counts as right.
        const known = (_: Problem, { text }: Utterance): Answer => {
          const isRight = text.endsWith(own.answer);
          return { answer: isRight ? own.answer : text, isRight, score: isRight ? 1 : 0 };
        };
        return demonstrateAnswers({ solve, judge: known }, draws, problem, options, protocol);
      }
      const isGood = draws.next() < options.goodPlans;
      const steps = stepsOf(isGood ? own : anybody(), protocol.sees[0] ?? []);
      const said = steps.map(([plan, reply]) => {
        const isSlip = draws.next() < options.resultNoise;
        return { plan, reply: isSlip ? (stepsOf(anybody(), [])[0]?.[1] ?? reply) : reply };
      });
      return workedTrajectory(said, options);
    },
    ...{ judge, fromWords, toWords },
    assess: async (problem, messages, protocol, isOver) => {
      const isAnswer = ({ role }: Utterance) => !hasSteps(protocol) || role !== 'metaThinking';
      const read = await readAll(problem, messages, isAnswer);
      const readAs = (_: Problem, message: Utterance) => read.get(message) as ReadAnswer;
      return hasSteps(protocol)
        ? assessNewest(problem, messages, { read: (message) => read.get(message), isOver })
        : assessAnswers(problem, messages, protocol, { read: readAs, start: 0, isOver, kind: 'answer' });
    },
  };
  const world = visitorsWorld(module, name);
  const { slices, ...whole } = world;
  // If all rows belong to the same slice, the world has no slices, because accuracy need not be shown for each of them.
  return Object.keys(slices?.words ?? {}).length > 1 ? world : whole;
}
