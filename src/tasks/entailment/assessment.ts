// What is said of a claim: the last word is the answer, and what stands before it may quote a premise. A premise counts
// where its speaker sees it and the claim hangs on it. Any text is taken, garbage is simply worth nothing.
import { protocolFacts } from '../../config/protocolFacts.ts';
import { relations } from '../../config/names.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import { assessAnswers, type ReadAnswer } from '../answers.ts';
import { quote, sentence, verdict } from '../words.ts';
import type { Answer, Assessment, Spoken } from '../world.ts';
import { readPremises, writePremise } from '../premises.ts';

const decidingOf = ({ given }: Problem) => (given as { deciding: string[] }).deciding;

/** Premises that a text quotes, as they are written. */
const quotedIn = (text: string) => readPremises(text).map(writePremise);

/** What a message answers; one that was cut answers nothing. */
export function judge(problem: Problem, { text, isTruncated = false }: Spoken): Answer {
  const last = text.split(' ').at(-1) ?? '';
  const answer = isTruncated ? null : (relations.find((relation) => relation === last) ?? null);
  const isRight = answer === problem.answer;
  return { answer, isRight, score: isRight ? 1 : 0 };
}

/** The premises of a message: those that decide and are its speaker's own, and calm words on the others. */
function premisesOf(problem: Problem, { text, agent = 0, isTruncated = false }: Spoken, { sees }: Protocol) {
  const own = (sees[agent] ?? []).map((name) => problem.hidden[name] ?? '').join(' ');
  const quoted = isTruncated ? [] : quotedIn(text);
  const foreign = quoted.find((premise) => !own.includes(premise));
  const deciding = quoted.filter((premise) => own.includes(premise) && decidingOf(problem).includes(premise));
  const reason = isTruncated
    ? 'the turn was cut'
    : foreign !== undefined
      ? `its speaker does not see “${quote(foreign)}”`
      : quoted.length > 0 && deciding.length === 0
        ? 'the claim does not hang on that premise'
        : '';
  return { deciding, reason, isQuoted: quoted.length > 0 };
}

/** Parts, reasons, answer and potentials; Φ is the share of the deciding premises that lie on the table. */
export function assess(problem: Problem, messages: readonly Spoken[], protocol: Protocol, isOver = true): Assessment {
  const onTable = new Set<string>();
  const share = () => onTable.size / decidingOf(problem).length;
  const potentials = [0];
  const read = (_: Problem, message: Spoken): ReadAnswer => {
    const { deciding, reason } = premisesOf(problem, message, protocol);
    for (const premise of deciding) onTable.add(premise);
    potentials.push(share());
    const judged = judge(problem, message);
    const parts = { premise: deciding.length > 0 ? 1 : 0, format: judged.answer === null ? 0 : 1 };
    return { ...judged, parts, reason, standing: share() };
  };
  if (!protocolFacts[protocol.name].hasSteps) {
    const found = assessAnswers(problem, messages, protocol, { read, start: 0, isOver, kind: 'answer' });
    return { ...found, potentials };
  }
  const turns = messages.map((message) => ({ message, ...read(problem, message) }));
  const answer = turns.findLast(({ message }) => message.role === 'reasoning')?.answer ?? null;
  const isFinished = messages.findLast(({ role }) => role === 'metaThinking')?.isFinish === true;
  const isRight = isFinished && answer === problem.answer;
  const perTurn = turns.map(({ message, parts, reason }) => {
    const isPlan = message.role === 'metaThinking';
    const isPlanned = message.isTruncated !== true && (message.isFinish || quotedIn(message.text).length > 0);
    return { parts: { ...parts, format: isPlan ? (isPlanned ? 1 : 0) : (parts['format'] ?? 0) }, reason };
  });
  const last = perTurn.at(-1);
  if (last) {
    Object.assign(last.parts, { rightAnswer: isRight ? 1 : 0, finished: isFinished ? 1 : 0 });
    if (isOver) last.reason = sentence(last.reason, verdict(problem, answer, isFinished, 'answer'));
  }
  return { perTurn, answer, isRight, potentials };
}
