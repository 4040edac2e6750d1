// Dialogues to imitate. An agent that makes a good plan cites statements that continue the chain. If the other agent
// reads each statement before it speaks, the statements are cited one at a time; otherwise, all statements that may
// matter are cited together. Such an agent gives the answer that follows from everything that it has read. The other
// agents cite and answer at random. If the judge counts words, one side simply says more than the other.
import { relations } from '../../../config/names.ts';
import { demonstrateClaim, evidenceOf } from '../../../tasks/claims/claims.ts';
import {
  isFact,
  kindsOf,
  readClaim,
  readPremises,
  relationOf,
  writePremise,
  type Premise,
} from '../../../tasks/claims/premises.ts';
import type { Demonstrate } from '../../../tasks/contract/worldModule.ts';
import { isTurnByTurn, levelOf } from './levels.ts';

export const demonstrate: Demonstrate = (draws, problem, options, protocol) => {
  const claim = readClaim(problem.shown);
  const { hops, countsWords } = levelOf(problem.level);
  const isGood = draws.next() < options.goodPlans;
  const isTold = isTurnByTurn(protocol);
  const isCounted = countsWords === true && protocol.name === 'inTurn';
  const seenBy = (agent: number) => readPremises(evidenceOf(problem, protocol, agent));
  const isStart = (premise: Premise) => isFact(premise) && premise.name === claim.name && !premise.isDenied;

  /**
   * The next premise of the chain: one about the last kind to which the person in the claim is known to belong or, at
   * the start, a fact about this person.
   */
  const next = (own: readonly Premise[], known: readonly Premise[]): Premise[] => {
    const kind = kindsOf(claim.name, known).at(-1);
    const found = own.find((premise) =>
      kind === undefined ? isStart(premise) : !isFact(premise) && premise.kind === kind,
    );
    return found ? [found] : [];
  };
  /**
   * The relevant statements of an agent. If the agent knows the complete chain, these are the statements of the chain;
   * otherwise, these are all statements that may belong to the chain.
   */
  const relevant = (own: readonly Premise[], known: readonly Premise[]): Premise[] => {
    const all = [...own, ...known];
    const kinds = kindsOf(claim.name, all);
    const isWhole = relationOf(claim, all) !== 'unknown';
    return own.filter((premise) => (isFact(premise) ? isStart(premise) : !isWhole || kinds.includes(premise.kind)));
  };

  const cite = (agent: number, known: readonly Premise[]): string => {
    const own = seenBy(agent);
    if (own.length === 0) return '';
    if (!isGood || draws.next() < options.resultNoise) return writePremise(draws.pick(own));
    if (isCounted && agent === 1 && relationOf(claim, [...own, ...known]) === 'follows') return '';
    return (isTold ? next : relevant)(own, known).map(writePremise).join(' ');
  };
  const answer = (agent: number, known: readonly Premise[]): string => {
    if (isGood && isCounted && agent === 0) return '';
    if (!isGood || draws.next() < options.resultNoise) return draws.pick(relations);
    return relationOf(claim, [...seenBy(agent), ...known]);
  };
  const steps = Math.ceil((hops + 1) / 2);
  return demonstrateClaim({ quote: cite, answer, steps }, draws, problem, options, protocol);
};
