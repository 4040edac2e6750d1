import { expect, it } from 'vitest';
import { parseConfig } from '../../config/parse.ts';
import { collectedOf, trajectoryOf } from '../testing/spoken.ts';
import { agentSequences } from './tokenRewards.ts';

it('a reward of turns said at once belongs to that moment, whoever of them is named first', () => {
  const trajectory = trajectoryOf([
    { agent: 0, tokens: [11, 2] },
    { agent: 1, tokens: [12, 2] },
    { agent: 0, tokens: [13, 2], earned: { rightAnswer: 1 } },
    { agent: 1, tokens: [14, 2] },
  ]);
  trajectory.turns.forEach((turn, i) => Object.assign(turn, i % 2 === 1 && { set: i - 1 }));
  const config = parseConfig({ reward: { over: 'dense' } });
  const found = agentSequences(collectedOf([trajectory], config));
  expect(found.map((sequence) => Array.from(sequence.rewards, (x) => x + 0))).toEqual([
    [0, 0, 0, 1],
    [0, 0, 0, 1],
  ]);
});

it('accumulated rewards of turns said at once come apart again into what each agent earned at each turn', () => {
  // Two agents answer simultaneously in two rounds. In the first round only agent 1 is right, and in the second round
  // both are right.
  const trajectory = trajectoryOf([
    { agent: 0, tokens: [11, 2] },
    { agent: 1, tokens: [12, 2], earned: { rightAnswer: 1 } },
    { agent: 0, tokens: [13, 2], earned: { rightAnswer: 1 } },
    { agent: 1, tokens: [14, 2], earned: { rightAnswer: 1 } },
  ]);
  trajectory.turns.forEach((turn, i) => Object.assign(turn, i % 2 === 1 && { set: i - 1 }));
  const config = parseConfig({
    reward: { across: 'own', over: 'accumulated', gammaTurn: 0.5 },
    learning: { groupKey: 'problem+agent' },
  });
  const found = agentSequences(collectedOf([trajectory], config));
  expect(found.map((sequence) => Array.from(sequence.rewards, (x) => x + 0))).toEqual([
    [0, 0, 0, 1],
    [0, 1, 0, 1],
  ]);
});
