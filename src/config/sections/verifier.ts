// The settings of the verifier, a network that learns to distinguish correct answers from wrong ones, and of the uses
// of its scores.
import * as v from 'valibot';
import { choice, flag, real, whole, type Condition } from '../field.ts';
import { debated, heardByAll } from '../conditions.ts';

const source = 'MAPoRL 2502.18439';

const trained: Condition = { 'verifier.isTrained': [true] };
const training = { group: 'Training', matters: [trained] };

export const verifier = v.object({
  isTrained: flag(false, {
    label: 'Train a verifier',
    help: 'A separate network learns to predict whether an answer is right. It begins as a copy of the agents’ starting weights and reads each answer with its question and rule. In protocols in which each turn is one step of the solution, such as “Plan and reason”, it reads the whole dialogue. After each iteration it learns from the agents’ messages.',
    source,
    group: 'Training',
  }),
  isBalanced: flag(true, {
    label: 'Balanced for each question',
    help: 'The verifier learns from equally many right and wrong answers to each question. Otherwise, according to the MAPoRL paper, it learns which questions are easy instead of which answers are right; measurements with Cothink showed no difference (docs/results.md).',
    source,
    ...training,
  }),
  learningRate: real(3e-3, {
    label: 'Learning rate of the verifier',
    help: 'AdamW step size.',
    source: 'Cothink',
    ...training,
    min: 1e-6,
    max: 1e-2,
    step: 'log',
    isLive: true,
  }),
  steps: whole(8, {
    label: 'Verifier steps per iteration',
    help: 'Number of optimiser steps of the verifier after each iteration. If no answers are left to learn from, no steps are taken.',
    source: 'Cothink',
    ...training,
    min: 1,
    max: 1000,
    isLive: true,
  }),
  batch: whole(64, {
    label: 'Answers per step',
    help: 'Number of answers in one training step of the verifier.',
    source: 'Cothink',
    ...training,
    unit: 'answers',
    min: 2,
    max: 4096,
    step: 8,
  }),
  memory: whole(8, {
    label: 'Memory of the verifier',
    help: 'The verifier learns from the answers of this many iterations, including the newest.',
    source: 'Cothink',
    ...training,
    unit: 'iterations',
    min: 1,
    max: 50,
  }),
  reward: real(0, {
    label: 'Reward from the verifier',
    help: 'Weight of the verifier’s score of an answer in the reward of the turn that gives the answer. If nothing else is rewarded, the agents soon learn to give wrong answers that get a high score.',
    source,
    group: 'Use',
    matters: [trained],
    min: 0,
    max: 2,
    step: 0.05,
    isLive: true,
  }),
  feedback: choice(['world', 'verifier'], 'world', {
    label: 'Feedback in words from',
    help: 'Whether an answer in a debate is judged by the world, which has the right answer, or by the verifier, which could also judge answers to problems without a known answer.',
    source,
    group: 'Use',
    matters: [{ ...trained, 'agents.feedback': [true], ...debated }],
    labels: { world: 'the world', verifier: 'the verifier' },
  }),
  consensus: real(0, {
    label: 'Lowest score of an agreed answer',
    help: 'A debate stops on agreement only if the verifier’s mean score of the agreed answer reaches this value. 0: agreement is enough.',
    source,
    group: 'Use',
    matters: [{ ...trained, 'agents.consensus': { above: 0 }, ...debated }],
    min: 0,
    max: 1,
    step: 0.05,
  }),
  decides: flag(false, {
    label: 'Verifier decides',
    help: 'Among the newest answers of all agents, the answer with the highest verifier score becomes the team’s answer. In a world with a judge, this answer replaces the judge’s verdict. With this setting, the verifier reads only the messages up to an answer, and no hidden texts.',
    source: 'Cothink',
    group: 'Use',
    matters: [{ ...trained, ...heardByAll }],
  }),
});
