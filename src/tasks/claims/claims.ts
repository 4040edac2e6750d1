// Code for all worlds with dialogues about a claim. A message may quote premises, and ends with its answer, which is
// the relation between the premises and the claim. The world determines which premises are rewarded.
import type { RandomNumbers } from '../../base/random.ts';
import { relations } from '../../config/names.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import { assessAnswers, type ReadAnswer, type AnswerReader } from '../answers/answers.ts';
import { hears, withheldFrom } from '../answers/demonstratedAnswers.ts';
import { mostCommon } from '../answers/majority.ts';
import { readPremises, writePremise, type Premise } from './premises.ts';
import { workedTrajectory } from '../steps/steps.ts';
import { sentence, verdict } from '../words.ts';
import { tokenizerJson } from '../everydayWords.ts';
import type { ShownMessage, WorldModule } from '../contract/worldModule.ts';
import type { Answer, Assessment, DemonstrationOptions, Utterance } from '../world.ts';

/** The answer of a message, which is its last word. A truncated message contains no answer. */
export function judgeClaim(problem: Problem, { text, isTruncated = false }: Utterance): Answer {
  const last = text.split(' ').at(-1) ?? '';
  const answer = isTruncated ? null : (relations.find((relation) => relation === last) ?? null);
  const isRight = answer === problem.answer;
  return { answer, isRight, score: isRight ? 1 : 0 };
}

/** The exports that all worlds of claims have in common. */
export const claimModule = {
  tokenizers: { words: tokenizerJson },
  // The text that an agent sees at the start, such as ` Ann is a baker. Every baker is kind. Ann is kind?`: first the
  // premises that the agent sees, then the claim.
  view: ({ shown, hidden }, sees) => `${sees.map((name) => ` ${hidden[name] ?? ''}`).join('')} ${shown}`,
  judge: judgeClaim,
} as const satisfies Partial<WorldModule>;

/** The premises that an agent sees, as text. */
export const evidenceOf = ({ hidden }: Problem, { sees }: Protocol, agent: number): string =>
  (sees[agent] ?? []).map((name) => hidden[name] ?? '').join(' ');

/**
 * The premises that a message quotes, as texts: all premises that the speaker sees, and the first premise, if any, that
 * the speaker does not see.
 */
export function quotedIn(problem: Problem, { text, agent = 0, isTruncated = false }: Utterance, protocol: Protocol) {
  const evidence = readPremises(evidenceOf(problem, protocol, agent)).map(writePremise);
  const quoted = isTruncated ? [] : readPremises(text).map(writePremise);
  const foreign = quoted.find((premise) => !evidence.includes(premise));
  return { own: quoted.filter((premise) => evidence.includes(premise)), foreign };
}

/**
 * Returns the reward parts, reasons, answer and potentials of a dialogue. Φ is the value that `read` returns for each
 * message.
 */
export function assessClaim(
  problem: Problem,
  messages: readonly Utterance[],
  protocol: Protocol,
  { read, isOver }: Pick<AnswerReader, 'read' | 'isOver'>,
): Assessment {
  const potentials = [0];
  const noted = (asked: Problem, message: Utterance): ReadAnswer => {
    const found = read(asked, message);
    potentials.push(found.standing);
    return found;
  };
  if (!protocol.hasSteps) {
    const found = assessAnswers(problem, messages, protocol, { read: noted, start: 0, isOver, kind: 'answer' });
    return { ...found, potentials };
  }
  const turns = messages.map((message) => ({ message, ...noted(problem, message) }));
  const answer = turns.findLast(({ message }) => message.role === 'reasoning')?.answer ?? null;
  const isFinished = messages.findLast(({ role }) => role === 'metaThinking')?.isFinish === true;
  const isRight = isFinished && answer === problem.answer;
  const perTurn = turns.map(({ message, parts, reason }) => {
    const isPlan = message.role === 'metaThinking';
    const isPlanned = message.isTruncated !== true && (message.isFinish || readPremises(message.text).length > 0);
    return { parts: { ...parts, format: isPlan ? (isPlanned ? 1 : 0) : (parts['format'] ?? 0) }, reason };
  });
  const last = perTurn.at(-1);
  if (last) {
    Object.assign(last.parts, { rightAnswer: isRight ? 1 : 0, finished: isFinished ? 1 : 0 });
    if (isOver) last.reason = sentence(last.reason, verdict(problem, answer, isFinished, 'answer'));
  }
  return { perTurn, answer, isRight, potentials };
}

/**
 * The functions that make an agent's messages for demonstrations. `known` contains the premises that the agent has
 * heard or quoted.
 */
export interface ClaimSpeaker {
  quote: (agent: number, known: readonly Premise[]) => string;
  answer: (agent: number, known: readonly Premise[]) => string;
  /** The number of pairs of a plan and a reply in a dialogue. */
  steps: number;
}

/** The messages of a demonstration, in speaking order. */
export function demonstrateClaim(
  { quote, answer, steps }: ClaimSpeaker,
  ...[draws, problem, options, protocol]: [RandomNumbers, Problem, DemonstrationOptions, Protocol]
): ShownMessage[] {
  const known = protocol.roles.map((): Premise[] => []);
  const tell = (speaker: number, premises: string, maskedFor: readonly number[] = []) => {
    for (const [listener, own] of known.entries())
      if (listener === speaker || (hears(protocol, listener).includes(speaker) && !maskedFor.includes(listener)))
        own.push(...readPremises(premises));
  };
  const said = (agent: number) => {
    const heard = known[agent] as Premise[];
    return { agent, premises: quote(agent, heard), relation: answer(agent, heard) };
  };
  const written = (...pieces: string[]) => pieces.map((piece) => (piece === '' ? '' : ` ${piece}`)).join('');
  if (protocol.hasSteps) {
    const pairs = Array.from({ length: steps }, () => {
      const plan = quote(0, known[0] as Premise[]);
      tell(0, plan);
      const { premises, relation } = said(1);
      tell(1, premises);
      return { plan: written(plan), reply: written(premises, relation) };
    });
    return workedTrajectory(pairs, options);
  }
  const out: ShownMessage[] = [];
  const newest: (string | null)[] = [];
  for (let round = 0; round < (options.rounds ?? 1); round++) {
    for (const set of protocol.round) {
      for (const { agent, premises, relation } of set.map(said)) {
        const maskedFor = withheldFrom(protocol, draws, agent);
        tell(agent, premises, maskedFor);
        const text = written(premises, relation);
        const judged = judgeClaim(problem, { role: 'reasoning', text, isFinish: false });
        newest[agent] = judged.answer;
        out.push({ agent, round, text, score: judged.score, ...(maskedFor.length > 0 && { maskedFor }) });
      }
    }
    const { stopsWhenAgreed, roles } = protocol;
    if (stopsWhenAgreed && mostCommon(newest).count >= stopsWhenAgreed * roles.length) break;
  }
  return out;
}
