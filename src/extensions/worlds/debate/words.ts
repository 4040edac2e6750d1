// The debate in plain words, for agents that are language models: their prompts, and how their messages are read. A
// message quotes sentences of the evidence and ends with an answer, in the same form as in the world's own vocabulary.
// Sentences are recognised by their form alone, so a sentence that is not in the evidence is read in the same way.
import { relations, type Relation } from '../../../config/names.ts';
import { writePremise, type Premise } from '../../../tasks/claims/premises.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { kinds, names, traits } from '../../../tasks/everydayWords.ts';
import type { PromptTexts } from '../../../tasks/inWords/names.ts';
import { levelOf } from './levels.ts';

const quote = 'Write the sentences that you know and that matter for the claim.';
const answer = 'with one word: follows, contradicted or unknown.';

/** The maximum number of tokens of a turn. */
export const chatWindow = 40;

export const prompts = {
  start: 'Claim: {claim}',
  'hidden.proponent': 'You know: {proponent}',
  'hidden.opponent': 'You know: {opponent}',
  'ask.plan':
    'Write one sentence that you know and that matters for the claim. If the reasoner has answered, write [FINISH].',
  ask: `${quote} Then answer ${answer}`,
  'again.answer': `Consider what you have heard. Claim: {claim} ${quote} Then answer again ${answer}`,
} as const satisfies PromptTexts;

/** The claim as a sentence: `Ann is kind?` becomes `Ann is kind.` */
export const facts: WorldModule['facts'] = ({ shown }) => ({ claim: shown.replace('?', '.') });

const oneOf = (words: readonly string[]) => `(?:${words.join('|')})`;
const isNot = "(?:\\s+not|n['’]t)";
const fact = `\\b(?<name>${oneOf(names)})\\s+is(?<denied>${isNot})?\\s+an?\\s+(?<kind>${oneOf(kinds)})\\b`;
const rule = `(?:\\b(?<how>every|each|all|any|no|an?)\\s+)?\\b(?<of>${oneOf(kinds)})s?\\s+(?:is|are)(?<not>${isNot})?\\s+(?:(?:an?\\s+)?(?<next>${oneOf(kinds)})s?|(?<trait>${oneOf(traits)}))\\b`;
/** A fact or a rule. A word before it can make it a mere condition or deny it, and then nothing is quoted. */
const statement = new RegExp(
  `(?:\\b(?<unquoted>if|whether|unless|not|(?:not\\s+true|false)\\s+that)\\s+)?(?:${fact}|${rule})`,
  'gi',
);

type Found = Readonly<Record<string, string | undefined>>;

function premiseFrom({ name = '', denied, kind = '', how = '', of = '', not, next, trait = '' }: Found): Premise {
  if (name !== '') {
    const capital = name.charAt(0).toUpperCase() + name.slice(1).toLowerCase();
    return { name: capital, kind: kind.toLowerCase(), isDenied: denied !== undefined };
  }
  const stated = next === undefined ? trait.toLowerCase() : `a ${next.toLowerCase()}`;
  return { kind: of.toLowerCase(), trait: stated, isDenied: (how.toLowerCase() === 'no') !== (not !== undefined) };
}

const relation = oneOf(relations);
/** Lists of possible answers and denied answers, which are not answers. */
const noAnswer = new RegExp(
  `\\b${relation}(?:,?\\s+${relation})*,?\\s+or\\s+${relation}\\b|\\bnot\\s+(?:contradicted|unknown|false)\\b`,
  'gi',
);
const answerWords = new RegExp(
  [
    "(?<unknown>\\b(?:unknown|undecided|unclear|not\\s+(?:known|certain|sure|follow)|(?:do\\s+not|don['’]t|cannot|can['’]t)\\s+(?:know|say|tell))\\b|n['’]t\\s+follow\\b)",
    '(?<contradicted>\\b(?:contradict(?:s|ed|ion|ory)?|not\\s+true|false)\\b)',
    '(?<follows>\\b(?:follow(?:s|ed)?|true)\\b)',
  ].join('|'),
  'gi',
);

interface Said {
  premises: string[];
  answer: Relation | null;
  /** All other words. */
  others: string[];
}

/** The quoted sentences, the last answer, and the other words of a message. */
function readIn(said: string): Said {
  const premises: string[] = [];
  const rest = said
    .replaceAll(statement, (...found: unknown[]) => {
      const groups = found.at(-1) as Found;
      if (groups['unquoted'] === undefined) premises.push(writePremise(premiseFrom(groups)));
      return ' . ';
    })
    .replaceAll(noAnswer, ' . ');
  const only = /^[\s.]*(yes|no)[\s.!]*$/i.exec(rest)?.[1]?.toLowerCase();
  if (only !== undefined) return { premises, answer: only === 'yes' ? 'follows' : 'contradicted', others: [] };
  const found = [...rest.matchAll(answerWords)].at(-1);
  const answer = relations.find((one) => found?.groups?.[one] !== undefined) ?? null;
  const others = found ? rest.slice(0, found.index) + rest.slice(found.index + found[0].length) : rest;
  const words = others.split(/\s+/).map((word) => word.replaceAll(/^\.+|\.+$/g, ''));
  return { premises, answer, others: words.filter((word) => word !== '') };
}

/**
 * The quoted sentences and the answer of a message, such as ` Ann is a baker. unknown`. If the judge counts words, the
 * other words stay in front of them, each as a sentence of its own, which quotes nothing.
 */
export const fromWords: WorldModule['fromWords'] = ({ level }, { duty, text }) => {
  const said = text.trim();
  // A planner may end the dialogue without a plan.
  if (duty === 'plan' && said === '') return { text: '', isExact: true };
  const { premises, answer, others } = readIn(said);
  if (premises.length === 0 && answer === null) return { text: said, isExact: false };
  const kept = levelOf(level).countsWords ? others.map((word) => `${word}.`) : [];
  const read = [...kept, ...premises, ...(answer === null ? [] : [answer])].map((piece) => ` ${piece}`).join('');
  const isAsked = duty !== 'plan' || answer === null;
  return { text: read, isExact: isAsked && kept.length === 0 && said === read.trim() };
};

export const toWords: WorldModule['toWords'] = (_, { text }) => text.trim();
