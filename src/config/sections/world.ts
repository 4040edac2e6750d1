// What is asked, and what an answer is worth.
import * as v from 'valibot';
import { choice, real, whole } from '../field.ts';
import { teamAcross, teamOver, worldNames } from '../names.ts';
import { isTeam, protocolIs } from '../protocolFacts.ts';
import { heads, joint } from './conditions.ts';
import { creditFields } from './credit.ts';

export const world = v.object({
  name: choice(worldNames, 'houseRule', {
    label: 'World',
    help: 'The family of problems. In house-rule arithmetic not every agent sees the rule of evaluation: of a planner and a reasoner only the planner does.',
    source: 'Cothink',
    labels: { houseRule: 'House-rule arithmetic' },
  }),
  level: whole(1, {
    label: 'Level',
    help: '1: two operations modulo 10. 2: three modulo 10. 3: four, signed. 4: five, signed, several digits.',
    source: 'Cothink',
    min: 1,
    max: 4,
    step: 1,
    isBasic: true,
  }),
});

const weight = { min: 0, max: 2, step: 0.05, isLive: true } as const;

export const reward = v.object({
  rightAnswer: real(1, {
    ...weight,
    label: 'Right answer',
    help: 'Paid on the last turn when the dialogue ends with the right number; where each turn is an answer, on the last of each agent that is right.',
    source: 'ReMA',
    isBasic: true,
  }),
  legalOperation: real(0, {
    ...weight,
    label: 'Legal plan',
    help: 'Paid on a planner turn that names an operation which stands in the working expression, and on an answer all of whose steps do.',
    source: 'Cothink',
    group: 'Parts',
  }),
  rewrite: real(0, {
    ...weight,
    label: 'Rewrite as told',
    help: 'Paid on a reasoner turn that rewrites the expression exactly as the plan asked, and on an answer all of whose steps do.',
    source: 'Cothink',
    group: 'Parts',
  }),
  finished: real(0, {
    ...weight,
    label: 'Finished properly',
    help: 'Paid on the last turn when the planner ended the dialogue with the finish token, or all had their say.',
    source: 'ReMA',
    isBasic: true,
  }),
  across: choice(teamAcross, 'sum', {
    label: 'Across agents',
    help: 'How the rewards of one round become the reward of each agent.',
    source: 'MAPoRL 2502.18439',
    group: 'Sharing',
    matters: [{ 'agents.protocol': protocolIs(isTeam) }],
    labels: { sum: 'sum', mean: 'mean', max: 'max', dictator: 'the first agent', own: 'own' },
  }),
  over: choice(teamOver, 'sparse', {
    label: 'Over turns',
    help: 'Sparse: all at the end. Dense: each turn its own. Accumulated: each turn what follows it.',
    source: 'MAPoRL 2502.18439',
    group: 'Sharing',
    labels: { sparse: 'sparse', dense: 'dense', accumulated: 'accumulated' },
  }),
  gammaTurn: real(1, {
    label: 'Discount of a turn',
    help: 'How much a reward one turn later is worth now.',
    source: 'MAPoRL 2502.18439',
    group: 'Sharing',
    matters: [
      { 'reward.over': ['accumulated'] },
      { 'reward.shaping': { above: 0 } },
      { ...heads, 'learning.gaeLevel': ['turn'] },
      joint,
    ],
    min: 0,
    max: 1,
    step: 0.01,
  }),
  shaping: real(0, {
    ...weight,
    label: 'Progress shaping',
    help: 'Weight of the potential Φ: 1 while the working expression still evaluates to the right answer under the rule.',
    source: 'Ng, Harada, Russell 1999',
    group: 'Parts',
  }),
  ...creditFields,
});
