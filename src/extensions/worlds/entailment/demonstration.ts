// Dialogues to imitate. Every agent quotes one of its own premises and answers. An agent that makes a good plan quotes
// the premise on which the claim depends, and answers correctly as far as the premises that it has read allow. The
// others quote and answer at random.
import { relations } from '../../../config/names.ts';
import { demonstrateClaim, evidenceOf } from '../../../tasks/claims/claims.ts';
import { guess, isAbout, readClaim, readPremises, writePremise } from '../../../tasks/claims/premises.ts';
import type { Demonstrate } from '../../../tasks/contract/worldModule.ts';

export const demonstrate: Demonstrate = (draws, problem, options, protocol) => {
  const claim = readClaim(problem.shown);
  const isGood = draws.next() < options.goodPlans;
  const seenBy = (agent: number) => readPremises(evidenceOf(problem, protocol, agent));
  const quote = (agent: number): string => {
    const own = seenBy(agent);
    const wanted = isGood ? own.filter((premise) => isAbout(claim, premise)) : own;
    return wanted.length === 0 ? '' : writePremise(draws.pick(wanted));
  };
  const answer = (agent: number, known: Parameters<typeof guess>[1]): string => {
    if (!isGood || draws.next() < options.resultNoise) return draws.pick(relations);
    return guess(claim, [...seenBy(agent), ...known]);
  };
  return demonstrateClaim({ quote, answer, steps: 1 }, draws, problem, options, protocol);
};
