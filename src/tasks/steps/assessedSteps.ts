// Dialogues in steps, for any world. A planner proposes a step, and an executor applies it to the current state, until
// the planner ends the dialogue. The world checks the step and the resulting state.
import { because, type Reason } from '../../base/reason.ts';
import type { Problem } from '../../records/problem.ts';
import type { RewardParts } from '../../records/trajectory.ts';
import type { Assessment, Utterance, TurnAssessment } from '../world.ts';
import { quote, sentence, verdict, type AnswerWord } from '../words.ts';

export interface Judgement {
  isRight: boolean;
  /**
   * A comment for the page that explains the judgement of the step or reply. The comment is empty if the step or reply
   * is right.
   */
  reason: Reason;
}

export const right: Judgement = { isRight: true, reason: [] };
export const wrong = (reason: Reason): Judgement => ({ isRight: false, reason });

/**
 * The functions with which a world reads steps. `S` is the type of the state, such as an expression or an equation; the
 * state is null after an invalid reply.
 */
export interface StepReading<S> {
  /** The state at the beginning, before the first turn. */
  start: S | null;
  read: (reply: string) => S | null;
  print: (standing: S) => string;
  isDone: (standing: S) => boolean;
  isPlan: (text: string) => boolean;
  judgePlan: (plan: string, standing: S | null) => Judgement;
  judgeReply: (reply: string, plan: string, standing: S | null) => Judgement;
  /**
   * The states that may result if the executor carries out a plan. The list is empty if the plan cannot be executed.
   */
  results: (plan: string, standing: S | null) => readonly S[];
  /** Φ of the state. */
  potential: (standing: S | null) => number;
  answerIn: (reply: string) => string | null;
  /** The word for the answer (such as `number`) in a reason which says that the answer is missing. */
  kind?: AnswerWord;
  /** The names of the reward parts for good plans and for good replies. */
  planPart: string;
  replyPart: string;
}

/** The reward parts of a turn that earns nothing: each part is 0. */
export const nothingOf = <S>({ planPart, replyPart }: StepReading<S>): RewardParts => ({
  ...{ rightAnswer: 0, [planPart]: 0, [replyPart]: 0, finished: 0, format: 0 },
});

/**
 * The reward parts, reasons, answer and potentials of a dialogue, which may be unfinished. The reason for the end of
 * the dialogue is only given once the dialogue is over.
 */
export function assessSteps<S>(
  problem: Problem,
  messages: readonly Utterance[],
  reading: StepReading<S>,
  isOver: boolean,
): Assessment {
  const { planPart, replyPart } = reading;
  const nothing = nothingOf(reading);
  const perTurn: TurnAssessment[] = [];
  let standing = reading.start;
  const potentials = [reading.potential(standing)];
  let plan: Utterance | null = null;
  let answer: string | null = null;
  let isFinished = false;
  for (const message of messages) {
    if (message.role === 'metaThinking') {
      plan = message;
      isFinished = message.isFinish;
      const { isRight, reason } = judgePlanner(message, standing, reading);
      const format = isPlan(message, reading) ? 1 : 0;
      perTurn.push({ parts: { ...nothing, [planPart]: isRight ? 1 : 0, format }, reason });
    } else {
      const { isRight, reason } = judgeExecutor(message, plan, { standing, reading });
      standing = message.isTruncated ? null : reading.read(message.text);
      perTurn.push({ parts: { ...nothing, [replyPart]: isRight ? 1 : 0, format: standing ? 1 : 0 }, reason });
      answer = message.isTruncated ? null : reading.answerIn(message.text);
      plan = null;
    }
    potentials.push(reading.potential(standing));
  }
  const isRight = isFinished && answer === problem.answer;
  const last = perTurn.at(-1);
  if (last) {
    last.parts = { ...last.parts, rightAnswer: isRight ? 1 : 0, finished: isFinished ? 1 : 0 };
    if (isOver) last.reason = sentence(last.reason, verdict(problem, answer, isFinished, reading.kind));
  }
  const prospect = plan ? prospectOf(plan, standing, reading) : (potentials.at(-1) as number);
  return { perTurn, answer, isRight, potentials, prospect };
}

/** Φ of the state after the best possible execution of a plan; 0 if the plan cannot be executed. */
function prospectOf<S>(plan: Utterance, standing: S | null, { results, potential }: StepReading<S>): number {
  // The planner ended the dialogue without a plan, so the current state is the answer.
  if (plan.isFinish && plan.text === '') return potential(standing);
  return plan.isTruncated ? 0 : Math.max(0, ...results(plan.text, standing).map(potential));
}

/** Whether a message is written as a plan, which is either a step or the finish token alone. */
const isPlan = <S>({ text, isFinish, isTruncated }: Utterance, reading: StepReading<S>) =>
  !isTruncated && ((isFinish && text === '') || reading.isPlan(text));

function judgePlanner<S>(message: Utterance, standing: S | null, reading: StepReading<S>): Judgement {
  if (message.isTruncated) return wrong(because`the plan was cut`);
  if (!message.isFinish || message.text !== '') return reading.judgePlan(message.text, standing);
  const isDone = standing === null || reading.isDone(standing);
  return wrong(isDone ? [] : because`the planner finished although ${quote(reading.print(standing))} is left to do`);
}

function judgeExecutor<S>(
  message: Utterance,
  plan: Utterance | null,
  { standing, reading }: { standing: S | null; reading: StepReading<S> },
): Judgement {
  if (message.isTruncated) return wrong(because`the reply was cut`);
  if (plan === null || plan.isTruncated) return wrong(because`there was no plan to follow`);
  if (plan.isFinish && plan.text === '' && standing !== null) {
    // The planner ended the dialogue without a plan, but a reply follows. Therefore the reply must repeat the current
    // state.
    const stands = reading.print(standing);
    return message.text === stands
      ? right
      : wrong(because`${quote(stands)} was expected, but ${quote(message.text)} was given`);
  }
  return reading.judgeReply(message.text, plan.text, standing);
}

/** The judgement of a solution by a single agent. Each step of the solution consists of a plan and a reply. */
export interface JudgedSteps {
  plans: Judgement;
  replies: Judgement;
  /** The number of steps before the first error. */
  done: number;
  /** Whether the text consists of steps, even if they are wrong. */
  isWritten: boolean;
}

/** Judges all steps of a solution together. Only the first error of each kind is taken into account. */
export function judgeSteps<S>(
  steps: readonly (readonly [plan: string, reply: string])[],
  reading: StepReading<S>,
): JudgedSteps {
  let standing = reading.start;
  let [plans, replies] = [right, right];
  let done = 0;
  let isWritten = true;
  for (const [plan, reply] of steps) {
    const planned = reading.judgePlan(plan, standing);
    const replied = planned.isRight ? reading.judgeReply(reply, plan, standing) : wrong([]);
    if (plans.isRight) plans = planned;
    if (replies.isRight) replies = replied;
    if (plans.isRight && replies.isRight) done++;
    standing = reading.read(reply);
    isWritten &&= standing !== null && reading.isPlan(plan);
  }
  return { plans, replies, done, isWritten };
}
