// Replies to the calls of a dialogue, and computes the rewards of each turn. A call is scored by its result and not by
// its text: the problem lists the results that the answer depends on, in the order of the steps.
import { because } from '../../../base/reason.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import type { Reaction } from '../../../records/trajectory.ts';
import { assessAnswers, type ReadAnswer } from '../../../tasks/answers/answers.ts';
import { quote, sentence, verdict } from '../../../tasks/words.ts';
import type { Answer, Assessment, Utterance, TurnAssessment } from '../../../tasks/world.ts';
import { answerIn, outcomeOf, readMessage, shownOf, type ToolFiles, type ToolResult } from './calls.ts';
import { isPlan } from './plans.ts';
import { givenOf } from './problems.ts';
import { errors, unknown } from './vocabulary.ts';

/** The state of a dialogue after a message. */
export interface ToolState {
  /** The number of calls that are left. */
  left: number;
  files: ToolFiles;
  /** The number of goals that have been reached. */
  brought: number;
  /**
   * Facts about the newest message, if this message was a call: whether the syntax was valid, whether the answer
   * depends on the result, whether the call found nothing new, and the error (empty if there is none).
   */
  newest: { isWellFormed: boolean; isUseful: boolean; isWaste: boolean; fault: string } | null;
  /** The texts that calls have found so far. */
  seen: readonly string[];
}

export function opened(problem: Problem): ToolState {
  const { budget, files } = givenOf(problem);
  return { left: budget, files, brought: 0, newest: null, seen: [] };
}

const isStanding = (state: unknown): state is ToolState =>
  typeof state === 'object' && state !== null && 'brought' in state;

/** Whether the speaker of a message has the tools. All agents except the planner have the tools. */
const hasTools = ({ role }: Utterance) => role !== 'metaThinking';

/** The call or the answer in a message; null if the message contains neither of them, or if it was truncated. */
const messageOf = ({ text, isTruncated = false }: Utterance) => (isTruncated ? null : readMessage(text));

/**
 * Executes the call in a message, and shows the result only to the agent that made the call. An answer ends the
 * dialogue.
 */
export async function react(problem: Problem, state: unknown, message: Utterance): Promise<Reaction> {
  const before = isStanding(state) ? state : opened(problem);
  if (!hasTools(message)) return { state: { ...before, newest: null } };
  const read = messageOf(message);
  if (read && 'answer' in read) return { state: { ...before, newest: null }, isOver: true };
  const now = await called(problem, before, read && read.call);
  const source = read?.call.tool ?? 'tools';
  return {
    observation: { source, text: shownOf(now.outcome, now.next.left), readers: [message.agent ?? 0] },
    state: now.next,
  };
}

type Called = { outcome: ToolResult; next: ToolState };

async function called(problem: Problem, before: ToolState, call: Parameters<typeof outcomeOf>[1]): Promise<Called> {
  const { files } = before;
  const { goals, ...bench } = givenOf(problem);
  const isSpent = before.left === 0;
  const outcome: ToolResult = isSpent
    ? { found: [], error: errors.spent, files, isWellFormed: call !== null }
    : await outcomeOf({ ...bench, files }, call);
  const { found, error, isWellFormed } = outcome;
  const goal = goals.findIndex((text, i) => i >= before.brought && found.includes(text));
  const isUseful = goal >= 0;
  const next: ToolState = {
    ...{ left: Math.max(0, before.left - 1), files: outcome.files, brought: isUseful ? goal + 1 : before.brought },
    newest: {
      ...{ isWellFormed, isUseful, isWaste: !isUseful && found.every((text) => before.seen.includes(text)) },
      fault: error?.trim() ?? '',
    },
    seen: [...new Set([...before.seen, ...found])],
  };
  return { outcome, next };
}

/** The answer of one message. */
export function judge(problem: Problem, { text, isTruncated = false }: Utterance): Answer {
  const answer = isTruncated ? null : answerIn(text);
  const isRight = answer === problem.answer;
  return { answer, isRight, score: isRight ? 1 : 0 };
}

