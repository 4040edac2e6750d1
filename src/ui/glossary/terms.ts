// The words of the page, each in one sentence, with where they come from.

export interface Term {
  word: string;
  meaning: string;
  source: string;
}

// prettier-ignore
export const terms: Term[] = [
  { word: 'Advantage', meaning: 'How much better a dialogue did than was expected; its sign says whether its tokens become more or less probable.', source: 'Sutton & Barto 2018' },
  { word: 'Ceiling without a plan', meaning: 'The share that the best possible reasoner could get right if it never heard the planner, found by going through all problems.', source: 'Cothink' },
  { word: 'Checkpoint', meaning: 'Everything a run needs to go on exactly where it stood: weights, optimiser, reference and settings.', source: 'Cothink' },
  { word: 'Clip', meaning: 'Beyond 1 ± this, a ratio earns nothing more, so one update cannot move the policy far.', source: 'PPO 1707.06347' },
  { word: 'Dead group', meaning: 'A group whose dialogues all earned the same: nothing sets them apart, so it carries no gradient.', source: 'DAPO 2503.14476' },
  { word: 'Entropy', meaning: 'How undecided an agent is about its next token; near 0 it always says the same.', source: 'Shannon 1948' },
  { word: 'Episode reward', meaning: 'What a whole dialogue earned: the weighted sum of right answer, legal plan, faithful rewrite and proper finish.', source: 'ReMA 2503.09501' },
  { word: 'Finish token', meaning: 'What the planner says, alone in its turn, to end the dialogue; the reasoner’s last message is then the answer.', source: 'ReMA 2503.09501' },
  { word: 'Group', meaning: 'All dialogues sampled for one problem; each is compared with the others.', source: 'GRPO 2402.03300' },
  { word: 'GRPO', meaning: 'A learner whose advantage is the reward minus the group’s mean, divided by the group’s spread; it needs no critic.', source: 'GRPO 2402.03300' },
  { word: 'Held-out problems', meaning: 'Fixed problems that are never trained on, neither here nor in the warm start; right answers are counted on them.', source: 'Cothink' },
  { word: 'House-rule arithmetic', meaning: 'Sums whose order of evaluation is a rule that only the planner sees, so that the two agents must talk.', source: 'Cothink' },
  { word: 'Iteration', meaning: 'Collecting dialogues once and learning from them once.', source: 'CleanRL' },
  { word: 'KL', meaning: 'A distance between what two policies would say, in nats; kept small so that an agent stays near its warm start.', source: 'Kullback & Leibler 1951' },
  { word: 'Meta-thinking agent', meaning: 'The agent that sees the rule and plans: it names the next operation, or finishes.', source: 'ReMA 2503.09501' },
  { word: 'PPO', meaning: 'A learner with a critic that predicts the reward, token by token, and a clipped ratio.', source: 'PPO 1707.06347' },
  { word: 'Ratio', meaning: 'How much more probable a token, a turn or a dialogue has become since it was sampled; 1 means unchanged.', source: 'PPO 1707.06347' },
  { word: 'Reasoning agent', meaning: 'The agent that executes: it never sees the rule and rewrites the sum as the plan says.', source: 'ReMA 2503.09501' },
  { word: 'REINFORCE++', meaning: 'A learner without groups or critic: rewards are discounted to each token and made comparable over the whole batch.', source: 'REINFORCE++ 2501.03262' },
  { word: 'RLOO', meaning: 'A learner whose advantage is the reward minus the mean of the other dialogues of the group.', source: 'RLOO 2402.14740' },
  { word: 'Rollout', meaning: 'One dialogue, sampled from first turn to last.', source: 'CleanRL' },
  { word: 'Temperature', meaning: 'How adventurous the sampling is: 1 draws from the policy as it is, less makes it bolder in what it already prefers.', source: 'Ackley et al. 1985' },
  { word: 'Turn', meaning: 'What one agent says before the other may speak; the unit over which new and old policy are compared.', source: 'ReMA 2503.09501' },
  { word: 'Warm start', meaning: 'Weights that were first taught by demonstrations to speak the dialogue, often with the wrong plan; learning starts there.', source: 'ReMA 2503.09501' },
  { word: 'Wilson interval', meaning: 'The range in which the true share of right answers lies with 95 % confidence, given how many problems were asked.', source: 'Wilson 1927' },
];

/** Terms whose word or meaning contains `query`; all for an empty one. */
export function findTerms(query: string): Term[] {
  const wanted = query.trim().toLowerCase();
  return terms.filter(({ word, meaning }) => `${word} ${meaning}`.toLowerCase().includes(wanted));
}
