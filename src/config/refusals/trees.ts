// What trees of dialogues ask for: candidates of one turn are compared with each other, by their own scores, and by
// nothing else.
import type { Config } from '../schema.ts';

/** Refuses what several candidates a turn do not go with; one candidate goes with everything. */
export function refuseImpossibleTrees(config: Config, refuse: (message: string) => never): void {
  const { agents, learning, reward, verifier } = config;
  if (agents.candidates === 1) return;
  if (learning.learner !== 'grpo' && learning.learner !== 'rloo') {
    refuse(
      `learning.learner: ${learning.learner} does not compare candidates of one turn; use learning.learner = grpo, or agents.candidates = 1.`,
    );
  }
  if (learning.groupKey !== 'problem+agent+turn') {
    refuse(
      `learning.groupKey: candidates are compared with those said in the same place, not by ${learning.groupKey}; use learning.groupKey = problem+agent+turn.`,
    );
  }
  if (reward.over !== 'dense') {
    refuse(
      `reward.over: a candidate that is left behind has no later turns to earn by, so ${reward.over} cannot pay it; use reward.over = dense.`,
    );
  }
  if (reward.across !== 'own') {
    refuse(
      `reward.across: the score of a candidate holds the team’s part already, so ${reward.across} would share it twice; use reward.across = own.`,
    );
  }
  if (learning.ratioLevel === 'trajectory' || learning.aggregation === 'trajectory') {
    refuse(
      'learning.aggregation: trajectory would weigh a single candidate as much as a whole dialogue; use learning.aggregation = turn with learning.ratioLevel = turn.',
    );
  }
  if (verifier.isTrained) {
    refuse(
      'verifier.isTrained: it would read answers that candidates share again and again; use verifier.isTrained = false, or agents.candidates = 1.',
    );
  }
  refuseOtherPay(config, refuse);
}

/** What else would change the pay of turns, of which candidates left behind know nothing. */
function refuseOtherPay({ reward }: Config, refuse: (message: string) => never): void {
  if (reward.influence !== 'off') {
    refuse(
      'reward.influence: a candidate that is left behind influences nobody; use reward.influence = off, or agents.candidates = 1.',
    );
  }
  for (const name of ['shaping', 'umadConfidence', 'umadInfluence', 'causal'] as const) {
    if (reward[name] === 0) continue;
    refuse(`reward.${name}: candidates are paid their scores and nothing else; use reward.${name} = 0.`);
  }
}
