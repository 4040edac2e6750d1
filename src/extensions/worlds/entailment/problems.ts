// Determines the claims and premises of problems. One premise is about the person in the claim, and one is about the
// trait in the claim. These two premises are in different halves. All other premises concern neither this person nor
// this trait. The relation between the premises and the claim therefore depends on both halves, unless a premise says
// that the person does not belong to a kind. A hash of all premises decides whether a problem belongs to training or is
// held out.
import { Draws, streams, type RandomNumbers } from '../../../base/random.ts';
import { relations, type Relation } from '../../../config/names.ts';
import { form } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import { kinds, names, traits } from '../../../tasks/everydayWords.ts';
import { noneTwice, splitOf } from '../../../tasks/splits.ts';
import type { Split, TypedProblem } from '../../../tasks/world.ts';
import { readTypedClaim } from '../../../tasks/claims/typedClaim.ts';
import { levelOf, toldAt } from './levels.ts';
import {
  relationOf,
  writeClaim,
  writePremise,
  type Claim,
  type Fact,
  type Premise,
  type Rule,
} from '../../../tasks/claims/premises.ts';

/**
 * On levels with negations: the share of the problems with the answer “unknown” in which a negated fact is the reason.
 */
const deniedShare = 1 / 3;

/** A claim with the two premises on which it depends. */
interface Core {
  claim: Claim;
  fact: Fact;
  rule: Rule;
}

const otherThan = <T>(items: readonly T[], item: T) => items.filter((other) => other !== item);

/** The properties of a claim and its two premises, which together determine the relation. */
interface Choice {
  relation: Relation;
  isClaimDenied: boolean;
  isFactDenied: boolean;
  isRuleDenied: boolean;
}

/** A claim about a random person and its two premises, with these properties. */
function coreOf({ isClaimDenied, isFactDenied, isRuleDenied, relation }: Choice, draws: RandomNumbers): Core {
  const claim = { name: draws.pick(names), trait: draws.pick(traits), isDenied: isClaimDenied };
  const fact = { name: claim.name, kind: draws.pick(kinds), isDenied: isFactDenied };
  const isMissed = relation === 'unknown' && !isFactDenied;
  const kind = isMissed ? draws.pick(otherThan(kinds, fact.kind)) : fact.kind;
  return { claim, fact, rule: { kind, trait: claim.trait, isDenied: isRuleDenied } };
}

/** All combinations of properties for a relation, each with its probability. */
function choicesOf(relation: Relation, hasDenials: boolean): (Choice & { share: number })[] {
  const isClaimDenied = hasDenials ? [false, true] : [false];
  const isFactDenied = hasDenials && relation === 'unknown' ? [false, true] : [false];
  return isClaimDenied.flatMap((claim) =>
    isFactDenied.flatMap((fact) =>
      [false, true]
        .filter((rule) => relation === 'unknown' || (rule === claim) === (relation === 'follows'))
        .map((rule) => ({
          ...{ relation, isClaimDenied: claim, isFactDenied: fact, isRuleDenied: rule },
          share:
            (1 / isClaimDenied.length) *
            (isFactDenied.length === 1 ? 1 : fact ? deniedShare : 1 - deniedShare) *
            (relation === 'unknown' ? 1 / 2 : 1),
        })),
    ),
  );
}

function drawChoice(relation: Relation, hasDenials: boolean, draws: RandomNumbers): Choice {
  const choices = choicesOf(relation, hasDenials);
  let left = draws.next();
  return choices.find(({ share }) => (left -= share) < 0) ?? (choices[0] as Choice);
}

/** A premise that concerns neither the person nor the trait in a claim. */
function decoy({ claim }: Core, hasDenials: boolean, draws: RandomNumbers): Premise {
  const isDenied = draws.below(2) === 0;
  if (draws.below(2) === 0)
    return {
      name: draws.pick(otherThan(names, claim.name)),
      kind: draws.pick(kinds),
      isDenied: isDenied && hasDenials,
    };
  return { kind: draws.pick(kinds), trait: draws.pick(otherThan(traits, claim.trait)), isDenied };
}

/** Draws a problem of a split with the given relation or, if none is given, with any relation. */
export function drawProblem(level: number, draws: RandomNumbers, split: Split, slice?: Relation): Problem {
  const { premises, hasDenials } = toldAt(level, split);
  for (;;) {
    const relation = slice ?? draws.pick(relations);
    const core = coreOf(drawChoice(relation, hasDenials, draws), draws);
    const halves = draws.shuffle([[core.fact], [core.rule]] as [Premise[], Premise[]]).map((half) => {
      while (half.length < premises / 2) half.push(decoy(core, hasDenials, draws));
      return draws.shuffle(half).map(writePremise);
    });
    const [first = [], second = []] = halves;
    const shown = writeClaim(core.claim);
    const id = [...first, ...second, shown].join(' ');
    if (new Set([...first, ...second]).size < premises) continue;
    if (split !== 'harder' && splitOf([...first, ...second].sort().join(' ') + shown) !== split) continue;
    return {
      ...{ id, world: 'entailment', level, shown, hidden: { first: first.join(' '), second: second.join(' ') } },
      ...{ answer: relationOf(core.claim, [core.fact, core.rule]), slice: relation },
      given: { deciding: [core.fact, core.rule].map(writePremise) },
    };
  }
}

/**
 * Reads a problem that a visitor has typed. Throws FormatError with an explanation if problems of this level cannot ask
 * about this claim.
 */
export function readProblem(typed: TypedProblem, level: number): Problem {
  const { premises, hasDenials } = toldAt(level, 'harder');
  const room = { premises, canClaimDeny: hasDenials, canFactDeny: hasDenials, hasLinks: false };
  const { shown, hidden, answer, deciding } = readTypedClaim(typed, form.hidden, room);
  const id = [hidden['first'], hidden['second'], shown].join(' ');
  return { ...{ id, world: 'entailment', level, shown, hidden, answer, slice: answer }, given: { deciding } };
}

/**
 * The fixed problems for evaluation. The problems are the same in every run, have all relations equally often, and do
 * not repeat.
 */
export function heldOutProblems(level: number, count: number): Problem[] {
  const draws = new Draws(0, streams.heldOut, level);
  const draw = (at: number) => drawProblem(level, draws, 'heldOut', relations[at % relations.length]);
  return noneTwice(count, draw);
}

/**
 * The maximum accuracy, computed by enumeration. For each possible set of statements that an agent may see, the most
 * frequent relation is counted. A half contains either the fact or the rule, both equally often. All other premises
 * give no information about the relation.
 */
export function ceiling(level: number, sees: readonly string[]): number {
  if (sees.length === 0) return 1 / relations.length;
  if (sees.length > 1) return 1;
  const { hasDenials } = levelOf(level);
  const best = (seen: (choice: Choice) => string) => {
    const shares = new Map<string, number>();
    for (const relation of relations) {
      const bySight = new Map<string, number>();
      for (const choice of choicesOf(relation, hasDenials))
        bySight.set(seen(choice), (bySight.get(seen(choice)) ?? 0) + choice.share / relations.length);
      for (const [sight, share] of bySight) shares.set(sight, Math.max(shares.get(sight) ?? 0, share));
    }
    return [...shares.values()].reduce((sum, share) => sum + share, 0);
  };
  const ofFact = best(({ isClaimDenied, isFactDenied }) => `${isClaimDenied} ${isFactDenied}`);
  const ofRule = best(({ isClaimDenied, isRuleDenied }) => `${isClaimDenied} ${isRuleDenied}`);
  return (ofFact + ofRule) / 2;
}
