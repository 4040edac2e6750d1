// The words of the page, each in one sentence, with where they come from.

export interface Term {
  word: string;
  meaning: string;
  source: string;
}

// prettier-ignore
export const terms: Term[] = [
  { word: 'Adapter', meaning: 'A small product of two narrow matrices added to each large one of a frozen network: all that an agent learns under LoRA.', source: 'LoRA 2106.09685' },
  { word: 'Advantage', meaning: 'How much better a dialogue did than was expected; its sign says whether its tokens become more or less probable.', source: 'Sutton & Barto 2018' },
  { word: 'AUC', meaning: 'How often a right answer scores above a wrong one, over all pairs of them: half of the time is blind, always is perfect.', source: 'Hanley & McNeil 1982' },
  { word: 'Calibration', meaning: 'Whether scores are as good as their word: of the answers that score 80 %, four of five should be right.', source: 'Naeini et al. 2015' },
  { word: 'Candidate', meaning: 'One of several tries at the same turn, all said from the same context; the dialogue goes on from the best, and each is compared with the others.', source: 'AT-GRPO 2510.11062' },
  { word: 'Capture', meaning: 'Recording the GPU’s work of one step and replaying it, so that the processor hardly takes part in the next ones.', source: 'Cothink' },
  { word: 'Causal influence', meaning: 'How much likelier, in nats a token, a turn made what was said after it, against the same words with the turn hidden from those who heard it.', source: 'Dr. MAMR 2511.02303' },
  { word: 'Ceiling without a plan', meaning: 'The share that the best possible reasoner could get right if it never heard the planner, found by enumeration.', source: 'Cothink' },
  { word: 'Checkpoint', meaning: 'Everything a run needs to go on exactly where it stood: weights, optimiser, reference and settings.', source: 'Cothink' },
  { word: 'Clip', meaning: 'Beyond 1 ± this, a ratio earns nothing more, so one update cannot move the policy far.', source: 'PPO 1707.06347' },
  { word: 'CORY', meaning: 'A learner for two agents: a pioneer answers, an observer reads it and answers too, both earn what both earned, and now and then they exchange roles.', source: 'CORY 2410.06101' },
  { word: 'Critic', meaning: 'A part of the network that learns to predict the reward, so that only what came better or worse than predicted counts.', source: 'PPO 1707.06347' },
  { word: 'Dead group', meaning: 'A group whose dialogues all earned the same: nothing sets them apart, so it carries no gradient.', source: 'DAPO 2503.14476' },
  { word: 'Dispatch', meaning: 'One program started on the GPU; starting it costs the same however little it does, so few large ones beat many small ones.', source: 'Cothink' },
  { word: 'DPO', meaning: 'A learner that makes the better of two dialogues of one problem more probable than the worse, measured against the warm start; it needs no critic and no ratio.', source: 'DPO 2305.18290' },
  { word: 'Dual clip', meaning: 'A bound on what one bad dialogue can cost: without it a ratio that has grown large would count in full.', source: 'Ye et al. 1912.09729' },
  { word: 'Entropy', meaning: 'How undecided an agent is about its next token; near 0 it always says the same.', source: 'Shannon 1948' },
  { word: 'Episode reward', meaning: 'What a whole dialogue earned: the weighted sum of right answer, legal plan, faithful rewrite and proper finish.', source: 'ReMA 2503.09501' },
  { word: 'Evaluation', meaning: 'Counting right answers on the held-out problems; it stands beside training and changes nothing of it.', source: 'Cothink' },
  { word: 'Finish token', meaning: 'What the planner says, alone in its turn, to end the dialogue; the reasoner’s last message is then the answer.', source: 'ReMA 2503.09501' },
  { word: 'Fork', meaning: 'A run that goes on from where another stands under other parameters; both are kept, so that they can be compared.', source: 'Cothink' },
  { word: 'GAE', meaning: 'Generalised advantage estimation: an advantage for each token, blended from short and long looks ahead at what the critic predicts.', source: 'GAE 1506.02438' },
  { word: 'GPU busy', meaning: 'The time in which the GPU itself computed, by its own clock; where it is far below the iteration, the GPU waits for us.', source: 'Cothink' },
  { word: 'Gradient', meaning: 'The direction in which to change the weights so that the loss falls fastest.', source: 'Sutton & Barto 2018' },
  { word: 'Group', meaning: 'All dialogues sampled for one problem; each is compared with the others.', source: 'GRPO 2402.03300' },
  { word: 'GRPO', meaning: 'A learner whose advantage is the reward minus the group’s mean, divided by the group’s spread; it needs no critic.', source: 'GRPO 2402.03300' },
  { word: 'HAPPO', meaning: 'MAPPO in which the agents are updated one after another, each with an eye on how those before it have changed.', source: 'HAPPO 2109.11251' },
  { word: 'Held-out problems', meaning: 'Fixed problems that are never trained on, neither here nor in the warm start; right answers are counted on them.', source: 'Cothink' },
  { word: 'House-rule arithmetic', meaning: 'Sums whose order of evaluation is a rule that only the planner sees, so that the two agents must talk.', source: 'Cothink' },
  { word: 'IPPO', meaning: 'PPO for agents on their own: each has its own network, its own critic and its own reward.', source: 'MAPPO 2103.01955' },
  { word: 'Iteration', meaning: 'Collecting dialogues once and learning from them once.', source: 'CleanRL' },
  { word: 'k3', meaning: 'An estimate of KL from the sampled token alone, r − 1 − log r, which is never negative.', source: 'joschu.net/blog/kl-approx' },
  { word: 'KL', meaning: 'A distance between what two policies would say, in nats; kept small so that an agent stays near its warm start.', source: 'Kullback & Leibler 1951' },
  { word: 'Loss', meaning: 'The number that an update lowers; its level says little, only its gradient matters.', source: 'PPO 1707.06347' },
  { word: 'MAPPO', meaning: 'A learner with one critic for the whole team, which reads all that was said and judges each turn by it.', source: 'MAPPO 2103.01955' },
  { word: 'Meta-thinking agent', meaning: 'The agent that sees the rule and plans: it names the next operation, or finishes.', source: 'ReMA 2503.09501' },
  { word: 'Min() took', meaning: 'Of the plain and the clipped gain PPO counts the smaller; clipped means that the token is pushed no further.', source: 'PPO 1707.06347' },
  { word: 'Mod 10', meaning: 'Of every result only the last digit is kept, so 7 × 8 gives 6 and 3 − 5 gives 8.', source: 'Cothink' },
  { word: 'Nat', meaning: 'The unit of entropy and KL under natural logarithms, a little less than one and a half bits.', source: 'Shannon 1948' },
  { word: 'Peak memory', meaning: 'The most that was in use at once: what stays from step to step, and the activations of the largest piece of work.', source: 'Cothink' },
  { word: 'Plan hidden', meaning: 'A control: the same team on the same problems when the reasoner does not hear the planner.', source: 'Cothink' },
  { word: 'Policy', meaning: 'What an agent would say next: a probability for each token, given all it has heard so far.', source: 'Sutton & Barto 2018' },
  { word: 'PPO', meaning: 'A learner with a critic that predicts the reward, token by token, and a clipped ratio.', source: 'PPO 1707.06347' },
  { word: 'Ratio', meaning: 'How much more probable a token, a turn or a dialogue has become since it was sampled; 1 means unchanged.', source: 'PPO 1707.06347' },
  { word: 'Readback', meaning: 'Copying numbers out of the device, and standing still until they are there.', source: 'Cothink' },
  { word: 'Reasoning agent', meaning: 'The agent that executes: it never sees the rule and rewrites the sum as the plan says.', source: 'ReMA 2503.09501' },
  { word: 'Reference', meaning: 'The frozen weights, those of the warm start, from which distances such as KL are measured.', source: 'GRPO 2402.03300' },
  { word: 'REINFORCE++', meaning: 'A learner without groups or critic: rewards are discounted to each token and made comparable over the whole batch.', source: 'REINFORCE++ 2501.03262' },
  { word: 'RLOO', meaning: 'A learner whose advantage is the reward minus the mean of the other dialogues of the group.', source: 'RLOO 2402.14740' },
  { word: 'Rollout', meaning: 'One dialogue, sampled from first turn to last.', source: 'CleanRL' },
  { word: 'Scoring', meaning: 'Passing finished dialogues through a network without learning: for the critic, the reference, or the page.', source: 'Cothink' },
  { word: 'Seed', meaning: 'The number from which every random draw of a run follows.', source: 'Cothink' },
  { word: 'SFT', meaning: 'Supervised fine-tuning: right dialogues are imitated token by token, all others are left out.', source: 'STaR 2203.14465' },
  { word: 'Storage', meaning: 'Writing iterations and checkpoints into this browser, so that a reload can go on.', source: 'Cothink' },
  { word: 'Submission', meaning: 'Handing a batch of dispatches to the GPU; each has its own price, so they are gathered.', source: 'Cothink' },
  { word: 'Temperature', meaning: 'How adventurous the sampling is: 1 draws from the policy as it is, less makes it bolder in what it already prefers.', source: 'Ackley et al. 1985' },
  { word: 'Token', meaning: 'The smallest thing an agent can say: a digit, a sign or a mark such as the end of a turn.', source: 'Cothink' },
  { word: 'Turn', meaning: 'What one agent says before the other may speak; the unit over which new and old policy are compared.', source: 'ReMA 2503.09501' },
  { word: 'Update', meaning: 'One step of the optimiser: a minibatch goes forward and backward, and the weights move.', source: 'Cothink' },
  { word: 'Verifier', meaning: 'A network that reads an answer with its question and says how likely it is to be right; it learns from the agents’ own answers.', source: 'MAPoRL 2502.18439' },
  { word: 'Warm start', meaning: 'Weights that were first taught by demonstrations to speak the dialogue, often with the wrong plan; learning starts there.', source: 'ReMA 2503.09501' },
  { word: 'Wilson interval', meaning: 'The range in which the true share of right answers lies with 95 % confidence, given how many problems were asked.', source: 'Wilson 1927' },
  { word: 'Window', meaning: 'The most tokens that an agent may say in one turn; a turn that fills it is cut.', source: 'ReMA 2503.09501' },
  { word: 'Yielding', meaning: 'Letting messages in between two pieces of work, so that the page can pause a run at any time.', source: 'Cothink' },
];

/** Terms whose word or meaning contains `query`; all for an empty one. */
export function findTerms(query: string): Term[] {
  const wanted = query.trim().toLowerCase();
  return terms.filter(({ word, meaning }) => `${word} ${meaning}`.toLowerCase().includes(wanted));
}
