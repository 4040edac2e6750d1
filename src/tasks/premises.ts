// Facts, rules and claims, as data and as they are written.
//   fact   `Ann is a baker.`  `Ann is not a baker.`       rule   `Every baker is kind.`  `No baker is kind.`
//   claim  `Ann is kind?`     `Ann is not kind?`
// A fact about somebody and a rule about his kind decide together; nothing else is concluded.
import type { Relation } from '../config/names.ts';

export interface Fact {
  name: string;
  kind: string;
  isDenied: boolean;
}

export interface Rule {
  kind: string;
  trait: string;
  isDenied: boolean;
}

export type Premise = Fact | Rule;

export interface Claim {
  name: string;
  trait: string;
  isDenied: boolean;
}

const isFact = (premise: Premise): premise is Fact => 'name' in premise;

export function writePremise(premise: Premise): string {
  if (isFact(premise)) return `${premise.name} is ${premise.isDenied ? 'not ' : ''}a ${premise.kind}.`;
  return `${premise.isDenied ? 'No' : 'Every'} ${premise.kind} is ${premise.trait}.`;
}

export const writeClaim = ({ name, trait, isDenied }: Claim): string => `${name} is ${isDenied ? 'not ' : ''}${trait}?`;

/** The premises of a text in their order; what is none is left out. */
export function readPremises(text: string): Premise[] {
  return (text.match(/[^.]+\./g) ?? []).flatMap((sentence): Premise[] => {
    const [, name = '', denied, kind = ''] = /^ ?(\w+) is (not )?a (\w+)\.$/.exec(sentence) ?? [];
    if (kind !== '') return [{ name, kind, isDenied: denied !== undefined }];
    const [, how, of = '', trait = ''] = /^ ?(Every|No) (\w+) is (\w+)\.$/.exec(sentence) ?? [];
    return trait === '' ? [] : [{ kind: of, trait, isDenied: how === 'No' }];
  });
}

export function readClaim(text: string): Claim {
  const [, name = '', denied, trait = ''] = /^(\w+) is (not )?(\w+)\?$/.exec(text) ?? [];
  return { name, trait, isDenied: denied !== undefined };
}

/** Whether a claim can hang on a premise: it tells of the same person, or of the same trait. */
export const isAbout = ({ name, trait }: Claim, premise: Premise): boolean =>
  isFact(premise) ? premise.name === name : premise.trait === trait;

/** What premises say of a claim. */
export function relationOf(claim: Claim, premises: readonly Premise[]): Relation {
  const about = premises.filter((premise) => isAbout(claim, premise));
  for (const fact of about.filter(isFact)) {
    if (fact.isDenied) continue;
    const rule = about.find((premise): premise is Rule => !isFact(premise) && premise.kind === fact.kind);
    if (rule) return rule.isDenied === claim.isDenied ? 'follows' : 'contradicted';
  }
  return 'unknown';
}

/** The likeliest relation for somebody who knows these premises and that there may be others. */
export function guess(claim: Claim, premises: readonly Premise[]): Relation {
  const about = premises.filter((premise) => isAbout(claim, premise));
  const [rule] = about.filter((premise) => !isFact(premise));
  if (!rule || about.some(isFact)) return relationOf(claim, premises);
  return rule.isDenied === claim.isDenied ? 'follows' : 'contradicted';
}
