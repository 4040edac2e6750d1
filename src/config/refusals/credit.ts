// What credit between agents needs: answers that are scored, others who hear them and speak again, turns that are paid
// one by one; and where hints along the way would change what is best.
import type { Config } from '../schema.ts';

type Refuse = (message: string) => never;

/** Learners that compare units of rollouts by their advantages. */
const comparers: readonly string[] = ['grpo', 'rloo', 'cory'];

/** Learners of what the team earns together. */
const sharers: readonly string[] = ['mappo', 'happo', 'cory', 'vdn', 'qmix'];

/** Refuses what cannot be credited. */
export function refuseImpossibleCredit(config: Config, refuse: Refuse): void {
  refuseInfluence(config, refuse);
  refuseUmad(config, refuse);
  refuseCausal(config, refuse);
  refuseShaping(config, refuse);
}

function refuseInfluence({ reward, agents, learning }: Config, refuse: Refuse): void {
  const { influence } = reward;
  if (influence === 'off') {
    for (const name of ['influenceAlpha0', 'influenceAlpha1', 'influenceBeta0', 'influenceBeta1'] as const) {
      if (reward[name] === 0) continue;
      refuse(`reward.${name}: it is part of the influence-aware reward, which is off; use reward.${name} = 0, or reward.influence = discounted.`); // prettier-ignore
    }
    return;
  }
  if (sharers.includes(learning.learner)) {
    refuse(
      `reward.influence: ${learning.learner} learns from what the team earns together, and this is each agent’s own; use reward.influence = off, or learning.learner = grpo.`,
    );
  }
  if (!['debate', 'vote', 'summary'].includes(agents.protocol)) {
    refuse(
      `reward.influence: it is made of the scores that several agents’ answers get, and ${agents.protocol} has none of them round by round; use agents.protocol = debate, or reward.influence = off.`,
    );
  }
  if (reward.across !== 'own') {
    refuse(
      `reward.across: the influence-aware reward shares among agents itself, so ${reward.across} would share twice; use reward.across = own.`,
    );
  }
  if (reward.over !== 'dense') {
    refuse(
      `reward.over: the influence-aware reward pays each answer for what follows it, so ${reward.over} would count that twice or not at all; use reward.over = dense.`,
    );
  }
  if (reward.shaping > 0) {
    refuse('reward.shaping: the influence-aware reward scores every answer already; use reward.shaping = 0.');
  }
}

function refuseUmad({ reward, agents, learning }: Config, refuse: Refuse): void {
  if (reward.umadConfidence > 0 && !comparers.includes(learning.learner)) {
    refuse(
      `reward.umadConfidence: ${learning.learner} has no groups whose advantages it could weigh; use learning.learner = grpo, or reward.umadConfidence = 0.`,
    );
  }
  if (reward.umadConfidence > 0 && learning.groupSize === 1) {
    refuse('learning.groupSize: in a group of one nobody is surer than another; use learning.groupSize = 2.');
  }
  if (reward.umadInfluence === 0) return;
  if (sharers.includes(learning.learner)) {
    refuse(
      `reward.umadInfluence: ${learning.learner} learns from what the team earns together, and this is each agent’s own; use reward.umadInfluence = 0, or learning.learner = grpo.`,
    );
  }
  if (reward.shaping > 0) {
    refuse('reward.shaping: hints are the team’s, and this bonus is each agent’s own; use reward.shaping = 0.');
  }
  if (agents.protocol !== 'debate' && agents.protocol !== 'summary') {
    refuse(
      `reward.umadInfluence: in ${agents.protocol} nobody answers again after hearing others; use agents.protocol = debate, or reward.umadInfluence = 0.`,
    );
  }
  if (stepsOf(agents).rounds < 2) {
    refuse('agents.roundLimit: in one round nobody answers again after hearing others; use agents.roundLimit = 2.');
  }
  if (reward.across !== 'own') {
    refuse(
      `reward.across: the bonus of an answer is its speaker’s alone, which ${reward.across} is not; use reward.across = own.`,
    );
  }
  if (reward.over !== 'dense') {
    refuse(
      `reward.over: the bonus is paid answer by answer, which ${reward.over} does not do; use reward.over = dense.`,
    );
  }
}

