// The agents, the length of their messages, and their networks.
import * as v from 'valibot';
import { choice, flag, protocolRecord, real, type Condition, whole } from '../field.ts';
import { comparesCandidates, learnerIs } from '../learners/registry.ts';
import { finishMoments, informedNames, parameterModes, sizeNames, unheardNames } from '../names.ts';
import { plannedPair } from '../ownProtocol.ts';
import {
  defaultProtocol,
  hasMessages,
  protocolIs,
  protocolLabels,
  protocolMeanings,
  protocolNames,
} from '../protocols/registry.ts';
import { apart, debated, inRounds, several } from '../conditions.ts';
import { adapterFields, heterogeneousFields, startFields, wordsFields } from './networks.ts';

/** The condition that the protocol has steps, or an agent in the role of the planner. */
const planned: Condition = {
  'agents.protocol': protocolIs(({ hasSteps, roles }) => hasSteps === true || roles(2).includes('metaThinking')),
};
/** The condition that the protocol has an agent that can end the dialogue. */
const finished: Condition = { 'agents.protocol': protocolIs(({ finisher }) => finisher !== null) };

const debate = { group: 'Debate', matters: [debated] };
const turns = { group: 'Turns' };

export const agents = v.object({
  protocol: choice(protocolNames, defaultProtocol, {
    label: 'Protocol',
    help: 'The order in which agents speak, who hears whom, and whose answer is the team’s answer.',
    source: 'ReMA 2503.09501, CORY 2410.06101, MAPoRL 2502.18439, MemAgent 2507.02259, ReAct 2210.03629',
    group: 'Team',
    labels: protocolLabels,
    meanings: protocolMeanings,
  }),
  own: protocolRecord(plannedPair, {
    label: 'Your own protocol',
    help: 'A protocol determines the agents, their roles and the order of their turns, some of which may be simultaneous. A protocol also determines who hears whom, which hidden texts each agent sees, whose answer is the team’s answer, and who may finish the dialogue. If an agent may finish the dialogue, each turn is a step; otherwise each turn is a whole answer.',
    source: 'Cothink',
    group: 'Team',
    matters: [{ 'agents.protocol': 'own' }],
  }),
  count: whole(3, {
    label: 'Agents',
    help: 'How many agents take part, including the leader of a summary. Protocols with a fixed number of agents do not have this setting.',
    source: 'MAPoRL 2502.18439',
    group: 'Team',
    matters: [several],
    unit: 'agents',
    min: 1,
    max: 8,
  }),
  informed: choice(informedNames, 'usual', {
    label: 'Who sees the rule',
    help: 'As usual: the rule is seen by the pioneer, every second debater, every voter, or all members of a summary except the leader. In plan and reason, the planner always sees the rule.',
    source: 'Cothink',
    group: 'Team',
    matters: [{ 'agents.protocol': protocolIs(({ isSightFixed }) => !isSightFixed) }],
    labels: {
      usual: 'as usual',
      first: 'the first agent',
      half: 'one in two',
      last: 'the last agent',
      all: 'all',
      nobody: 'nobody',
    },
  }),
  unheard: choice(unheardNames, 'nobody', {
    label: 'Unheard messages',
    help: 'The agents whose messages no other agent can read, in training and when accuracy is measured: the other agents see only that there was a message. Warm starts and demonstrations are not affected.',
    source: 'Cothink',
    group: 'Team',
    matters: [{ 'agents.protocol': protocolIs(hasMessages) }],
    labels: { nobody: 'no', first: 'first agent’s', others: 'other agents’', all: 'all' },
  }),
  shuffled: choice(unheardNames, 'nobody', {
    label: 'Shuffled messages',
    help: 'The agents whose messages are exchanged between dialogues, in training and when accuracy is measured. The other agents read a message by the same agent at the same turn of another dialogue, if possible about another problem. Each agent still learns from its own messages. Warm starts, demonstrations and a dialogue that is sampled alone are not affected.',
    source: 'Cothink',
    group: 'Team',
    matters: [{ 'agents.protocol': protocolIs(hasMessages), 'agents.unheard': { not: ['all'] } }],
    labels: { nobody: 'no', first: 'first agent’s', others: 'other agents’', all: 'all' },
  }),
  maskPeers: real(0, {
    label: 'Masked answers in a debate',
    help: 'Share of the other debaters’ answers that are hidden from a debater in training. The debater is told only that something was said. Accuracy is measured without this masking.',
    source: 'MAVERL',
    ...debate,
    min: 0,
    max: 1,
    step: 0.05,
  }),
  feedback: flag(false, {
    label: 'Feedback in words in a debate',
    help: 'With each answer in a debate, the readers also get a judgement of the answer: very likely wrong, likely wrong, likely right or very likely right.',
    source: 'MAPoRL 2502.18439',
    ...debate,
  }),
  consensus: real(0, {
    label: 'Stop a debate on agreement',
    help: 'A debate ends early after a round in which at least this share of the debaters gives the same answer. 0: no debate ends early.',
    source: 'MAVERL',
    ...debate,
    min: 0,
    max: 1,
    step: 0.05,
  }),
  parameters: choice(parameterModes, 'shared', {
    label: 'Parameters',
    help: 'Shared: one network plays all roles. Separate: each agent has its own network. LoRA: all agents share one frozen network, and each learns a small adapter for it. The best learning rate for LoRA is about three times the learning rate for whole networks, for example 1e-3. Unequal: separate networks. All networks except the first may have another size and other tokens.',
    source: 'ReMA, LoRA 2106.09685, MARFT 2504.16129',
    isBasic: true,
    labels: { shared: 'Shared', separate: 'Separate', lora: 'LoRA', heterogeneous: 'Unequal' },
  }),
  ...adapterFields,
  ...heterogeneousFields,
  ...startFields,
  ...wordsFields,
  swapEvery: whole(0, {
    label: 'Exchange roles every',
    help: 'After this many iterations each network, together with its optimiser, takes the role of the next agent. All networks start from the same weights. CORY does this every 5 iterations. 0: never. This setting needs separate parameters.',
    source: 'CORY 2410.06101',
    group: 'Networks',
    matters: [apart],
    unit: 'iterations',
    min: 0,
    max: 100,
  }),
  size: choice(sizeNames, 'tiny', {
    label: 'Size',
    help: 'Size of each network. Micro is for tests.',
    source: 'Cothink',
    isBasic: true,
    labels: { micro: 'Micro', tiny: 'Tiny', small: 'Small', medium: 'Medium' },
  }),
  roundLimit: whole(0, {
    label: 'Max rounds',
    help: 'The largest number of rounds in a dialogue. A round is one plan and one reply; in a debate or a summary, it is one answer from each agent. 0: one round more than the level needs, but two rounds in a debate and one round in a summary.',
    source: 'ReMA',
    ...turns,
    matters: [inRounds],
    min: 0,
    max: 8,
  }),
  metaWindow: whole(0, {
    label: 'Max tokens per plan',
    help: 'Maximum number of tokens of a planner turn. 0: the maximum that problems of the level require.',
    source: 'ReMA',
    ...turns,
    matters: [planned],
    unit: 'tokens',
    min: 0,
    max: 256,
  }),
  reasonWindow: whole(0, {
    label: 'Max tokens per reply',
    help: 'Maximum number of tokens of a reasoner turn or an answer. 0: the maximum that problems of the level require.',
    source: 'ReMA',
    ...turns,
    unit: 'tokens',
    min: 0,
    max: 256,
  }),
  candidates: whole(1, {
    label: 'Candidates per turn',
    help: 'In training, each turn is sampled this many times from the same context. The candidates are compared with one another, and the dialogue continues from the candidate with the best score. The score is the weight of the right answer, if a right answer is still possible, plus the other reward components of the turn. The number of tokens and the memory for rollouts grow by this factor, so use smaller groups to limit the cost. 1: each turn is sampled once.',
    source: 'AT-GRPO 2510.11062',
    group: 'Turns',
    matters: [{ 'learning.learner': learnerIs(comparesCandidates) }],
    unit: 'candidates',
    min: 1,
    max: 8,
  }),
  temperature: real(1, {
    label: 'Temperature',
    help: 'The sampling temperature in training; log-probabilities are computed at this temperature too.',
    source: 'ReMA',
    ...turns,
    min: 0.1,
    max: 2,
    step: 0.05,
  }),
  finishEnds: choice(finishMoments, 'atOnce', {
    label: 'Finish token ends',
    help: 'When the planner’s finish token ends the dialogue: immediately, or after the reasoner’s answer in the same round.',
    source: 'ReMA',
    ...turns,
    matters: [finished],
    labels: { atOnce: 'at once', afterReply: 'after the reply' },
  }),
  stopWhenTruncated: flag(true, {
    label: 'Stop when a turn is cut',
    help: 'If a turn reaches the maximum number of tokens without an end token, the dialogue ends there and counts as unfinished.',
    source: 'ReMA',
    ...turns,
  }),
  maskUnfinished: flag(true, {
    label: 'No reward when unfinished',
    help: 'A dialogue that does not end properly gets no reward.',
    source: 'ReMA',
    ...turns,
  }),
});
