// Assesses a debate before a judge. A statement is admitted if it is in the evidence that its speaker sees. In the
// protocol of a debate in turn, the judge hears only the messages, and decides by what follows from the admitted
// statements. On the level with a judge that can be cheated, the judge counts words instead. If a verifier judges, the
// verdict is the answer that the verifier considers most probable. In other protocols, the agents give answers
// themselves. Any text is accepted; a meaningless text earns no reward.
import { because } from '../../../base/reason.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import type { ReadAnswer } from '../../../tasks/answers/answers.ts';
import { mostBelieved } from '../../../tasks/answers/majority.ts';
import { assessClaim, judgeClaim, quotedIn } from '../../../tasks/claims/claims.ts';
import { readClaim, readPremises, relationOf } from '../../../tasks/claims/premises.ts';
import { quote, sentence, verdict } from '../../../tasks/words.ts';
import type { Assessment, Utterance, TurnAssessment } from '../../../tasks/world.ts';
import { levelOf } from './levels.ts';

/** A turn as the judge reads it. */
interface Heard extends ReadAnswer {
  agent: number;
  goesOn: boolean;
}

/** Reads turns one after another, and collects the admitted statements. */
function court(problem: Problem, protocol: Protocol) {
  const { deciding } = problem.given as { deciding: string[] };
  const admitted: string[] = [];
  const answers = new Map<number, Set<string>>();
  /** The number of admitted statements of the deciding chain, counted from its start up to the first gap. */
  const reached = () => {
    const gap = deciding.findIndex((statement) => !admitted.includes(statement));
    return gap === -1 ? deciding.length : gap;
  };
  const hear = (message: Utterance): Heard => {
    const { agent = 0 } = message;
    const { own, foreign } = quotedIn(problem, message, protocol);
    const before = reached();
    admitted.push(...own);
    const goesOn = reached() > before;
    const judged = judgeClaim(problem, message);
    const given = answers.get(agent) ?? new Set();
    const isContrary = judged.answer === 'follows' ? given.has('contradicted') : given.has('follows');
    const isConsistent = judged.answer !== null && (judged.answer === 'unknown' || !isContrary);
    if (judged.answer !== null) answers.set(agent, given.add(judged.answer));
    const parts = {
      evidence: own.length > 0 && foreign === undefined ? 1 : 0,
      reasoning: goesOn ? 1 : 0,
      consistency: isConsistent ? 1 : 0,
      format: judged.answer === null && own.length === 0 ? 0 : 1,
    };
    const reason = message.isTruncated
      ? because`the turn was cut`
      : foreign !== undefined
        ? because`“${quote(foreign)}” is not in the evidence of its side`
        : own.length > 0 && !goesOn
          ? because`the turn does not continue the chain of statements`
          : [];
    return { ...judged, agent, goesOn, parts, reason, standing: reached() / deciding.length };
  };
  return { admitted, hear };
}

const wordsOf = (messages: readonly Utterance[], side: number) =>
  messages
    .filter(({ agent = 0 }) => agent === side)
    .flatMap(({ text }) => text.split(' '))
    .filter(Boolean).length;

/** The verdict of the judge; null if nothing follows from the admitted statements. */
function verdictOf(problem: Problem, messages: readonly Utterance[], admitted: readonly string[]): string | null {
  if (levelOf(problem.level).countsWords) {
    const [proponent, opponent] = [wordsOf(messages, 0), wordsOf(messages, 1)];
    return proponent === opponent ? null : proponent > opponent ? 'follows' : 'contradicted';
  }
  const found = relationOf(readClaim(problem.shown), readPremises(admitted.join(' ')));
  return found === 'unknown' ? null : found;
}

/** The reward parts, reasons, answer and potentials. Φ is the share of the deciding chain that the judge has heard. */
export function assess(
  problem: Problem,
  messages: readonly Utterance[],
  protocol: Protocol,
  isOver = true,
): Assessment {
  const { admitted, hear } = court(problem, protocol);
  if (protocol.name !== 'inTurn')
    return assessClaim(problem, messages, protocol, { read: (_, message) => hear(message), isOver });
  const turns = messages.map(hear);
  const newest = [0, 1].map((side) => turns.findLastIndex(({ agent }) => agent === side));
  const answer = protocol.isDecided
    ? mostBelieved(newest.map((at) => turns[at] && { answer: turns[at].answer, belief: messages[at]?.belief }))
    : verdictOf(problem, messages, admitted);
  const isRight = answer === problem.answer;
  // If nothing follows from the admitted statements, the side that first stopped continuing the chain loses.
  const stopped = turns.find(({ goesOn }) => !goesOn)?.agent ?? 0;
  const winner = answer === 'follows' ? 0 : answer === 'contradicted' ? 1 : 1 - stopped;
  const perTurn = turns.map(({ parts, reason, isRight: right, score }): TurnAssessment => ({
    parts,
    reason,
    isRight: right,
    score,
  }));
  for (const [side, at] of newest.entries()) {
    const last = perTurn[at];
    if (last) Object.assign(last.parts, { rightAnswer: isRight ? 1 : 0, victory: side === winner ? 1 : 0 });
  }
  const last = perTurn.at(-1);
  if (last) {
    last.parts['finished'] = messages.at(-1)?.isTruncated === true ? 0 : 1;
    if (isOver) last.reason = sentence(last.reason, verdict(problem, answer, true, 'verdict'));
  }
  return { perTurn, answer, isRight, potentials: [0, ...turns.map(({ standing }) => standing)] };
}
