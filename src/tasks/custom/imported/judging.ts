// Scores the answers in a world of imported data. Answers are compared according to the kind of data set. Programs are
// run in the sandbox with the tests of their row.
import { plainWords, numberIn, sharedWords } from '../../../text/normalised.ts';
import { datasetShapes, type AnswerKind, type Example, type ShapeName } from '../../../config/worlds/imported.ts';
import { runProgram, type SandboxLimits } from '../../../sandbox/sandbox.ts';
import type { Answer, Utterance } from '../../world.ts';

/** The mark between other text and the answer, as in GSM8K. */
export const answerMark = '####';

/** The answer in a message: the text after the last mark or, if there is no mark, the whole text. */
function answerIn(text: string): { text: string; isMarked: boolean } {
  const parts = text.split(answerMark);
  return { text: (parts.at(-1) as string).trim(), isMarked: parts.length > 1 };
}

const limits: SandboxLimits = { steps: 50, timeMs: 2_000, resultLength: 1_000 };

/**
 * The share of tests that a program passes. Each assertion is a test. If there are none, the only test is that the
 * program ends without an error. The program comes before the code that counts the assertions, so it cannot manipulate
 * the count.
 */
async function passedShare({ before, after }: NonNullable<Example['tests']>, program: string): Promise<number> {
  const { value, fault } = await runProgram(
    `${before}${program}
;{
  let [passed, total] = [0, 0];
  const console = { assert: (claim) => { total++; if (claim) passed++; }, log: () => {} };
  ${after}
  ;total === 0 ? 1 : passed / total;
}`,
    limits,
  );
  return fault || typeof value !== 'number' ? 0 : value;
}

type Compared = (
  text: string,
  example: Pick<Example, 'answer' | 'tests'> & { isMarked: boolean },
) => Answer | Promise<Answer>;

const exactly = (answer: string | null, right: string): Answer => ({
  ...{ answer, isRight: answer === right, score: answer === right ? 1 : 0 },
});

const compared: Readonly<Record<AnswerKind, Compared>> = {
  // As in GSM8K's own evaluation, the answer is the first number after the mark. Any text after this number is ignored.
  number: (text, { answer, isMarked }) => exactly(numberIn(text, isMarked ? 'first' : 'last'), answer),
  label: (text, { answer }) => exactly(plainWords(text) || null, answer),
  words: (text, { answer: right }) => {
    const isRight = plainWords(text) === plainWords(right);
    return {
      answer: isRight ? right : text || null,
      isRight,
      score: isRight ? 1 : Math.min(0.99, sharedWords(text, right)),
    };
  },
  program: async (text, { answer: right, tests }) => {
    const score = tests && text !== '' ? await passedShare(tests, text) : 0;
    // Every program that passes all tests counts as right, and the answer counts as equal to the program in the row.
    return { answer: score === 1 ? right : text || null, isRight: score === 1, score };
  },
};

/** The answer in a message about a row, and its score. A truncated message contains no answer. */
export async function judgeRow(
  shape: ShapeName,
  example: Pick<Example, 'answer' | 'tests'>,
  { text, isTruncated = false }: Pick<Utterance, 'text' | 'isTruncated'>,
): Promise<Answer> {
  if (isTruncated) return { answer: null, isRight: false, score: 0 };
  const { text: answer, isMarked } = answerIn(text);
  return compared[datasetShapes[shape].kind](answer, { ...example, isMarked });
}
