// The world in plain words, for agents that are language models: their prompts, and how their messages are read. A
// message quotes a sentence and ends with the answer, `Ann is a baker. unknown`; a plan is only a sentence.
import { relations, type Relation } from '../../../config/names.ts';
import { writePremise, type Premise } from '../../../tasks/claims/premises.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { kinds, names, traits } from '../../../tasks/everydayWords.ts';
import type { PromptTexts } from '../../../tasks/inWords/names.ts';

const answer = 'with one word: follows, contradicted or unknown.';
const quote = 'Write one sentence that you know and that matters for the claim.';
const ask = `${quote} Then answer ${answer}`;
const again = `Consider what you have heard. Claim: {claim} ${quote} Then answer again ${answer}`;

/** The maximum number of tokens of a turn. */
export const chatWindow = 16;

export const prompts = {
  start: 'Claim: {claim}',
  'hidden.first': 'You know: {first}',
  'hidden.second': 'You know: {second}',
  'ask.plan': `${quote} If the reasoner has answered, write [FINISH].`,
  ask,
  'again.tell': again,
  'again.answer': again,
  // The leader usually knows nothing except what the members say.
  'ask.summariser': `Answer ${answer}`,
  'again.summariser': `Consider what you have heard. Claim: {claim} Answer again ${answer}`,
} as const satisfies PromptTexts;

/** The claim as a sentence, such as `Ann is kind.` */
export const facts: WorldModule['facts'] = ({ shown }) => ({ claim: shown.replace(/\?$/, '.') });

const oneOf = (words: readonly string[]) => `(${words.join('|')})`;
const known = (words: readonly string[], found: string) =>
  words.find((word) => word.toLowerCase() === found.toLowerCase()) ?? found;

const premise = new RegExp(
  `\\b${oneOf(names)} is (not )?an? ${oneOf(kinds)}\\b|(?<!\\bnot )\\b(every|each|all|no) ${oneOf(kinds)}s? (?:is|are) ${oneOf(traits)}\\b`,
  'gi',
);

/** The premises that a text quotes, in the words of the world. */
function premisesIn(text: string): string[] {
  const plain = text.replaceAll(/\s+/g, ' ').replaceAll(/\bisn['’]t\b/gi, 'is not');
  return [...plain.matchAll(premise)].map(([, name, denied, kind = '', how, of = '', trait = '']) => {
    const found: Premise =
      name === undefined
        ? { kind: known(kinds, of), trait: known(traits, trait), isDenied: how?.toLowerCase() === 'no' }
        : { name: known(names, name), kind: known(kinds, kind), isDenied: denied !== undefined };
    return writePremise(found);
  });
}

/** Parts of a text that contain a relation without stating it. */
const unstated =
  /\bas follows\b|\bwhether\b[^.!?\n]*|(?:\bnot|n['’]t) (?:be |been |really |necessarily )?(?:follow|contradict|unknown)\w*/gi;
const stated: Readonly<Record<Relation, RegExp>> = {
  follows: /\bfollows?\b/gi,
  contradicted: /\bcontradict(?:s|ed|ion)?\b/gi,
  unknown: /\b(?:unknown|not known)\b/gi,
};

/**
 * The relation that a text states. Null if the text states none or all three. If the text states two relations, only
 * the last word of the text counts.
 */
function relationIn(text: string): Relation | null {
  const plain = text.replaceAll(/\s+/g, ' ').replaceAll(unstated, '').replace(/\W+$/, '');
  const found = relations.filter((relation) => plain.search(stated[relation]) >= 0);
  const isLast = (relation: Relation) =>
    [...plain.matchAll(stated[relation])].some(({ index, 0: word }) => index + word.length === plain.length);
  return (found.length === 2 ? found.find(isLast) : found.length === 1 ? found[0] : null) ?? null;
}

export const fromWords: WorldModule['fromWords'] = (_, { duty, text }) => {
  const said = text.trim();
  // A planner may end the dialogue without a plan.
  if (duty === 'plan' && said === '') return { text: '', isExact: true };
  const premises = premisesIn(said);
  const relation = duty === 'plan' ? null : relationIn(said);
  const pieces = [...premises, ...(relation === null ? [] : [relation])];
  if (pieces.length === 0) return { text: said, isExact: false };
  const isWhole = premises.length <= 1 && (duty === 'plan' || relation !== null);
  return { text: pieces.map((piece) => ` ${piece}`).join(''), isExact: isWhole && said === pieces.join(' ') };
};

/** The messages of the world are English. */
export const toWords: WorldModule['toWords'] = (_, { text }) => text.trim();
