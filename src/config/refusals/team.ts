// What a team asks for: somebody to talk with, and no more turns than there are random numbers for.
import type { Settings } from '../../base/errors.ts';
import type { Rule } from './rule.ts';

/** Turns of a trajectory at most: each token of them has a random number of its own. */
const mostTurns = 32;

export const teamRules: readonly Rule[] = [
  {
    when: ({ agents }) => agents.swapEvery > 0 && agents.parameters === 'shared',
    path: 'agents.swapEvery',
    says: 'one shared network plays all roles already',
    remedies: [{ 'agents.parameters': 'separate' }, { 'agents.swapEvery': 0 }],
  },
  {
    when: ({ agents }) => agents.protocol === 'debate' && agents.count < 2,
    path: 'agents.count',
    says: 'a debate needs somebody to debate with',
    remedies: [{ 'agents.count': 2 }, { 'agents.protocol': 'single' }],
  },
  {
    when: ({ agents }) => agents.protocol === 'summary' && agents.count < 2,
    path: 'agents.count',
    says: 'a leader needs somebody to read',
    remedies: [{ 'agents.count': 2 }, { 'agents.protocol': 'single' }],
  },
  {
    when: ({ agents: { protocol, count, roundLimit } }) =>
      (protocol === 'debate' || protocol === 'summary') && count * roundLimit > mostTurns,
    path: 'agents.roundLimit',
    says: ({ agents }) => `${agents.roundLimit} rounds of ${agents.count} agents are more than ${mostTurns} turns`,
    remedies: ({ agents: { count, roundLimit } }): Settings[] => [
      { 'agents.roundLimit': Math.floor(mostTurns / count) },
      { 'agents.count': Math.floor(mostTurns / roundLimit) },
    ],
  },
  {
    when: ({ agents }) => agents.protocol === 'debate' && agents.consensus > 0 && agents.consensus <= 0.5,
    path: 'agents.consensus',
    says: 'half of the debaters or fewer are no agreement',
    remedies: [{ 'agents.consensus': 1 }, { 'agents.consensus': 0 }],
  },
];
