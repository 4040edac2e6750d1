// Who speaks, how long, and how they start.
import * as v from 'valibot';
import { choice, flag, real, whole } from '../field.ts';
import { finishMoments, parameterModes, protocolNames, sizeNames, warmStartSources } from '../names.ts';

export const agents = v.object({
  protocol: choice(protocolNames, 'reMA', {
    label: 'Protocol',
    help: 'reMA: a planner and a reasoner alternate until the planner finishes. Single: one agent sees all and answers alone.',
    source: 'ReMA',
    labels: { reMA: 'Plan and reason', single: 'One agent' },
  }),
  parameters: choice(parameterModes, 'shared', {
    label: 'Parameters',
    help: 'Shared: one network speaks both roles. Separate: each agent has its own network.',
    source: 'ReMA',
    isBasic: true,
    labels: { shared: 'Shared', separate: 'Separate' },
  }),
  size: choice(sizeNames, 'tiny', {
    label: 'Size',
    help: 'Size of each network. Micro is for tests.',
    source: 'Cothink',
    isBasic: true,
    labels: { micro: 'Micro · 3k', tiny: 'Tiny · 57k', small: 'Small · 1M', medium: 'Medium · 10M' },
  }),
  roundLimit: whole(0, {
    label: 'Rounds at most',
    help: 'A round is one plan and one reply. 0: as many as the level needs, and one more.',
    source: 'ReMA',
    min: 0,
    max: 8,
    step: 1,
  }),
  metaWindow: whole(0, {
    label: 'Tokens a plan at most',
    help: 'Window of a planner turn. 0: as the level needs.',
    source: 'ReMA',
    unit: 'tokens',
    min: 0,
    max: 64,
    step: 1,
  }),
  reasonWindow: whole(0, {
    label: 'Tokens a reply at most',
    help: 'Window of a reasoner turn. 0: as the level needs.',
    source: 'ReMA',
    unit: 'tokens',
    min: 0,
    max: 128,
    step: 1,
  }),
  temperature: real(1, {
    label: 'Temperature',
    help: 'Of sampling in training; log-probabilities are those of this distribution.',
    source: 'ReMA',
    min: 0.1,
    max: 2,
    step: 0.05,
  }),
  finishEnds: choice(finishMoments, 'atOnce', {
    label: 'Finish token ends',
    help: 'At once, or after the reasoner has answered that round.',
    source: 'ReMA',
    labels: { atOnce: 'at once', afterReply: 'after the reply' },
  }),
  stopWhenTruncated: flag(true, {
    label: 'Stop when a turn is cut',
    help: 'A turn that fills its window without ending it ends the dialogue (finish code 3).',
    source: 'ReMA',
  }),
  maskUnfinished: flag(true, {
    label: 'No reward when unfinished',
    help: 'A dialogue that does not end with finish code 0 earns nothing.',
    source: 'ReMA',
  }),
});

export const warmStart = v.object({
  source: choice(warmStartSources, 'shipped', {
    label: 'Start from',
    help: 'The warm start that comes with the page, one trained here first, or random weights.',
    source: 'Cothink',
    labels: { shipped: 'shipped', train: 'train here', none: 'random' },
  }),
  steps: whole(1500, {
    label: 'Supervised steps',
    help: 'Steps of the warm start when it is trained here.',
    source: 'Cothink',
    min: 1,
    max: 20000,
    step: 100,
  }),
  batchSize: whole(64, {
    label: 'Demonstrations a step',
    help: 'Dialogues in one supervised step of a warm start trained here.',
    source: 'Cothink',
    min: 1,
    max: 1024,
    step: 8,
  }),
  learningRate: real(3e-3, {
    label: 'Learning rate of the warm start',
    help: 'AdamW step size of a warm start trained here, decaying to a tenth by a cosine.',
    source: 'Cothink',
    min: 1e-5,
    max: 1e-1,
    step: 'log',
  }),
  goodPlans: real(0.25, {
    label: 'Cold-start accuracy: good plans',
    help: 'Share of demonstrations whose plan follows the rule, in a warm start trained here; the others plan at random. More gives a better start and less to learn.',
    source: 'Cothink',
    min: 0,
    max: 1,
    step: 0.05,
  }),
  resultNoise: real(0.02, {
    label: 'Slips in demonstrations',
    help: 'Share of demonstrated rewrites with a wrong result, in a warm start trained here.',
    source: 'Cothink',
    min: 0,
    max: 0.5,
    step: 0.01,
  }),
});
