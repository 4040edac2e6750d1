// Settings that are fine alone and impossible together. Each refusal names the nearest valid setting.
import { ConfigError } from '../base/errors.ts';
import { refuseImpossibleAdapters } from './refusals/adapters.ts';
import { refuseImpossibleFreezing } from './refusals/freezing.ts';
import { refuseImpossibleHeterogeneous } from './refusals/heterogeneous.ts';
import { refuseImpossibleMixing } from './refusals/mixing.ts';
import { refuseImpossibleTrees } from './refusals/trees.ts';
import { refuseImpossibleVerifier } from './refusals/verifier.ts';
import { refuseImpossibleCredit } from './refusals/credit.ts';
import type { Config } from './schema.ts';

type Refuse = (message: string) => never;

/** Turns of a trajectory at most: each token of them has a random number of its own. */
const mostTurns = 32;

/** Throws ConfigError for the first impossible combination. */
export function refuseImpossible(config: Config): void {
  const { learning, agents, kl, reward } = config;
  const refuse = (message: string): never => {
    throw new ConfigError(message);
  };
  refuseImpossibleTeam(agents, refuse);
  refuseImpossibleLearner(config, refuse);
  refuseImpossibleImitation(config, refuse);
  refuseImpossibleCredit(config, refuse);
  refuseImpossibleAdapters(config, refuse);
  refuseImpossibleVerifier(config, refuse);
  refuseImpossibleFreezing(config, refuse);
  refuseImpossibleHeterogeneous(config, refuse);
  refuseImpossibleTrees(config, refuse);
  refuseImpossibleMixing(config, refuse);
  if (learning.ratioLevel === 'turn' && ['token', 'constant'].includes(learning.aggregation)) {
    refuse(
      `learning.aggregation: ${learning.aggregation} does not go with a turn ratio; use learning.aggregation = turn.`,
    );
  }
  if (learning.ratioLevel === 'trajectory' && learning.aggregation !== 'trajectory') {
    refuse(
      `learning.aggregation: ${learning.aggregation} does not go with a trajectory ratio; use learning.aggregation = trajectory.`,
    );
  }
  // The candidates of a turn are a group, also of a single dialogue.
  const isAlone = learning.groupSize === 1 && agents.candidates === 1;
  if ((learning.learner === 'grpo' || learning.learner === 'cory') && isAlone && learning.groupStd) {
    refuse(
      'learning.groupSize: a group of one has no spread to divide by; use learning.groupSize = 2 or learning.groupStd = false.',
    );
  }
  if (learning.learner === 'rloo' && isAlone) {
    refuse('learning.groupSize: rloo compares with the others of a group; use learning.groupSize = 2.');
  }
  if (learning.dualClip > 0 && learning.dualClip <= 1) {
    refuse(
      `learning.dualClip: a bound of ${learning.dualClip} times the advantage would act on every sample; use learning.dualClip = 0, or a number above 1.`,
    );
  }
  const hasGroups = ['grpo', 'rloo', 'cory'].includes(learning.learner);
  if (isAlone && hasGroups && learning.groupKey === 'problem+agent+turn') {
    refuse('learning.groupSize: one dialogue has each turn once, with nothing beside it; use learning.groupSize = 2.');
  }
  refuseImpossibleFilter(config, hasGroups, refuse);
  if (hasGroups && learning.groupKey === 'problem' && ['own', 'dictator'].includes(reward.across)) {
    refuse(
      `reward.across: ${reward.across} pays agents differently, and the group key problem compares whole teams; use learning.groupKey = problem+agent.`,
    );
  }
  if (hasGroups && learning.groupKey === 'problem+agent+turn' && reward.over === 'sparse') {
    refuse(
      'reward.over: sparse pays the last turn only, so turns have nothing to compare; use reward.over = accumulated.',
    );
  }
  if (reward.shaping > 0 && reward.over === 'sparse') {
    refuse('reward.shaping: hints along the way need turns that are paid; use reward.over = accumulated.');
  }
  if (reward.shaping > 0 && !['sum', 'mean'].includes(reward.across)) {
    refuse('reward.shaping: hints along the way need a team that shares them; use reward.across = sum.');
  }
  if (learning.switchEvery > 0 && agents.parameters === 'shared' && agents.protocol !== 'single') {
    refuse(
      'learning.switchEvery: shared parameters cannot learn for one agent alone; use agents.parameters = separate.',
    );
  }
  if (kl.place === 'loss' && kl.estimator === 'k1') {
    refuse('kl.estimator: the expected gradient of k1 in the loss is zero; use kl.estimator = k3.');
  }
  if (kl.isAdaptive && kl.place !== 'reward') {
    const other = hasNoKl(learning.learner) ? '' : ', or kl.place = reward';
    refuse(`kl.isAdaptive: the weight adapts only in the reward; use kl.isAdaptive = false${other}.`);
  }
  if (learning.problemsPerIteration * learning.groupSize < learning.numMinibatches) {
    refuse('learning.numMinibatches: more minibatches than trajectories; use learning.numMinibatches = 1.');
  }
}

/** Learners whose losses stand alone. */
const hasNoKl = (learner: Config['learning']['learner']) => learner === 'dpo' || learner === 'sft';