function refuseCausal({ reward, agents }: Config, refuse: Refuse): void {
  if (reward.causal === 0) return;
  if (agents.protocol === 'single' || agents.protocol === 'vote') {
    refuse(
      `reward.causal: in ${agents.protocol} nobody hears what is said; use agents.protocol = debate, or reward.causal = 0.`,
    );
  }
  if (stepsOf(agents).steps < 2) {
    refuse(
      'agents.roundLimit: in one round of a debate nobody speaks after hearing others; use agents.roundLimit = 2.',
    );
  }
  if (reward.over !== 'dense') {
    refuse(`reward.over: influence is paid turn by turn, which ${reward.over} does not do; use reward.over = dense.`);
  }
}

/** Potential-based hints leave what is best alone only where returns are taken with their discount. */
function refuseShaping({ reward, agents, learning }: Config, refuse: Refuse): void {
  if (reward.shaping === 0) return;
  const { learner, groupKey } = learning;
  if (learner === 'ippo') {
    refuse(
      'reward.shaping: hints are the team’s, and with ippo every agent has a reward of its own; use reward.shaping = 0.',
    );
  }
  if (stepsOf(agents).steps < 2) {
    refuse(
      `reward.shaping: ${agents.protocol} has one step and no way on which to give hints; use reward.shaping = 0.`,
    );
  }
  // Candidates of a turn take no hints at all: trees say so.
  const isByTurn = groupKey === 'problem+agent+turn' && agents.candidates === 1;
  if (comparers.includes(learner) && isByTurn && reward.over === 'dense') {
    refuse(
      'learning.groupKey: dense pays a single turn for nothing that follows, so hints would be all it works for; use learning.groupKey = problem+agent, or reward.over = accumulated.',
    );
  }
  const isJoint = learner === 'mappo' || learner === 'happo';
  const isByToken = learner === 'reinforcePlusPlus' || learner === 'ppo';
  const addsUp = !isByToken && reward.over === 'accumulated';
  if (reward.gammaTurn < 1 && !isJoint && !addsUp) {
    refuse(
      `reward.gammaTurn: ${learner} adds up ${isByToken ? 'along an agent’s own tokens' : 'turns without a discount'}, so hints discounted by ${reward.gammaTurn} would not cancel; use reward.gammaTurn = 1.`,
    );
  }
  if (learning.mixingGamma < 1 && (learner === 'vdn' || learner === 'qmix')) {
    refuse(
      `learning.mixingGamma: hints are paid from turn to turn and ${learner} discounts whole rounds, so at ${learning.mixingGamma} they would not cancel; use learning.mixingGamma = 1.`,
    );
  }
  if (learning.gamma < 1 && isByToken && !(learner === 'ppo' && learning.gaeLevel === 'turn')) {
    refuse(
      `learning.gamma: hints are not discounted token by token, so at ${learning.gamma} they would not cancel; use learning.gamma = 1.`,
    );
  }
}

/** Rounds of a talk at most, and steps: sets of turns said at once. 0 rounds asked for: as the world has it, in short. */
function stepsOf({ protocol, roundLimit }: Config['agents']): { rounds: number; steps: number } {
  const usual = protocol === 'single' || protocol === 'vote' || protocol === 'summary' ? 1 : 2;
  const isOneRound = protocol === 'single' || protocol === 'vote' || protocol === 'pioneerObserver';
  const rounds = isOneRound ? 1 : roundLimit || usual;
  const setsOfRound = protocol === 'reMA' || protocol === 'pioneerObserver' || protocol === 'summary' ? 2 : 1;
  return { rounds, steps: rounds * setsOfRound };
}
