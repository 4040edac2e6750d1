// Demonstrations where every turn is a whole answer: alone, one after the other, or all at once and again. They teach
// to solve, to read the others and to take over an answer; whom to believe is left to find, but for a share of
// `goodPlans`: there who sees what is hidden heeds it and stays with it, and who does not takes over from one who does.
import type { Draws } from '../../base/random.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import { terminated } from '../../text/chatTemplate.ts';
import { mostCommon } from './majority.ts';
import type { Answer, Demonstrated, DemonstrationOptions, Utterance, World } from '../world.ts';

/** A world's own answers. */
export interface Answerer {
  /** An answer of somebody who heeds what is hidden and sees, or of one who does not; it fits the limits of the level. */
  solve: (
    problem: Problem,
    draws: Draws,
    options: { isGood: boolean; resultNoise: number; sees: readonly string[] },
  ) => string;
  judge: (problem: Problem, message: Utterance) => Answer;
}

/** An answer given so far. */
interface Given {
  agent: number;
  text: string;
  answer: string | null;
  /** Who cannot read it. */
  maskedFor: readonly number[];
}

interface Talk {
  answerer: Answerer;
  problem: Problem;
  draws: Draws;
  options: DemonstrationOptions;
  protocol: Protocol;
}

/** Answers in speaking order. */
export function demonstrateAnswers(
  answerer: Answerer,
  ...[problem, draws, options, protocol]: Parameters<World['demonstrate']>
): Demonstrated[] {
  const talk: Talk = { answerer, problem, draws, options, protocol };
  const out: Demonstrated[] = [];
  const newest = new Map<number, Given>();
  for (let round = 0; round < (options.rounds ?? 1); round++) {
    for (const set of protocol.round) {
      // All of a set speak before any of them is heard.
      const texts = set.map((agent) => ({ agent, text: answerText(talk, agent, newest) }));
      for (const { agent, text } of texts) {
        const { answer, score } = answerer.judge(problem, { role: 'reasoning', text, isFinish: false });
        const maskedFor = withheldFrom(protocol, draws, agent);
        newest.set(agent, { agent, text, answer, maskedFor });
        const message = terminated({ text, isFinish: false });
        out.push({ agent, round, message, score, ...(maskedFor.length > 0 && { maskedFor }) });
      }
    }
    const { count } = mostCommon([...newest.values()].map(({ answer }) => answer));
    if (protocol.stopsWhenAgreed && count >= protocol.stopsWhenAgreed * protocol.roles.length) break;
  }
  return out;
}

const seesWhatIsHidden = ({ sees }: Protocol, agent: number) => (sees[agent] ?? []).length > 0;

/** Whom an agent hears; where nothing is said, everybody. */
export const hears = ({ hears, roles }: Protocol, agent: number) => hears?.[agent] ?? [...roles.keys()];

/** Draws from whom what an agent says is withheld. */
export function withheldFrom(protocol: Protocol, draws: Draws, speaker: number): number[] {
  const { maskPeers } = protocol;
  if (!maskPeers) return [];
  const listeners = [...protocol.roles.keys()].filter((agent) => agent !== speaker);
  return listeners.filter((agent) => hears(protocol, agent).includes(speaker) && draws.next() < maskPeers);
}

function answerText(talk: Talk, agent: number, newest: ReadonlyMap<number, Given>): string {
  const { answerer, problem, draws, options, protocol } = talk;
  const isGood = draws.next() < options.goodPlans;
  const sees = protocol.sees[agent] ?? [];
  const isInformed = seesWhatIsHidden(protocol, agent);
  const own = newest.get(agent);
  const heard = [...newest.values()].filter(
    (given) =>
      given.agent !== agent && hears(protocol, agent).includes(given.agent) && !given.maskedFor.includes(agent),
  );
  const solved = () =>
    answerer.solve(problem, draws, { isGood: isGood && isInformed, resultNoise: options.resultNoise, sees });
  if (heard.length === 0) return own?.text ?? solved();
  if (isGood && isInformed) return own?.text ?? solved();
  if (isGood) return believed(heard, protocol).text;
  // Otherwise anything: its own answer, or that of any other.
  const chosen = draws.below(heard.length + 1);
  return heard[chosen]?.text ?? own?.text ?? solved();
}

/** The most common answer of those who see what is hidden, or of all where none does. */
function believed(heard: readonly Given[], protocol: Protocol): Given {
  const informed = heard.filter(({ agent }) => seesWhatIsHidden(protocol, agent));
  const sources = informed.length > 0 ? informed : heard;
  const { answer } = mostCommon(sources.map((given) => given.answer));
  return sources.find((given) => given.answer === answer) ?? (sources[0] as Given);
}
