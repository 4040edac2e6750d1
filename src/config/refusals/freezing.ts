// Agents that cannot be frozen: those who are not there, all of them, and those who share what others learn.
import { agentCount } from '../agentCount.ts';
import type { Config } from '../schema.ts';
import { where, type Rule } from './rule.ts';

const strangers = ({ agents, learning }: Config) => learning.frozen.filter((agent) => agent >= agentCount(agents));

/** Those of the frozen who are there, unless that is everybody. */
function nearest({ agents, learning }: Config): number[] {
  const there = learning.frozen.filter((agent) => agent < agentCount(agents));
  return there.length < agentCount(agents) ? there : [];
}

export const freezingRules: readonly Rule[] = where(
  ({ learning }) => learning.frozen.length > 0,
  [
    {
      when: (config) => strangers(config).length > 0,
      path: 'learning.frozen',
      says: (config) => {
        const absent = strangers(config);
        const count = agentCount(config.agents);
        const who = absent.length === 1 ? `is no agent ${absent[0]}` : `are no agents ${absent.join(' and ')}`;
        return `there ${who} in a team of ${count === 1 ? 'one agent, 0' : `${count} agents, 0 to ${count - 1}`}`;
      },
      remedies: (config) => [{ 'learning.frozen': nearest(config) }],
    },
    {
      when: ({ agents, learning }) => learning.frozen.length === agentCount(agents),
      path: 'learning.frozen',
      says: 'with all agents frozen nobody learns',
      remedies: ({ learning }) => [{ 'learning.frozen': learning.frozen.slice(0, -1) }],
    },
    {
      when: ({ agents }) => agents.parameters === 'shared',
      path: 'learning.frozen',
      says: 'what one agent learns all learn who share its parameters',
      remedies: [{ 'agents.parameters': 'separate' }, { 'learning.frozen': [] }],
    },
    {
      when: ({ agents }) => agents.swapEvery > 0,
      path: 'learning.frozen',
      says: 'where roles are exchanged every network plays every agent in its turn',
      remedies: [{ 'agents.swapEvery': 0 }, { 'learning.frozen': [] }],
    },
  ],
);
