// Dialogues to imitate. Everybody quotes a premise of its own and answers; whoever heads for the truth quotes the one on
// which the claim hangs and concludes from all that it has seen and heard, the others quote and answer anything.
import { protocolFacts } from '../../config/protocolFacts.ts';
import { relations } from '../../config/names.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import { terminated } from '../../text/chatTemplate.ts';
import { hears, withheldFrom } from '../demonstratedAnswers.ts';
import { mostCommon } from '../majority.ts';
import { dialogueOf } from '../steps.ts';
import type { Demonstrated, World } from '../world.ts';
import { judge } from './assessment.ts';
import { guess, isAbout, readClaim, readPremises, writePremise, type Premise } from '../premises.ts';

/** What an agent sees of the premises. */
export const evidenceOf = ({ hidden }: Problem, { sees }: Protocol, agent: number): Premise[] =>
  (sees[agent] ?? []).flatMap((name) => readPremises(hidden[name] ?? ''));

export const demonstrate: World['demonstrate'] = (problem, draws, options, protocol) => {
  const claim = readClaim(problem.shown);
  const isGood = draws.next() < options.goodPlans;
  const heard = protocol.roles.map((): Premise[] => []);
  const quoteOf = (agent: number): string => {
    const own = evidenceOf(problem, protocol, agent);
    const wanted = isGood ? own.filter((premise) => isAbout(claim, premise)) : own;
    return wanted.length === 0 ? '' : writePremise(draws.pick(wanted));
  };
  const relationFor = (agent: number): string => {
    if (!isGood || draws.next() < options.resultNoise) return draws.pick(relations);
    return guess(claim, [...evidenceOf(problem, protocol, agent), ...(heard[agent] ?? [])]);
  };
  const tell = (speaker: number, premise: string, maskedFor: readonly number[] = []) => {
    for (const [listener, known] of heard.entries())
      if (hears(protocol, listener).includes(speaker) && !maskedFor.includes(listener))
        known.push(...readPremises(premise));
  };
  if (protocolFacts[protocol.name].hasSteps) {
    const plan = quoteOf(0);
    tell(0, plan);
    return dialogueOf([{ plan: ` ${plan}`, reply: ` ${relationFor(1)}` }], options);
  }
  const out: Demonstrated[] = [];
  const newest: (string | null)[] = [];
  for (let round = 0; round < (options.rounds ?? 1); round++) {
    for (const set of protocol.round) {
      const said = set.map((agent) => ({ agent, premise: quoteOf(agent), relation: relationFor(agent) }));
      for (const { agent, premise, relation } of said) {
        const maskedFor = withheldFrom(protocol, draws, agent);
        tell(agent, premise, maskedFor);
        const text = `${premise === '' ? '' : ` ${premise}`} ${relation}`;
        const { answer, score } = judge(problem, { role: 'reasoning', text, isFinish: false });
        newest[agent] = answer;
        const message = terminated({ text, isFinish: false });
        out.push({ agent, round, message, score, ...(maskedFor.length > 0 && { maskedFor }) });
      }
    }
    const { stopsWhenAgreed, roles } = protocol;
    if (stopsWhenAgreed && mostCommon(newest).count >= stopsWhenAgreed * roles.length) break;
  }
  return out;
};