/**
 * Returns the reward parts, reasons, answer and potentials of a dialogue, which may be unfinished. Only if `isOver` is
 * true, the last reason describes how the dialogue ended.
 */
export async function assess(
  problem: Problem,
  messages: readonly Utterance[],
  protocol: Protocol,
  isOver = true,
): Promise<Assessment> {
  if (!protocol.hasSteps)
    return assessAnswers(problem, messages, protocol, { read: readAlone, start: 0, isOver, kind: 'answer' });
  const { goals, plans } = givenOf(problem);
  let now = opened(problem);
  let found: Answer = { answer: null, isRight: false, score: 0 };
  const standing = () => now.brought / (goals.length + 1);
  const potentials = [0];
  let prospect = 0;
  const perTurn: TurnAssessment[] = [];
  for (const message of messages) {
    const before = now;
    const { state } = message.reaction ?? (await react(problem, now, message));
    if (isStanding(state)) now = state;
    const isAnswer = hasTools(message) && now.newest === null;
    if (isAnswer) found = judge(problem, message);
    potentials.push(isAnswer ? found.score : standing());
    const next = plans[before.brought];
    const isNext = message.text === next && !message.isTruncated;
    prospect =
      hasTools(message) || !isNext ? (potentials.at(-1) as number) : Math.min(1, (before.brought + 1) / plans.length);
    perTurn.push(hasTools(message) ? turnWithTools(message, now) : turnOfPlanner(message, next));
  }
  const last = perTurn.at(-1);
  const isFinished = messages.some((message) => hasTools(message) && answered(message));
  if (last) {
    last.parts = { ...last.parts, rightAnswer: found.isRight ? 1 : 0, finished: isFinished ? 1 : 0 };
    if (isOver) last.reason = sentence(last.reason, verdict(problem, found.answer, isFinished, 'answer'));
  }
  return { perTurn, answer: found.answer, isRight: found.isRight, potentials, prospect };
}

function answered(message: Utterance): boolean {
  const read = messageOf(message);
  return read !== null && 'answer' in read;
}

function turnOfPlanner({ text, isTruncated = false }: Utterance, next = ''): TurnAssessment {
  if (isTruncated) return { parts: { nextStep: 0, format: 0 }, reason: because`the plan was cut` };
  const parts = { nextStep: text === next ? 1 : 0, format: isPlan(text) ? 1 : 0 };
  if (parts.nextStep === 1) return { parts, reason: [] };
  return {
    parts,
    reason: parts.format === 1 ? because`the next step was “${next.trim()}”` : because`${quote(text)} is not a plan`,
  };
}

function turnWithTools(message: Utterance, { newest }: ToolState): TurnAssessment {
  if (newest === null) {
    const isKnown = message.text !== unknown;
    return { parts: { format: 1 }, reason: isKnown ? [] : because`gave up` };
  }
  const { isWellFormed, isUseful, isWaste, fault } = newest;
  const parts = {
    ...{ wellFormedCall: isWellFormed ? 1 : 0, usefulCall: isUseful ? 1 : 0, waste: isWaste ? 1 : 0 },
    format: isWellFormed ? 1 : 0,
  };
  if (message.isTruncated) return { parts, reason: because`the turn was cut` };
  // `fault` is one of the texts in `errors`, which contain no placeholders.
  if (fault !== '') return { parts, reason: because`the call returns nothing: ${{ key: fault, values: [] }}` };
  return {
    parts,
    reason: isUseful
      ? []
      : isWaste
        ? because`that was found before`
        : because`the answer does not depend on what was found`,
  };
}

/** Reads a turn as the answer, for protocols in which agents have no tools. */
function readAlone(problem: Problem, message: Utterance): ReadAnswer {
  const given = judge(problem, message);
  const isAnswer = answered(message);
  const reason = message.isTruncated
    ? because`the turn was cut`
    : isAnswer
      ? []
      : because`${quote(message.text)} is not an answer`;
  return { ...given, parts: { format: isAnswer ? 1 : 0 }, reason, standing: given.score };
}
