// Reads a claim and its premises that a visitor typed. Words that are not in the vocabulary of the world are refused
// with a reason.
import { FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { Relation } from '../../config/names.ts';
import type { HiddenText } from '../../config/worlds/form.ts';
import { quote } from '../words.ts';
import { kinds, names, traits } from '../everydayWords.ts';
import type { TypedProblem } from '../world.ts';
import {
  isAbout,
  isFact,
  kindsOf,
  readClaim,
  readPremises,
  relationOf,
  writeClaim,
  writePremise,
  type Claim,
  type Premise,
} from './premises.ts';

/** The limits of a level. */
interface Room {
  /** The maximum number of premises in all hidden texts together. */
  premises: number;
  canClaimDeny: boolean;
  canFactDeny: boolean;
  /** Whether premises may link two kinds, such as `Every baker is a sailor.` */
  hasLinks: boolean;
}

export interface TypedClaim {
  shown: string;
  hidden: Record<string, string>;
  answer: Relation;
  /**
   * The premises that determine the relation to the claim: first the fact about the person, then the rules that lead to
   * the trait.
   */
  deciding: string[];
}

const parts = {
  claim: () => spoken`the claim`,
  premises: () => spoken`the premises`,
};
const refuse = (what: keyof typeof parts, why: string) => new FormatError(`${parts[what]()}: ${why}.`);
const has = (words: readonly string[], word: string) => words.includes(word);
const plain = (text: string) => text.trim().replaceAll(/\s+/g, ' ');

/**
 * Reads a claim and its premises. Throws FormatError if the claim or a premise is invalid, if the premises contradict
 * each other, or if none of them is about the claim.
 */
export function readTypedClaim({ shown, hidden }: TypedProblem, texts: readonly HiddenText[], room: Room): TypedClaim {
  const claim = claimOf(plain(shown), room);
  const told = texts.map(({ name, label }) => ({ name, premises: premisesOf(plain(hidden[name] ?? ''), label, room) }));
  const all = told.flatMap(({ premises }) => premises);
  if (all.length > room.premises)
    throw refuse(
      'premises',
      spoken`this level allows at most ${room.premises} premises, got ${all.length}; leave some out`,
    );
  if (saysBoth(claim, all))
    throw refuse(
      'premises',
      spoken`the sentences imply both that ${claim.name} is ${claim.trait} and that ${claim.name} is not; remove one sentence`,
    );
  const answer = relationOf(claim, all);
  const deciding = answer === 'unknown' ? all.filter((premise) => isAbout(claim, premise)) : chainOf(claim, all);
  if (deciding.length === 0)
    throw refuse(
      'premises',
      spoken`no premise is about ${claim.name} or says who is ${claim.trait}; add such a premise`,
    );
  return {
    shown: writeClaim(claim),
    hidden: Object.fromEntries(told.map(({ name, premises }) => [name, premises.map(writePremise).join(' ')])),
    answer,
    // The fact comes first, because each deduction begins with a fact about the person.
    deciding: [...deciding.filter(isFact), ...deciding.filter((premise) => !isFact(premise))].map(writePremise),
  };
}

function claimOf(text: string, { canClaimDeny }: Room): Claim {
  const claim = readClaim(text.endsWith('?') ? text : `${text}?`);
  if (!has(names, claim.name) || !has(traits, claim.trait))
    throw refuse(
      'claim',
      spoken`expected a claim with a name (${names.join(', ')}) and one of the words ${traits.join(', ')}, such as “Ann is kind?”, got “${quote(text)}”`,
    );
  if (claim.isDenied && !canClaimDeny)
    throw refuse('claim', spoken`claims of this level have no negation; leave out “not”`);
  return claim;
}

function premisesOf(text: string, label: string, { canFactDeny, hasLinks }: Room): Premise[] {
  const sentences = text.match(/[^.]+\.?/g) ?? [];
  if (sentences.length === 0)
    throw refuse(
      'premises',
      spoken`expected at least one sentence in ${label}, such as “Ann is a baker. Every baker is kind”`,
    );
  return sentences.map((sentence) => {
    const [premise] = readPremises(sentence.endsWith('.') ? sentence : `${sentence}.`);
    if (!premise || !isInWords(premise, hasLinks))
      throw refuse(
        'premises',
        spoken`expected a sentence such as “Ann is a baker”, “Every baker is kind” or “No baker is kind”, with words from ${[...names, ...kinds, ...traits].join(', ')}, got “${quote(sentence.trim())}”`,
      );
    if (isFact(premise) && premise.isDenied && !canFactDeny)
      throw refuse('premises', spoken`statements of this level have no negation; leave out “not”`);
    return premise;
  });
}

function isInWords(premise: Premise, hasLinks: boolean): boolean {
  if (!has(kinds, premise.kind)) return false;
  if (isFact(premise)) return has(names, premise.name);
  const isLink = premise.trait.startsWith('a ');
  return isLink ? hasLinks && !premise.isDenied && has(kinds, premise.trait.slice(2)) : has(traits, premise.trait);
}

function saysBoth(claim: Claim, premises: readonly Premise[]): boolean {
  const own = kindsOf(claim.name, premises);
  const found = premises.filter((one) => !isFact(one) && one.trait === claim.trait && own.includes(one.kind));
  return found.some(({ isDenied }) => isDenied) && found.some(({ isDenied }) => !isDenied);
}

/** The shortest chain of rules that leads from a fact about the person to the trait; empty if there is none. */
function chainOf(claim: Claim, premises: readonly Premise[]): Premise[] {
  const paths = premises
    .filter((one) => isFact(one) && one.name === claim.name && !one.isDenied)
    .map((fact) => ({ path: [fact], kind: fact.kind }));
  for (const { path, kind } of paths) {
    const rules = premises.filter((one) => !isFact(one) && one.kind === kind && !path.includes(one));
    const last = rules.find((rule) => !isFact(rule) && rule.trait === claim.trait);
    if (last) return [...path, last];
    for (const rule of rules)
      if (!isFact(rule) && rule.trait.startsWith('a '))
        paths.push({ path: [...path, rule], kind: rule.trait.slice(2) });
  }
  return [];
}
