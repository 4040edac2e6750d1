// Builds the text that an agent reads, and the Jinja template that writes the same text for an exported model. The text
// starts with the question. Each message comes after the header of its role, and ends with <eot>, or with <finish>
// instead.
import type { Role } from '../records/ids.ts';
import type { Protocol } from '../records/protocol.ts';

/** For each role, the token that precedes its messages. The token is added to the context and never sampled. */
export const roleHeaders: Readonly<Record<Role, string>> = {
  metaThinking: '<meta>',
  reasoning: '<reason>',
  pioneer: '<pioneer>',
  observer: '<observer>',
  debater: '<debater>',
  summariser: '<summariser>',
};

/**
 * The feedback after an answer. The four texts mean very likely wrong, likely wrong, likely right and very likely
 * right.
 */
export const feedbackTexts = ['<wrong><wrong>', '<wrong>', '<right>', '<right><right>'] as const;
/** The lowest scores for which the second, third and fourth feedback text is used, as in MAPoRL's released code. */
const feedbackBounds = [0.3, 0.6, 0.8] as const;

/** The index in `feedbackTexts` of a score in [0, 1]. */
export const feedbackOf = (score: number) => feedbackBounds.filter((bound) => score >= bound).length;

export const endOfTurn = '<eot>';
export const finish = '<finish>';

/** The word with which an agent that talks in plain words ends the dialogue, as in ReMA. */
export const finishWord = '[FINISH]';
const finishWords = /\[\s*finish\s*\]/gi;

/** Whether a message in plain words contains the word that ends the dialogue, in capital or small letters. */
export const saysFinish = (text: string): boolean => text.search(finishWords) >= 0;

/** A message in plain words without the word that ends the dialogue. */
export const withoutFinish = (text: string): string => text.replaceAll(finishWords, '').trim();

/** The question, with which every context starts: `<bos><rightToLeft>7+4*2<eot>`. */
export function promptText(hidden: string | null, question: string): string {
  return `<bos>${hidden ?? ''}${question}${endOfTurn}`;
}

/** A message with its terminator, such as `4*2<eot>` or `<finish>`. */
export function terminated(message: { text: string; isFinish: boolean }): string {
  return message.text + (message.isFinish ? finish : endOfTurn);
}

/** Separates a message from its terminator. A message without a terminator was truncated. */
export function readTerminated(raw: string): { text: string; isFinish: boolean; isTruncated: boolean } {
  if (raw.endsWith(finish)) return { text: raw.slice(0, -finish.length), isFinish: true, isTruncated: false };
  if (raw.endsWith(endOfTurn)) return { text: raw.slice(0, -endOfTurn.length), isFinish: false, isTruncated: false };
  return { text: raw, isFinish: false, isTruncated: true };
}

/** The roles of the agents that an agent may have heard before it speaks; empty if it hears no agent. */
export function heardRoles(
  { roles, round, isOneRound, hears }: Pick<Protocol, 'roles' | 'round' | 'isOneRound' | 'hears'>,
  agent: number,
): Role[] {
  const own = round.findIndex((set) => set.includes(agent));
  const speakers = (isOneRound ? round.slice(0, own) : round).flat();
  const heard = speakers.filter((speaker) => speaker !== agent && (hears?.[agent]?.includes(speaker) ?? true));
  return [...new Set(heard.map((speaker) => roles[speaker] as Role))];
}

/**
 * The `chat_template` of a model that speaks in the role `role` and hears agents in the roles `heard` (possibly none).
 * The model's own turns are messages of the assistant, and the messages that it hears are messages of the user. If the
 * model hears several agents, the `name` of each message is the role. If a message already contains an `<eot>`, which
 * precedes its feedback, no second one is added.
 */
export function chatTemplate(role: Role, heard: readonly Role[]): string {
  const own = roleHeaders[role];
  const [only, ...others] = heard;
  const named = heard.map((other) => `{%- elif message['name'] == '${other}' -%}{{- '${roleHeaders[other]}' -}}`);
  const hearing =
    only === undefined
      ? [
          `{%- if message['role'] != 'assistant' -%}`,
          `{{- raise_exception('${role} hears nobody: after the question only its own turns are expected') -}}`,
          `{%- endif -%}`,
          `{{- '${own}' + message['content'] -}}`,
        ]
      : others.length > 0
        ? [
            `{%- if message['role'] == 'assistant' -%}{{- '${own}' -}}`,
            ...named,
            `{%- else -%}{{- raise_exception('${role} hears several: name each message ${heard.join(' or ')}') -}}`,
            `{%- endif -%}`,
            `{{- message['content'] -}}`,
          ]
        : [`{{- ('${own}' if message['role'] == 'assistant' else '${roleHeaders[only]}') + message['content'] -}}`];
  return [
    `{{- '<bos>' -}}`,
    `{%- set state = namespace(asked=false) -%}`,
    `{%- for message in messages -%}`,
    `{%- if message['role'] == 'system' -%}{{- message['content'] -}}`,
    `{%- elif not state.asked -%}{%- set state.asked = true -%}{{- message['content'] + '${endOfTurn}' -}}`,
    `{%- else -%}`,
    ...hearing,
    `{%- if not (message['content'].endswith('${finish}') or '${endOfTurn}' in message['content']) -%}`,
    `{{- '${endOfTurn}' -}}{%- endif -%}`,
    `{%- endif -%}`,
    `{%- endfor -%}`,
    `{%- if add_generation_prompt -%}{{- '${own}' -}}{%- endif -%}`,
  ].join('\n');
}