/** Groups that can be drawn again when all in them earn the same: of whole dialogues on one problem. */
function refuseImpossibleFilter({ learning, agents, reward }: Config, hasGroups: boolean, refuse: Refuse): void {
  if (!learning.filterGroups || (hasGroups && learning.groupKey === 'problem')) return;
  const words = 'learning.filterGroups: only groups of rollouts of one problem can be drawn again';
  const isOneKeyOff = hasGroups && agents.candidates === 1 && !['own', 'dictator'].includes(reward.across);
  if (isOneKeyOff) refuse(`${words}; use learning.groupKey = problem, or learning.filterGroups = false.`);
  refuse(`${words}, and ${hasGroups ? 'these differ by agent or turn' : `${learning.learner} has no groups`}; use learning.filterGroups = false.`); // prettier-ignore
}

/** What dpo and sft ask for. */
function refuseImpossibleImitation({ learning, kl, verifier }: Config, refuse: Refuse): void {
  const { learner } = learning;
  if (learning.pairsFrom !== 'rollouts' && learner !== 'dpo') {
    refuse(
      `learning.pairsFrom: ${learner} learns from no pairs; use learning.pairsFrom = rollouts, or learning.learner = dpo.`,
    );
  }
  if (learning.pairsFrom === 'verifier' && !verifier.isTrained) {
    refuse(
      'learning.pairsFrom: there is no verifier to compare answers; use verifier.isTrained = true, or learning.pairsFrom = rollouts.',
    );
  }
  if (!hasNoKl(learner)) return;
  if (kl.place !== 'off') {
    refuse(`kl.place: the loss of ${learner} has no place for a KL term; use kl.place = off.`);
  }
  if (learning.normAdv) {
    refuse(`learning.normAdv: ${learner} has no advantages to whiten; use learning.normAdv = false.`);
  }
  if (learner === 'dpo' && learning.groupSize === 1 && learning.pairsFrom !== 'imported') {
    refuse('learning.groupSize: dpo finds its pairs among rollouts of one problem; use learning.groupSize = 2.');
  }
  if (learner === 'dpo' && learning.preferenceSmoothing > 0 && learning.preferenceKind !== 'sigmoid') {
    refuse(
      `learning.preferenceSmoothing: ${learning.preferenceKind} has no use for it; use learning.preferenceSmoothing = 0.`,
    );
  }
}

/** What only some learners ask for. */
function refuseImpossibleLearner({ learning, agents, reward }: Config, refuse: Refuse): void {
  const { learner } = learning;
  if (learner === 'ippo' && agents.parameters === 'shared') {
    refuse('agents.parameters: with ippo every agent learns on its own; use agents.parameters = separate.');
  }
  if (learner === 'ippo' && reward.across !== 'own') {
    refuse(
      `reward.across: ${reward.across} shares rewards, and with ippo every agent has its own; use reward.across = own, or learning.learner = mappo for a shared one.`,
    );
  }
  if ((learner === 'mappo' || learner === 'happo') && reward.across === 'own') {
    refuse(
      `reward.across: with ${learner} one critic foretells one return of the whole team; use reward.across = sum.`,
    );
  }
  if (learner === 'happo' && agents.parameters === 'shared') {
    refuse('agents.parameters: happo updates one agent after another; use agents.parameters = separate.');
  }
  if (learner === 'happo' && learning.switchEvery > 0) {
    refuse('learning.switchEvery: with happo every agent learns in every iteration; use learning.switchEvery = 0.');
  }
  if (learner === 'cory' && agents.protocol === 'single') {
    refuse('agents.protocol: cory needs two agents; use agents.protocol = pioneerObserver.');
  }
  if (learner === 'cory' && !isPair(agents)) {
    refuse(`agents.count: cory needs two agents, not ${agents.count}; use agents.count = 2.`);
  }
  if (learner === 'cory' && agents.parameters === 'shared') {
    refuse('agents.parameters: the two of cory each have a network; use agents.parameters = separate.');
  }
  if (learner === 'cory' && reward.across !== 'sum') {
    refuse(`reward.across: cory pays both agents for both, not ${reward.across}; use reward.across = sum.`);
  }
  if (learner === 'cory' && learning.switchEvery > 0) {
    refuse('learning.switchEvery: the two of cory learn together and exchange roles; use learning.switchEvery = 0.');
  }
}

function isPair({ protocol, count }: Config['agents']): boolean {
  return protocol === 'reMA' || protocol === 'pioneerObserver' || (protocol !== 'single' && count === 2);
}

function refuseImpossibleTeam(agents: Config['agents'], refuse: Refuse): void {
  const { protocol, count, roundLimit, consensus } = agents;
  if (agents.swapEvery > 0 && agents.parameters === 'shared') {
    refuse('agents.swapEvery: one shared network plays all roles already; use agents.parameters = separate.');
  }
  if (protocol === 'debate' && count < 2) {
    refuse('agents.count: a debate needs somebody to debate with; use agents.count = 2.');
  }
  if (protocol === 'summary' && count < 2) {
    refuse('agents.count: a leader needs somebody to read; use agents.count = 2.');
  }
  if ((protocol === 'debate' || protocol === 'summary') && count * roundLimit > mostTurns) {
    refuse(
      `agents.roundLimit: ${roundLimit} rounds of ${count} agents are more than ${mostTurns} turns; use agents.roundLimit = ${Math.floor(mostTurns / count)}.`,
    );
  }
  if (protocol === 'debate' && consensus > 0 && consensus <= 0.5) {
    refuse(
      'agents.consensus: half of the debaters or fewer are no agreement; use agents.consensus = 1, or 0 for none.',
    );
  }
}
