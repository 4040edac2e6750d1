// Tests that the chat template of an exported agent writes exactly the context that the agent had in the run, for each
// turn and in every protocol. The contexts are compared with the rows that are used for decoding and training.
import { sampleProblem } from '../src/records/testing/arbitrary.ts';
import { Template } from '@huggingface/jinja';
import { describe, expect, it } from 'vitest';
import { protocolNames } from '../src/config/protocols/registry.ts';
import { parseShape } from '../src/config/parse.ts';
import { agentId, type Role } from '../src/records/ids.ts';
import type { Protocol } from '../src/records/protocol.ts';
import { setsOf, type Trajectory, type Turn } from '../src/records/trajectory.ts';
import { protocolOf } from '../src/records/protocol.ts';
import { form as houseRule } from '../src/extensions/worlds/houseRule/form.ts';
import { isHeard, viewRows, viewTokens, type SaidRow } from '../src/rollout/view.ts';
import { chatTemplate, feedbackTexts, heardRoles } from '../src/text/chatTemplate.ts';
import { chatMessages, type SpokenText } from '../src/text/testing/chat.ts';
import { loadTokenizer } from '../src/tasks/testing/tokenizers.ts';

const tokenizer = loadTokenizer();
const expression = '7+4*2';
const protocolFor = (agents: object) => protocolOf(parseShape({ agents }).agents, houseRule);

/**
 * A dialogue of three rounds, or of one round if the protocol has only one. In the last round, the agent that may
 * finish sends the finish token.
 */
function talk(protocol: Protocol, changes: (turn: Turn) => Partial<Turn> = () => ({})): Trajectory {
  const turns: Turn[] = [];
  for (let round = 0; round < (protocol.isOneRound ? 1 : 3); round++) {
    for (const set of protocol.round) {
      const first = turns.length;
      for (const agent of set) {
        const isFinish = round === 2 && agent === protocol.finisher;
        const text = isFinish ? '' : `${turns.length % 10}+${agent}`;
        const turn: Turn = {
          ...{ index: turns.length, set: first, round, agent: agentId(agent), role: protocol.roles[agent] as Role },
          ...{ tokens: tokenizer.encode(text + (isFinish ? '<finish>' : '<eot>')), logprobs: [], text, isFinish },
          ...{ isTruncated: false, reason: [], reward: 0 },
          parts: { rightAnswer: 0, legalOperation: 0, rewrite: 0, finished: 0 },
        };
        turns.push({ ...turn, ...changes(turn) });
      }
    }
  }
  const prompt = (agent: number) => tokenizer.encode(`<bos>${hiddenFrom(protocol, agent) ?? ''}${expression}<eot>`);
  return {
    ...{ index: 0, group: 0, finishCode: 0, answer: null, isRight: false, reward: 0, turns },
    problem: { ...sampleProblem, shown: expression },
    prompts: protocol.roles.map((_, agent) => prompt(agent)),
  };
}

const hiddenFrom = ({ sees }: Protocol, agent: number) => (sees[agent]?.includes('rule') ? '<rightToLeft>' : null);

/**
 * The messages that an agent has heard or said before its turn `before`. If several messages are simultaneous, the
 * agent's own message comes first.
 */
function messagesBefore(
  { turns }: Trajectory,
  protocol: Protocol,
  { agent, before }: { agent: number; before: number },
) {
  const messages: (SpokenText & { isOwn: boolean })[] = [];
  for (const set of setsOf(turns)) {
    if (set.some(({ index }) => index === before)) return messages;
    const own = set.filter((turn) => (turn.agent as number) === agent);
    const others = set.filter((turn) => isHeard(turn.agent, agent, protocol));
    for (const turn of [...own, ...others]) {
      // A fresh context contains only the newest message of each agent.
      const isOld = turns.slice(0, before).some((later) => later.agent === turn.agent && later.index > turn.index);
      if (protocol.context === 'fresh' && isOld) continue;
      const isMasked = turn.maskedFor?.includes(agent) ?? false;
      const told = isMasked ? undefined : feedbackTexts[turn.feedback ?? -1];
      messages.push({
        ...{ role: turn.role, text: isMasked ? '' : turn.text, isFinish: turn.isFinish },
        ...{ isOwn: own.includes(turn), ...(told && { told }) },
      });
    }
  }
  return messages;
}

/**
 * For every turn, the context in which the turn was sampled: once as in the rows, and once as written by the template.
 */
