// How the joint critic of MAPPO and HAPPO learns: again and again from stored dialogues, more than the agents do.
import { whole } from '../field.ts';
import { joint } from './conditions.ts';

const again = { group: 'Critic and GAE', matters: [joint] };

export const jointCriticFields = {
  criticSteps: whole(16, {
    label: 'Steps of a joint critic',
    help: 'Optimiser steps of the critic in each iteration. It may learn more often from the same dialogues than the agents can.',
    source: 'PPG 2009.04416',
    ...again,
    min: 1,
    max: 64,
    step: 1,
    isLive: true,
  }),
  criticBatch: whole(32, {
    label: 'Dialogues a step of a joint critic',
    help: 'Dialogues drawn from its memory for one step.',
    source: 'Cothink',
    ...again,
    min: 1,
    max: 256,
    step: 16,
    isLive: true,
  }),
  criticMemory: whole(10000, {
    label: 'Memory of a joint critic',
    help: 'The newest dialogues that it learns from. From those of one iteration alone it learns their few problems by heart, and explains less of the next.',
    source: 'PPG 2009.04416',
    unit: 'dialogues',
    ...again,
    min: 1,
    max: 100000,
    step: 100,
  }),
};
