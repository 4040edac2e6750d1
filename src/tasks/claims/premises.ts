// Reads and writes facts, rules and claims:
//   fact   `Ann is a baker.`  `Ann is not a baker.`       rule   `Every baker is kind.`  `No baker is kind.`
//                                                          rule   `Every baker is a sailor.`, a link to the next
//   claim  `Ann is kind?`     `Ann is not kind?`
// A claim follows from a fact about a person and a rule about the person's kind, with links between kinds in between.
// Nothing else is concluded.
import type { Relation } from '../../config/names.ts';

export interface Fact {
  name: string;
  kind: string;
  isDenied: boolean;
}

export interface Rule {
  kind: string;
  /**
   * The property that the rule states for persons of this kind: a trait such as `kind`, or another kind with its
   * article, such as `a sailor`.
   */
  trait: string;
  isDenied: boolean;
}

export type Premise = Fact | Rule;

export interface Claim {
  name: string;
  trait: string;
  isDenied: boolean;
}

export const isFact = (premise: Premise): premise is Fact => 'name' in premise;

export function writePremise(premise: Premise): string {
  if (isFact(premise)) return `${premise.name} is ${premise.isDenied ? 'not ' : ''}a ${premise.kind}.`;
  return `${premise.isDenied ? 'No' : 'Every'} ${premise.kind} is ${premise.trait}.`;
}

export const writeClaim = ({ name, trait, isDenied }: Claim): string => `${name} is ${isDenied ? 'not ' : ''}${trait}?`;

/** The premises in a text, in their order. Any other text is ignored. */
export function readPremises(text: string): Premise[] {
  return (text.match(/[^.]+\./g) ?? []).flatMap((sentence): Premise[] => {
    const [, name = '', denied, kind = ''] = /^ ?(\w+) is (not )?a (\w+)\.$/.exec(sentence) ?? [];
    if (kind !== '') return [{ name, kind, isDenied: denied !== undefined }];
    const [, how, of = '', trait = ''] = /^ ?(Every|No) (\w+) is ((?:a )?\w+)\.$/.exec(sentence) ?? [];
    return trait === '' ? [] : [{ kind: of, trait, isDenied: how === 'No' }];
  });
}

export function readClaim(text: string): Claim {
  const [, name = '', denied, trait = ''] = /^(\w+) is (not )?(\w+)\?$/.exec(text) ?? [];
  return { name, trait, isDenied: denied !== undefined };
}

/** Whether a premise is about the person or the trait in the claim. */
export const isAbout = ({ name, trait }: Claim, premise: Premise): boolean =>
  isFact(premise) ? premise.name === name : premise.trait === trait;

/**
 * The kinds of a person according to these premises: first the kinds that a premise states, then the kinds that follow
 * from these through links.
 */
export function kindsOf(person: string, premises: readonly Premise[]): string[] {
  const kinds = premises.flatMap((premise) =>
    isFact(premise) && premise.name === person && !premise.isDenied ? premise.kind : [],
  );
  for (const kind of kinds) {
    for (const rule of premises) {
      if (isFact(rule) || rule.isDenied || rule.kind !== kind || !rule.trait.startsWith('a ')) continue;
      const next = rule.trait.slice(2);
      if (!kinds.includes(next)) kinds.push(next);
    }
  }
  return kinds;
}

/** The relation between premises and a claim: whether the claim follows, is contradicted, or neither. */
export function relationOf(claim: Claim, premises: readonly Premise[]): Relation {
  for (const kind of kindsOf(claim.name, premises)) {
    const isRule = (premise: Premise): premise is Rule =>
      !isFact(premise) && premise.kind === kind && premise.trait === claim.trait;
    const rule = premises.find(isRule);
    if (rule) return rule.isDenied === claim.isDenied ? 'follows' : 'contradicted';
  }
  return 'unknown';
}

/**
 * The most probable relation for an agent that sees only these premises of the problem. There may be further premises.
 */
export function guess(claim: Claim, premises: readonly Premise[]): Relation {
  const about = premises.filter((premise) => isAbout(claim, premise));
  const [rule] = about.filter((premise) => !isFact(premise));
  if (!rule || about.some(isFact)) return relationOf(claim, premises);
  return rule.isDenied === claim.isDenied ? 'follows' : 'contradicted';
}