function contexts(protocol: Protocol, trajectory: Trajectory): { row: string; chat: string }[] {
  return trajectory.turns.map(({ agent, index, role }) => {
    const rows = viewRows(trajectory, agent, viewTokens(protocol, [tokenizer]));
    const { ids, turnIds } = rows.find((row) => row.turnIds.includes(index)) as SaidRow;
    const messages = messagesBefore(trajectory, protocol, { agent, before: index });
    const chat = chatMessages({ hidden: hiddenFrom(protocol, agent), question: expression, messages }, role);
    const asked = chat.length - messages.length;
    // All debaters have the same role, so the number of the speaker is used to determine whether a message is the
    // agent's own message.
    const told = chat.map((message, i) =>
      i < asked ? message : { ...message, role: messages[i - asked]?.isOwn ? 'assistant' : 'user' },
    );
    const template = new Template(chatTemplate(role, heardRoles(protocol, agent)));
    return {
      row: tokenizer.decode(ids.slice(0, turnIds.indexOf(index))),
      chat: template.render({ messages: told, add_generation_prompt: true }),
    };
  });
}

describe('the chat template of an exported agent', () => {
  it.each(protocolNames)('writes every context of the protocol %s', (name) => {
    for (const count of [2, 3]) {
      const protocol = protocolFor({ protocol: name, count });
      const both = contexts(protocol, talk(protocol));
      expect(both.length).toBeGreaterThan(0);
      expect(both.map(({ chat }) => chat)).toEqual(both.map(({ row }) => row));
    }
  });

  it('writes every context of an agent that hears several roles', () => {
    const debater = { role: 'debater', hears: [1, 2], sees: 'all' };
    const agents = [
      debater,
      { role: 'pioneer', hears: [0], sees: [] },
      { role: 'summariser', hears: [0, 1], sees: [] },
    ];
    const own = { agents, order: [[0, 1], [2]], answer: 2 };
    const protocol = protocolFor({ protocol: 'own', own });
    const both = contexts(protocol, talk(protocol));
    expect(both.map(({ chat }) => chat)).toEqual(both.map(({ row }) => row));
    expect(both.at(-1)?.row).toContain('<pioneer>');
  });

  it('writes a debate with feedback on each answer and with withheld answers', () => {
    const protocol = protocolFor({ protocol: 'debate', count: 3, feedback: true, maskPeers: 0.5 });
    const trajectory = talk(protocol, ({ index, agent }) => ({
      feedback: index % 4,
      ...(index % 2 === 1 && { maskedFor: [(agent + 1) % 3] }),
    }));
    const both = contexts(protocol, trajectory);
    expect(both.map(({ chat }) => chat)).toEqual(both.map(({ row }) => row));
    expect(both.at(-1)?.row).toContain('<eot><right><right>');
    expect(both.at(-1)?.row).toContain('<debater><eot>');
  });

  it('knows whom each agent hears, by protocol', () => {
    const heard = (agents: object) => {
      const protocol = protocolFor(agents);
      return protocol.roles.map((_, agent) => heardRoles(protocol, agent));
    };
    expect(heard({ protocol: 'reMA' })).toEqual([['reasoning'], ['metaThinking']]);
    expect(heard({ protocol: 'single' })).toEqual([[]]);
    expect(heard({ protocol: 'pioneerObserver' })).toEqual([[], ['pioneer']]);
    expect(heard({ protocol: 'debate', count: 2 })).toEqual([['debater'], ['debater']]);
    expect(heard({ protocol: 'vote', count: 3 })).toEqual([[], [], []]);
    expect(heard({ protocol: 'summary', count: 3 })).toEqual([['summariser'], ['summariser'], ['reasoning']]);
  });

  it('refuses a message of another agent if nobody is heard, and one of several agents without a name', () => {
    const messages = [
      { role: 'user', content: '7+4*2' },
      { role: 'user', content: '5' },
    ];
    const template = new Template(chatTemplate('reasoning', []));
    expect(() => template.render({ messages })).toThrow('reasoning hears nobody');
    expect(template.render({ messages: [messages[0], { role: 'assistant', content: '5' }] })).toBe(
      '<bos>7+4*2<eot><reason>5<eot>',
    );
    const mixed = { roles: ['pioneer', 'observer', 'summariser'], round: [[0, 1], [2]], isOneRound: true } as const;
    expect(heardRoles(mixed, 2)).toEqual(['pioneer', 'observer']);
    const several = new Template(chatTemplate('summariser', heardRoles(mixed, 2)));
    expect(() => several.render({ messages })).toThrow('name each message pioneer or observer');
  });
});
