// The chats that an imported model reads before each turn, if agents talk in plain words.
import { ConfigError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { spoken } from '../../base/spoken.ts';
import type { Config } from '../../config/schema.ts';
import type { Protocol } from '../../records/protocol.ts';
import type { ForeignModel } from '../../records/stored/foreignModel.ts';
import type { ChatMessage } from '../../records/stored/modelCard.ts';
import { isHeard, type ReadInWords } from '../../rollout/view.ts';
import { promptsAround, speakerAt, type WordsWorld } from '../../tasks/inWords/worldInWords.ts';
import type { HeardInWords, PromptsAround } from '../../tasks/world.ts';
import { chatTokens } from '../../text/chat.ts';
import { readTerminated } from '../../text/chatTemplate.ts';
import { specialIn } from '../../text/controlTokens.ts';
import { chatFormOf, vocabularyOf } from './foreignTokens.ts';

/** For each agent, the chats of solved training problems, which precede the chat about the actual problem. */
function examplesFor(world: WordsWorld, config: Config, protocol: Protocol, around: PromptsAround): ChatMessage[][] {
  const { examples } = config.agents;
  if (examples === 0) return protocol.roles.map(() => []);
  if (world.open || world.react)
    throw new ConfigError(
      spoken`agents.examples: ${world.label} responds to messages, so solved problems cannot be part of a prompt; use agents.examples = 0.`,
    );
  const draws = new Draws(0, streams.demonstrations, 0);
  const options = { goodPlans: 1, resultNoise: 0, finishEnds: config.agents.finishEnds, rounds: protocol.rounds };
  const solved = Array.from({ length: examples }, () => {
    const problem = world.draw(config.world.level, draws, 'training');
    return { problem, said: world.demonstrate(problem, draws, options, protocol) };
  });
  return [...protocol.roles.keys()].map((agent) =>
    solved.flatMap(({ problem, said }, n) => {
      const last = said.findLastIndex((one) => one.agent === agent);
      if (last < 0) return [];
      const heard = said.slice(0, last).flatMap((one): HeardInWords[] => {
        const isOwn = one.agent === agent;
        if (!isOwn && !isHeard(one.agent, agent, protocol)) return [];
        const role = protocol.roles[one.agent] as Protocol['roles'][number];
        const text = one.maskedFor?.includes(agent) ? '' : readTerminated(one.message).text;
        return [{ role, agent: one.agent, isOwn, text }];
      });
      const chat = world.inWords.chat(problem, { ...speakerAt(protocol, agent), heard }, around);
      const own = readTerminated(said[last]?.message ?? '').text;
      return [...chat.filter(({ role }) => n === 0 || role !== 'system'), { role: 'assistant', content: own } as const];
    }),
  );
}

const isPrivate = /[\u{F0000}-\u{10FFFF}]/gu;

/**
 * Converts the chats of a world to tokens of the model with the model's own template. Agents' messages are inserted as
 * text. Special tokens that an agent sampled are left out, and text of an agent that only looks like a special token
 * stays plain text. For a model without a template, each message is a line.
 */
export function readerInWords(
  { world, config, protocol }: { world: WordsWorld; config: Config; protocol: Protocol },
  model: ForeignModel,
): ReadInWords {
  const around = promptsAround(config, world);
  const examples = examplesFor(world, config, protocol, around);
  const form = chatFormOf(model);
  const { controls } = form;
  const sampled = specialIn(vocabularyOf(model)).filter((token) => token !== '');
  // Special tokens are sorted by length, the longest first, because the tokenizer also tries longer tokens first.
  const sorted = sampled
    .sort((a, b) => b.length - a.length)
    .map((token) => token.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  const isSampled = new RegExp(sorted.join('|') || '(?!)', 'gu');
  const plain = (text: string) => text.replaceAll(isSampled, '').replaceAll(isPrivate, '\uFFFD');
  return (problem, agent, heard) => {
    const shown = examples[agent] ?? [];
    const speaker = { ...speakerAt(protocol, agent), heard: heard.map((one) => ({ ...one, text: plain(one.text) })) };
    const chat = world.inWords.chat(problem, speaker, around);
    const messages = [...shown, ...chat.filter(({ role }) => shown.length === 0 || role !== 'system')];
    const own = ({ role }: ChatMessage) => role === 'assistant';
    return chatTokens(
      form,
      messages.map((one) => (own(one) ? { ...one, content: controls.hidden(one.content) } : one)),
    );
  };
}
