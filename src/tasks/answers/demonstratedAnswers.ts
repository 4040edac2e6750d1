// Demonstrations in which every turn is a complete answer. The answers come from one agent, from several agents one
// after another, or from all agents simultaneously in several rounds. The demonstrations teach agents to solve
// problems, to read the answers of other agents, and to repeat one of them. The setting `goodPlans` is the share of
// good turns. In a good turn, an agent that sees the hidden texts uses these texts and does not change its answer, and
// any other agent repeats the answer of an agent that sees them. In the other turns, the answer is random, so the
// agents must still learn which answers to repeat.
import type { RandomNumbers } from '../../base/random.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import { mostCommon } from './majority.ts';
import type { ShownMessage } from '../contract/worldModule.ts';
import type { Answer, DemonstrationOptions, Utterance } from '../world.ts';

/** The functions of a world that make and judge answers for demonstrations. */
export interface Answerer {
  /**
   * An answer within the limits of the level. It is derived from the hidden texts if `isGood` is true, and does not
   * depend on them otherwise.
   */
  solve: (
    problem: Problem,
    draws: RandomNumbers,
    options: { isGood: boolean; resultNoise: number; sees: readonly string[] },
  ) => string;
  judge: (problem: Problem, message: Utterance) => Answer;
}

/** An answer given so far. */
interface Given {
  agent: number;
  text: string;
  answer: string | null;
  /** The agents that do not see this answer. */
  maskedFor: readonly number[];
}

interface Demonstration {
  answerer: Answerer;
  problem: Problem;
  draws: RandomNumbers;
  options: DemonstrationOptions;
  protocol: Protocol;
}

/** The answers of a demonstration, in speaking order. */
export function demonstrateAnswers(
  answerer: Answerer,
  ...[draws, problem, options, protocol]: [RandomNumbers, Problem, DemonstrationOptions, Protocol]
): ShownMessage[] {
  const demonstration: Demonstration = { answerer, problem, draws, options, protocol };
  const out: ShownMessage[] = [];
  const newest = new Map<number, Given>();
  for (let round = 0; round < (options.rounds ?? 1); round++) {
    for (const set of protocol.round) {
      // All agents of a set speak before any agent hears their answers.
      const texts = set.map((agent) => ({ agent, text: answerText(demonstration, agent, newest) }));
      for (const { agent, text } of texts) {
        const { answer, score } = answerer.judge(problem, { role: 'reasoning', text, isFinish: false });
        const maskedFor = withheldFrom(protocol, draws, agent);
        newest.set(agent, { agent, text, answer, maskedFor });
        out.push({ agent, round, text, score, ...(maskedFor.length > 0 && { maskedFor }) });
      }
    }
    const { count } = mostCommon([...newest.values()].map(({ answer }) => answer));
    if (protocol.stopsWhenAgreed && count >= protocol.stopsWhenAgreed * protocol.roles.length) break;
  }
  return out;
}

const seesWhatIsHidden = ({ sees }: Protocol, agent: number) => (sees[agent] ?? []).length > 0;

/** The agents that an agent hears; by default, all agents. */
export const hears = ({ hears, roles }: Protocol, agent: number) => hears?.[agent] ?? [...roles.keys()];

/** Draws the agents from which the message of an agent is hidden. */
export function withheldFrom(protocol: Protocol, draws: RandomNumbers, speaker: number): number[] {
  const { maskPeers } = protocol;
  if (!maskPeers) return [];
  const listeners = [...protocol.roles.keys()].filter((agent) => agent !== speaker);
  return listeners.filter((agent) => hears(protocol, agent).includes(speaker) && draws.next() < maskPeers);
}

function answerText(demonstration: Demonstration, agent: number, newest: ReadonlyMap<number, Given>): string {
  const { answerer, problem, draws, options, protocol } = demonstration;
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
  // In a turn that is not good, the answer is drawn at random from the agent's own last answer and the answers that it
  // has heard.
  const chosen = draws.below(heard.length + 1);
  return heard[chosen]?.text ?? own?.text ?? solved();
}

/**
 * The most common answer among those that an agent has heard from agents that see the hidden texts. If there are no
 * such answers, the most common of all answers that the agent has heard.
 */
function believed(heard: readonly Given[], protocol: Protocol): Given {
  const informed = heard.filter(({ agent }) => seesWhatIsHidden(protocol, agent));
  const sources = informed.length > 0 ? informed : heard;
  const { answer } = mostCommon(sources.map((given) => given.answer));
  return sources.find((given) => given.answer === answer) ?? (sources[0] as Given);
}
