// The world's feedback on a program during the dialogue, and the assessment of each turn. A program is judged by its
// results and not by its text, so every program that passes all tests is a right answer.
import { because, type Reason } from '../../../base/reason.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import type { Reaction, RewardParts } from '../../../records/trajectory.ts';
import { assessAnswers, type ReadAnswer } from '../../../tasks/answers/answers.ts';
import { quote, sentence, verdict } from '../../../tasks/words.ts';
import type { Answer, Assessment, Utterance, TurnAssessment } from '../../../tasks/world.ts';
import { mostTries } from './levels.ts';
import { givenOf } from './problems.ts';
import { run, type ProgramRun } from './running.ts';
import { isPlan } from './solver.ts';

/** The maximum score of a wrong program. */
const nearlyRight = 0.75;

/** The number of programs that have been written so far. */
const triesIn = (state: unknown) => (typeof state === 'number' ? state : 0);

/**
 * Runs a program that the coder has written, and reports the result. After the last allowed attempt, the dialogue is
 * over.
 */
export async function react(problem: Problem, state: unknown, message: Utterance): Promise<Reaction> {
  const tries = triesIn(state);
  if (message.role === 'metaThinking') return { state: tries };
  const { said } = await runOf(problem, message);
  const observation = { source: 'tests', text: `${said}<eot>` };
  return {
    observation,
    state: tries + 1,
    ...(tries + 1 >= mostTries && message.role === 'reasoning' && { isOver: true }),
  };
}

/** A truncated program is treated like an empty program. */
const runOf = (problem: Problem, { text, isTruncated = false }: Utterance) => run(problem, isTruncated ? '' : text);

function answerOf(problem: Problem, { text }: Utterance, { share, passesExamples, isWhole }: ProgramRun): Answer {
  const isRight = share === 1 && passesExamples;
  const score = isRight ? 1 : nearlyRight * share;
  return { answer: isRight ? problem.answer : isWhole ? text : null, isRight, score };
}

/** The answer of a message that is a single program. */
export const judge = async (problem: Problem, message: Utterance): Promise<Answer> =>
  answerOf(problem, message, await runOf(problem, message));

const partsOf = ({ share, isWhole, isRead }: ProgramRun): RewardParts => ({
  ...{ hiddenTests: share, runs: isWhole ? 1 : 0, format: isRead ? 1 : 0 },
});

function reasonOf({ isTruncated = false }: Utterance, { isRead, isWhole, passesExamples, share }: ProgramRun): Reason {
  if (isTruncated) return because`the program was cut`;
  if (!isRead) return because`that is not a program`;
  if (!isWhole) return because`the program ended with an error`;
  if (!passesExamples) return because`an example fails`;
  return share < 1 ? because`it passes the examples but fails a hidden test` : [];
}

/**
 * The reward parts, reasons, answer and potentials of a dialogue, which may be unfinished. The end of the dialogue is
 * assessed only if `isOver` is true.
 */
export async function assess(
  problem: Problem,
  messages: readonly Utterance[],
  protocol: Protocol,
  isOver = true,
): Promise<Assessment> {
  const runs = new Map<Utterance, ProgramRun>();
  const isProgram = ({ role }: Utterance) => role !== 'metaThinking';
  for (const message of messages.filter(isProgram)) runs.set(message, await runOf(problem, message));
  const runBy = (message: Utterance) => runs.get(message) as ProgramRun;
  if (protocol.hasSteps) return assessTries(problem, messages, { runs, isOver });
  const read = (_: Problem, message: Utterance): ReadAnswer => ({
    ...answerOf(problem, message, runBy(message)),
    parts: { asDescribed: 0, ...partsOf(runBy(message)) },
    reason: reasonOf(message, runBy(message)),
    standing: runBy(message).share,
  });
  return assessAnswers(problem, messages, protocol, { read, start: 0, isOver, kind: 'program' });
}

/** Assesses a dialogue of a planner and a coder. The coder may try again until the planner ends the dialogue. */
function assessTries(
  problem: Problem,
  messages: readonly Utterance[],
  { runs, isOver }: { runs: ReadonlyMap<Utterance, ProgramRun>; isOver: boolean },
): Assessment {
  const potentials = [0];
  let newest: Answer | null = null;
  let tries = 0;
  const perTurn = messages.map((message): TurnAssessment => {
    const written = runs.get(message);
    if (!written) {
      potentials.push(potentials.at(-1) as number);
      return planned(problem, message, newest);
    }
    tries++;
    newest = answerOf(problem, message, written);
    potentials.push(written.share);
    return { parts: { asDescribed: 0, ...partsOf(written) }, reason: reasonOf(message, written) };
  });
  const last = messages.at(-1);
  const isFinished = tries >= mostTries || messages.findLast((message) => !runs.has(message))?.isFinish === true;
  const { answer = null } = (newest as Answer | null) ?? {};
  const isRight = isFinished && answer === problem.answer;
  const worth = perTurn.at(-1);
  if (worth) {
    worth.parts = { ...worth.parts, rightAnswer: isRight ? 1 : 0, finished: isFinished ? 1 : 0 };
    if (isOver) worth.reason = sentence(worth.reason, verdict(problem, answer, isFinished, 'program'));
  }
  const isGood =
    last !== undefined && !runs.has(last) && !last.isFinish && !last.isTruncated && last.text === givenOf(problem).plan;
  return { perTurn, answer, isRight, potentials, prospect: isGood ? 1 : (potentials.at(-1) as number) };
}

/** Assesses a turn of the planner, which passes on the content of the description or ends the dialogue. */
function planned(
  problem: Problem,
  { text, isFinish, isTruncated = false }: Utterance,
  newest: Answer | null,
): TurnAssessment {
  if (isTruncated) return { parts: { format: 0, asDescribed: 0 }, reason: because`the plan was cut` };
  if (isFinish && text === '')
    return {
      parts: { format: 1, asDescribed: 0 },
      reason: newest ? [] : because`the planner finished before a program was written`,
    };
  const isRight = text === givenOf(problem).plan;
  const reason = isRight ? [] : because`${quote(text)} does not match the description`;
  return { parts: { format: isPlan(problem, text) ? 1 : 0, asDescribed: isRight ? 1 : 0 }, reason };
}
