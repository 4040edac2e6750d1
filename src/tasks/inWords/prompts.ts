// The prompts of agents that talk in plain words. Each prompt is made of texts with placeholders such as `{question}`,
// which are replaced by facts about the problem. A world, a protocol and the settings can each replace texts by name.
import { ConfigError } from '../../base/errors.ts';
import { quoted } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { roles } from '../../config/names.ts';
import type { ChatMessage } from '../../records/stored/modelCard.ts';
import type { Role } from '../../records/ids.ts';
import type { Protocol } from '../../records/protocol.ts';
import type { HeardInWords } from '../world.ts';
import { duties, type Duty, type PromptTexts } from './names.ts';

/** Facts about a problem, which replace the placeholders with their names. */
export type Facts = Readonly<Record<string, string>>;

const parts = ['system', 'start', 'heard', 'observed', 'ask', 'again'];

/** The duty of an agent in a protocol. */
export function dutyOf(
  { roles: cast, hasSteps, round }: Pick<Protocol, 'roles' | 'hasSteps' | 'round'>,
  agent: number,
): Duty {
  const isPlanner = cast[agent] === 'metaThinking';
  const isHeard = round.at(-1)?.includes(agent) !== true;
  if (!hasSteps) return isPlanner && isHeard ? 'tell' : 'answer';
  if (isPlanner) return 'plan';
  return cast.includes('metaThinking') ? 'step' : 'alone';
}

/** Texts that apply if neither the protocol nor the world nor the settings have a text of this name. */
export const usualPrompts: PromptTexts = {
  start: '{question}',
  heard: 'The {speaker} says: "{message}"',
  observed: 'Result: {message}',
  'ask.plan': 'Name the next step only.',
  'ask.step': 'Carry out this step and give the result only.',
  'ask.alone': 'Do the next step.',
  'ask.tell': 'Write one short sentence that tells your friend what you know.',
  'ask.answer': 'Give the answer only.',
};

/** The words for roles. */
export const roleWords: Readonly<Record<Role, string>> = {
  metaThinking: 'planner',
  reasoning: 'reasoner',
  pioneer: 'pioneer',
  observer: 'observer',
  debater: 'debater',
  summariser: 'leader',
};

/** The words for the speaker of a message that an agent hears. */
const speakers: Readonly<Record<Role, string>> = { ...roleWords, debater: 'other debater' };

/** The agent for which a chat is written. */
export interface ChatReader {
  role: Role;
  duty: Duty;
  /** The names of the hidden texts that the agent sees. */
  sees: readonly string[];
  /** The messages that the agent sent or received, and the observations that it read, in order. */
  heard: readonly HeardInWords[];
}

/**
 * The name and the words of a text. The text is taken from the first layer that has it with one of the endings or without
 * an ending; the first ending goes before the others.
 */
export function textFor(
  layers: readonly PromptTexts[],
  part: string,
  endings: readonly string[] = [],
): [name: string, text: string] {
  const names = [...endings.map((ending) => `${part}.${ending}`), part];
  for (const texts of layers) {
    const name = names.find((one) => texts[one] !== undefined);
    if (name !== undefined) return [name, texts[name] as string];
  }
  return [part, ''];
}

/**
 * The chat that an agent reads before its turn. Each text is taken from the first layer that has it; within a layer, a
 * text for the agent's role goes before one for its duty, and both before one for all agents. Throws ConfigError if a text has a placeholder for which the agent has no
 * fact.
 */
export function chatFrom(
  layers: readonly PromptTexts[],
  facts: Facts,
  { role, duty, sees, heard }: ChatReader,
): ChatMessage[] {
  const named = (part: string, ...endings: readonly string[]) => textFor(layers, part, endings);
  const told = ([name, text]: [string, string], more: Facts = {}) => filled(text, { ...facts, ...more }, name);
  const system = told(named('system', role, duty));
  const chat: ChatMessage[] = system === '' ? [] : [{ role: 'system', content: system }];
  let parts: string[] = [told(named('start', role, duty)), ...sees.map((name) => told(named(`hidden.${name}`)))];
  let isFirst = true;
  const ask = () => {
    const again = named('again', role, duty);
    const request = isFirst || again[1] === '' ? named('ask', role, duty) : again;
    chat.push({ role: 'user', content: joined([...parts, told(request)]) });
    [parts, isFirst] = [[], false];
  };
  for (const { isOwn, isWorld, role: speaker, text } of heard) {
    const message = text.trim();
    if (isOwn) {
      ask();
      chat.push({ role: 'assistant', content: message });
    } else if (isWorld) parts.push(told(named('observed', role, duty), { message }));
    else parts.push(told(named('heard', speaker), { speaker: speakers[speaker], message }));
  }
  ask();
  return chat;
}

/** Joins texts with a space, or without one after a line break. Empty texts are left out. */
const joined = (texts: readonly string[]): string =>
  texts
    .reduce((all, text) => (all === '' || text === '' || all.endsWith('\n') ? all + text : `${all} ${text}`), '')
    .trim();

const placeholder = /\{([a-z]\w*)\}/gi;

function filled(text: string, facts: Facts, name: string): string {
  return text.replaceAll(placeholder, (braced, fact: string) => {
    const found = Object.hasOwn(facts, fact) ? facts[fact] : undefined;
    if (found !== undefined) return found;
    throw new ConfigError(
      spoken`agents.prompts: the text ${quoted(name)} contains ${braced}, which is unknown to an agent that reads this text; use ${Object.keys(
        facts,
      )
        .map((known) => `{${known}}`)
        .join(', ')}.`,
    );
  });
}

/** Throws ConfigError if a name does not belong to any text of a prompt. `hidden` contains the names of hidden texts. */
export function expectPromptNames(texts: PromptTexts, hidden: readonly string[]): void {
  const endings: readonly string[] = [...roles, ...duties];
  const isKnown = (name: string) => {
    const [part = '', ending, ...rest] = name.split('.');
    if (rest.length > 0) return false;
    if (part === 'hidden') return hidden.includes(ending ?? '');
    return parts.includes(part) && (ending === undefined || endings.includes(ending));
  };
  const stranger = Object.keys(texts).find((name) => !isKnown(name));
  if (stranger === undefined) return;
  const known = [...parts, ...hidden.map((name) => `hidden.${name}`)].join(', ');
  throw new ConfigError(
    spoken`agents.prompts: there is no text ${quoted(stranger)}; the texts are ${known}, each except hidden.NAME also with .${endings.join(', .')}.`,
  );
}
