// Critics that are separate networks: those of PPO, IPPO, MAPPO and HAPPO, which are trained repeatedly on stored
// dialogues, and those of VDN and QMIX, which divide the team's value among messages.
import { real, whole } from '../field.ts';
import { learnerIs } from '../learners/registry.ts';
import { joint, mixed, ownCritics } from '../conditions.ts';

const again = { group: 'Critic and GAE', matters: [ownCritics, joint] };

export const criticFields = {
  criticSteps: whole(16, {
    label: 'Steps of the critic',
    help: 'Number of optimiser steps of each critic per iteration. A critic may learn more often from the same dialogues than the agents can.',
    source: 'PPG 2009.04416',
    ...again,
    min: 1,
    max: 64,
    isLive: true,
  }),
  criticBatch: whole(32, {
    label: 'Dialogues per critic step',
    help: 'Number of dialogues that are drawn from the critic’s memory for one step. If the critic sees only what one agent sees, each agent’s part of a dialogue counts separately.',
    source: 'Cothink',
    ...again,
    min: 1,
    max: 256,
    step: 16,
    isLive: true,
  }),
  criticMemory: whole(10000, {
    label: 'Memory of the critic',
    help: 'Number of newest dialogues (or of single agents’ parts of dialogues) from which the critic learns. A critic that learns from one iteration alone memorises the few problems of this iteration and makes worse predictions for the next.',
    source: 'PPG 2009.04416',
    unit: 'dialogues',
    ...again,
    min: 1,
    max: 100000,
    step: 100,
  }),
};

const mixing = {
  group: 'Mixing critic',
  matters: [mixed],
};

export const mixingFields = {
  mixingRate: real(3e-3, {
    label: 'Learning rate of the mixing critic',
    help: 'AdamW step size of the critic. At the start the critic has not been trained to predict returns, so its learning rate is as high as in a warm start.',
    source: 'Cothink',
    ...mixing,
    min: 1e-6,
    max: 1e-2,
    step: 'log',
    isLive: true,
  }),
  teamRewardIterations: whole(4, {
    label: 'Critic warm-up',
    help: 'For this many iterations the agents learn from the team reward itself, while the critic learns to divide this reward among the messages. 0: the critic divides the reward from the start.',
    source: 'Cothink',
    ...mixing,
    unit: 'iterations',
    min: 0,
    max: 1000,
  }),
  mixingGamma: real(0.95, {
    label: 'Discount of a round',
    help: 'The factor by which the value of the next round is discounted in the critic’s target for the current round.',
    source: 'QMIX 1803.11485',
    ...mixing,
    min: 0,
    max: 1,
    step: 0.01,
  }),
  mixingResidual: real(1, {
    label: 'Weight of the residual return',
    help: 'Each message is credited with its contribution to the value of the round, plus this share of the residual. The residual is the team’s return minus the value that the critic predicted. 0: only the contribution, even if the critic predicts badly.',
    source: 'Cothink',
    ...mixing,
    min: 0,
    max: 1,
    step: 0.05,
    isLive: true,
  }),
  mixerHidden: whole(32, {
    label: 'Units of the mixer',
    help: 'Width of the network that mixes the values of messages into the value of a round.',
    source: 'QMIX 1803.11485',
    ...mixing,
    matters: [{ 'learning.learner': learnerIs(({ hasMixer }) => hasMixer) }],
    min: 1,
    max: 256,
  }),
  replaySize: whole(10000, {
    label: 'Replay buffer',
    help: 'Number of newest dialogues from which the critic learns.',
    source: 'QMIX 1803.11485',
    ...mixing,
    unit: 'dialogues',
    min: 16,
    max: 100000,
    step: 100,
  }),
  mixingSteps: whole(16, {
    label: 'Steps of the mixing critic',
    help: 'Number of optimiser steps of the critic in each iteration.',
    source: 'Cothink',
    ...mixing,
    min: 1,
    max: 256,
    isLive: true,
  }),
  mixingBatch: whole(32, {
    label: 'Dialogues per step',
    help: 'Number of dialogues drawn from the replay buffer for one step of the critic.',
    source: 'QMIX 1803.11485',
    ...mixing,
    min: 1,
    max: 1024,
    step: 16,
    isLive: true,
  }),
  targetRate: real(0.05, {
    label: 'Target update rate τ',
    help: 'After each step the weights of the target network move this fraction of the way towards the critic’s weights. 1: no target network. The value of the last round reaches the first round only through the target network. With the usual value of 0.005 for τ, tens of thousands of steps would be needed until the value reaches the first round.',
    source: 'DDPG 1509.02971',
    ...mixing,
    min: 0.0001,
    max: 1,
    step: 'log',
    isLive: true,
  }),
};
