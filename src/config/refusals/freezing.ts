// Agents that cannot be frozen: those who are not there, all of them, and those who share what others learn.
import { agentCount } from '../agentCount.ts';
import { valueText } from '../describe.ts';
import type { Config } from '../schema.ts';

/** Refuses a set of frozen agents that does not fit the team. */
export function refuseImpossibleFreezing({ agents, learning }: Config, refuse: (message: string) => never): void {
  const { frozen } = learning;
  if (frozen.length === 0) return;
  const count = agentCount(agents);
  const strangers = frozen.filter((agent) => agent >= count);
  if (strangers.length > 0) {
    const there = frozen.filter((agent) => agent < count);
    const nearest = there.length < count ? there : [];
    const who = strangers.length === 1 ? `is no agent ${strangers[0]}` : `are no agents ${strangers.join(' and ')}`;
    const team = count === 1 ? 'one agent, 0' : `${count} agents, 0 to ${count - 1}`;
    refuse(`learning.frozen: there ${who} in a team of ${team}; use learning.frozen = ${valueText(nearest)}.`);
  }
  if (frozen.length === count) {
    const nearest = frozen.slice(0, -1);
    refuse(`learning.frozen: with all agents frozen nobody learns; use learning.frozen = ${valueText(nearest)}.`);
  }
  if (agents.parameters === 'shared') {
    refuse(
      'learning.frozen: what one agent learns all learn who share its parameters; use agents.parameters = separate.',
    );
  }
  if (agents.swapEvery > 0) {
    refuse(
      'learning.frozen: where roles are exchanged every network plays every agent in its turn; use agents.swapEvery = 0.',
    );
  }
}
