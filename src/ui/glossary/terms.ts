// The terms of the page, each explained in one sentence with its source. Each learner adds its own name as a term,
// and each analysis its own terms.
import { learnerFacts, learnerNames } from '../../config/learners/registry.ts';

export interface Term {
  word: string;
  meaning: string;
  source: string;
}

const common: Term[] = [
  {
    word: 'AdamW',
    meaning:
      'The optimiser: it scales each step by running means of the gradient and of its square, and shrinks the matrices a little.',
    source: 'Loshchilov & Hutter 1711.05101',
  },
  {
    word: 'Adapter',
    meaning:
      'A small product of two narrow matrices added to each large one of a frozen network: all that an agent learns under LoRA, in one for all its turns or in one for each; of WebGPU, the graphics device itself.',
    source: 'LoRA 2106.09685',
  },
  {
    word: 'Advantage',
    meaning:
      'How much better a dialogue did than was expected; its sign says whether its tokens become more or less probable.',
    source: 'Sutton & Barto 2018',
  },
  {
    word: 'Agent',
    meaning: 'A network in a role, which reads what it is given and says a turn; several agents may share one network.',
    source: 'Sutton & Barto 2018',
  },
  {
    word: 'Aggregation',
    meaning: 'The weight of each token, turn or dialogue when their losses are averaged.',
    source: 'DAPO 2503.14476',
  },
  {
    word: 'Arm',
    meaning: 'One side of an experiment: the runs that have the same settings, with other seeds each.',
    source: 'Cothink',
  },
  {
    word: 'Attention',
    meaning:
      'How a layer of the network reads the earlier tokens: each of its heads gives every earlier token a share of its attention, and the shares add up to 1.',
    source: 'Vaswani et al. 1706.03762',
  },
  {
    word: 'AUC',
    meaning:
      'How often a right answer scores above a wrong one, over all pairs of them: half of the time is guessing, always is perfect.',
    source: 'Hanley & McNeil 1982',
  },
  {
    word: 'Best possible without messages',
    meaning:
      'The share that the best possible reasoner could get right if it never heard the planner, or the best team if nobody heard the others: an average over what is hidden, found by enumeration; on problems that are drawn chance moves it, on 512 of them by about 4 of 100.',
    source: 'Cothink',
  },
  {
    word: 'Branch',
    meaning:
      'A dialogue that was changed at one turn and went on from there; it stands beside the one that it left, under the same weights and draws.',
    source: 'Cothink',
  },
  {
    word: 'Byte pair',
    meaning:
      'A token of imported data: starting from single bytes, two neighbours that often occur together are merged into one, again and again, so any text can be written and common words are one token.',
    source: 'Sennrich et al. 1508.07909',
  },
  {
    word: 'Calibration',
    meaning: 'Whether scores mean what they say: of the answers that score 80 %, four of five should be right.',
    source: 'Naeini et al. 2015',
  },
  {
    word: 'Call',
    meaning:
      'A message that begins with the sign of a tool, such as a search: the tool gives back what it finds, or an error, and each call costs one of a budget.',
    source: 'ReAct 2210.03629',
  },
  {
    word: 'Candidate',
    meaning:
      'One of several tries at the same turn, all said from the same context; the dialogue goes on from the best, and each is compared with the others.',
    source: 'AT-GRPO 2510.11062',
  },
  {
    word: 'Capture',
    meaning:
      'Recording the GPU’s work of one step and replaying it, so that the processor hardly takes part in the next ones.',
    source: 'Cothink',
  },
  {
    word: 'Causal influence',
    meaning:
      'How much likelier, in nats a token, a turn made what was said after it, against the same words with the turn hidden from those who heard it.',
    source: 'Dr. MAMR 2511.02303',
  },
  {
    word: 'Chat template',
    meaning:
      'The text that a model’s messages become before it reads them, with its marks of who speaks; it comes with the model.',
    source: 'Hugging Face',
  },
  {
    word: 'Checkpoint',
    meaning: 'Everything a run needs to continue exactly where it stopped: weights, optimiser, reference and settings.',
    source: 'Cothink',
  },
  {
    word: 'Claim',
    meaning:
      'A published statement that compares two ways to train, written so that it can be run: two arms, a measure, the smallest effect that matters, and seeds.',
    source: 'Cothink',
  },
  {
    word: 'Clip',
    meaning: 'Outside 1 ± this value, a ratio earns nothing more, so one update cannot move the policy far.',
    source: 'PPO 1707.06347',
  },
  {
    word: 'Clipped?',
    meaning:
      'PPO counts the smaller of the plain and the clipped gain; a loss is a gain with the opposite sign, so min() of the gains is max(L₁, L₂) of the losses; clipped means that the token is pushed no further.',
    source: 'PPO 1707.06347',
  },
  {
    word: 'Collapse guard',
    meaning:
      'Pauses a run whose right answers have fallen clearly below its best, and offers the last checkpoint from before the fall, with a tenth of the learning rate: with the same settings it would fall again in the same way.',
    source: 'Cothink',
  },
  {
    word: 'Critic',
    meaning:
      'A separate network, or a head on the agent’s own network, that learns to predict the reward, so that only the difference from the prediction counts.',
    source: 'PPO 1707.06347',
  },
  {
    word: 'Dead group',
    meaning:
      'A group whose advantages are all 0, as where its dialogues all earned the same: nothing sets them apart, so it carries no gradient.',
    source: 'DAPO 2503.14476',
  },
  {
    word: 'Debate',
    meaning:
      'A protocol in which all agents answer at once, then read each other’s answers and answer again, round after round; the most common answer is the team’s.',
    source: 'MAPoRL 2502.18439',
  },
  {
    word: 'Demonstration',
    meaning:
      'A dialogue worked out by the world itself, to be imitated: it speaks as the protocol asks, and its plans are good as often as the settings say.',
    source: 'Cothink',
  },
  {
    word: 'Dispatch',
    meaning:
      'One program started on the GPU; starting it costs the same however little it does, so a few large dispatches are faster than many small ones.',
    source: 'Cothink',
  },
  {
    word: 'Draws',
    meaning:
      'The random numbers by which tokens are chosen; two dialogues with the same draws and the same weights differ only by what was changed in one of them.',
    source: 'Cothink',
  },
  {
    word: 'Dual clip',
    meaning: 'A bound on what one bad dialogue can cost: without it a ratio that has grown large would count in full.',
    source: 'Ye et al. 1912.09729',
  },
  {
    word: 'Entropy',
    meaning: 'How undecided an agent is about its next token; near 0 it always says the same.',
    source: 'Shannon 1948',
  },
  {
    word: 'Episode reward',
    meaning:
      'The reward of a whole dialogue: the weighted sum of the parts of its world’s reward, such as right answer and proper finish.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Epoch',
    meaning: 'One pass of the update over the dialogues that an iteration has collected.',
    source: 'PPO 1707.06347',
  },
  {
    word: 'Evaluation',
    meaning: 'Counting right answers on the held-out problems; it changes nothing of training.',
    source: 'Cothink',
  },
  {
    word: 'Exchange of roles',
    meaning:
      'After some iterations each network takes the role of the next agent, so that it learns both sides of the dialogue.',
    source: 'CORY 2410.06101',
  },
  {
    word: 'Explained variance',
    meaning:
      'How much of the variance of the returns a critic predicts: 1 is all of it, 0 is no more than their mean predicts; on level 1 a joint critic reaches about a fifth; one that knew each plan and result would reach half.',
    source: 'CleanRL',
  },
  {
    word: 'Feedback in words',
    meaning:
      'A judgement on an answer of a debate, told to all who read it, from very likely wrong to very likely right.',
    source: 'MAPoRL 2502.18439',
  },
  {
    word: 'Finish token',
    meaning:
      'The token that the planner says, alone in its turn, to end the dialogue; the reasoner’s last message is then the answer.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Fork',
    meaning:
      'A run that continues another one from an iteration on, with other parameters; both are kept, so that they can be compared.',
    source: 'Cothink',
  },
  {
    word: 'Frozen agent',
    meaning: 'An agent that only speaks: its weights stay as they are while the others learn.',
    source: 'Cothink',
  },
  {
    word: 'GAE',
    meaning:
      'Generalised advantage estimation: an advantage for each token, blended from short and long looks ahead at what the critic predicts.',
    source: 'GAE 1506.02438',
  },
  {
    word: 'GGUF',
    meaning: 'Weights and vocabulary in one file, for programs that run language models without Python.',
    source: 'llama.cpp',
  },
  {
    word: 'GPU busy',
    meaning:
      'The time in which the GPU itself computed, by its own clock; where it is far below the time of the iteration, the GPU waits for the page.',
    source: 'Cothink',
  },
  {
    word: 'Gradient',
    meaning: 'The direction in which to change the weights so that the loss falls fastest.',
    source: 'Sutton & Barto 2018',
  },
  {
    word: 'Group',
    meaning: 'All dialogues sampled for one problem; each is compared with the others.',
    source: 'GRPO 2402.03300',
  },
  {
    word: 'Held-out problems',
    meaning:
      'Fixed problems that are never trained on, neither here nor in the warm start; right answers are counted on them.',
    source: 'Cothink',
  },
  {
    word: 'House rule',
    meaning:
      'The order of evaluation that holds for one problem, whatever school says: multiplication first, left to right or right to left; who does not see it cannot know the answer.',
    source: 'Cothink',
  },
  {
    word: 'House-rule arithmetic',
    meaning: 'Sums whose order of evaluation is a rule that only the planner sees, so that the two agents must talk.',
    source: 'Cothink',
  },
  {
    word: 'Influence-aware reward',
    meaning:
      'A reward that pays an answer for what it and the later answers score, and for turning others to the right rather than from it.',
    source: 'MAPoRL 2502.18439',
  },
  {
    word: 'Inspect',
    meaning: 'A framework for evaluating language models, whose viewer shows dialogues with their scores.',
    source: 'Inspect AI',
  },
  { word: 'Iteration', meaning: 'Collecting dialogues once and learning from them once.', source: 'CleanRL' },
  {
    word: 'k3',
    meaning: 'An estimate of KL from the sampled token alone, r − 1 − log r, which is never negative.',
    source: 'joschu.net/blog/kl-approx',
  },
  {
    word: 'KL',
    meaning:
      'A distance between the token distributions of two policies, in nats; it is kept small so that an agent stays near its warm start.',
    source: 'Kullback & Leibler 1951',
  },
  {
    word: 'Knowledge base',
    meaning: 'Facts that no agent sees: a search shows those that share the rarest words with what is asked for.',
    source: 'Salton & Buckley 1988',
  },
  {
    word: 'Leaked answer',
    meaning:
      'A plan that holds the right answer more often than that of another problem: the planner also answers, and the reasoner need only copy.',
    source: 'Cothink',
  },
  {
    word: 'Learner',
    meaning: 'The recipe by which rewards become changes of the weights, such as GRPO or PPO.',
    source: 'Cothink',
  },
  {
    word: 'Log-probability',
    meaning: 'The logarithm of the probability that a policy gives to a token; those of a turn are added up.',
    source: 'Sutton & Barto 2018',
  },
  {
    word: 'LoRA',
    meaning:
      'Low-rank adaptation: all agents stand on one frozen network, and each learns only a small adapter to it, or one for each of its turns.',
    source: 'LoRA 2106.09685',
  },
  {
    word: 'Loss',
    meaning: 'The number that an update lowers; its level says little, only its gradient matters.',
    source: 'PPO 1707.06347',
  },
  {
    word: 'Majority vote',
    meaning:
      'A protocol in which all agents answer alone and the most common answer is the team’s: the baseline that a talking team must beat.',
    source: 'Wang et al. 2203.11171',
  },
  {
    word: 'Majority@k',
    meaning:
      'The share of problems for which the most common of k answers is right; a tie counts by its share; asking several times and voting reaches this.',
    source: 'Wang et al. 2203.11171',
  },
  {
    word: 'Masked answer',
    meaning: 'An answer that a debater does not get to read in training: it hears only that something was said.',
    source: 'MAPoRL 2502.18439',
  },
  {
    word: 'Memory of a critic',
    meaning:
      'The newest dialogues, which a critic that is a network of its own learns from again and again; those of one iteration are about few problems, which it would soon memorise.',
    source: 'PPG 2009.04416',
  },
  {
    word: 'Messages hidden',
    meaning:
      'A control: the same team on the same problems when the reasoner does not hear the planner; in other protocols, when nobody hears the pioneer, the members or the other debaters; the team suddenly hears nothing, in a state it never met, so how far it falls does not say what a message is worth.',
    source: 'Cothink',
  },
  {
    word: 'Meta-thinking',
    meaning: 'Thinking about how to think: saying what to do next rather than doing it; here the planner’s part.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Meta-thinking agent',
    meaning: 'The agent that sees what is hidden and plans: it says what to do next, or finishes.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Minibatch',
    meaning: 'A part of the collected dialogues; each part gives one step of the optimiser.',
    source: 'PPO 1707.06347',
  },
  {
    word: 'Mixing critic',
    meaning:
      'A critic that values each message and mixes these values into the value of the round, so that each agent is paid its own part.',
    source: 'QMIX 1803.11485',
  },
  {
    word: 'Mod 10',
    meaning:
      'Every result is one digit: if it is above 9, only the last digit is kept, so 7 × 8 = 56 gives 6; if it is below 0, tens are added, so 3 − 5 = −2 gives −2 + 10 = 8.',
    source: 'Cothink',
  },
  {
    word: 'Muon',
    meaning:
      'An optimiser for matrices: it makes the mean gradient orthogonal before each step, so that all directions move equally far.',
    source: 'Jordan 2024',
  },
  {
    word: 'Nat',
    meaning: 'The unit of entropy and KL under natural logarithms, a little less than one and a half bits.',
    source: 'Shannon 1948',
  },
  {
    word: 'Network',
    meaning: 'Numbers, called weights, that turn a text into the probability of each next token; here a small Llama.',
    source: 'Vaswani et al. 1706.03762',
  },
  {
    word: 'ONNX',
    meaning:
      'A network stored as a graph of operators, which runs without the program that trained it; its weights are in a file beside it.',
    source: 'ONNX 1.12',
  },
  {
    word: 'Outcome and step',
    meaning:
      'Two advantages in one: what the whole dialogue came to against the other dialogues of its problem, and what a turn itself earned against the same turn of these.',
    source: 'ReMemR1 2509.23040',
  },
  {
    word: 'Paired difference',
    meaning:
      'Two arms are compared problem by problem, or seed by seed, and the differences are averaged: the difficulty of a problem affects both arms and cancels out.',
    source: 'Student 1908',
  },
  {
    word: 'Parquet',
    meaning: 'A file format for tables, stored column by column, which most data tools can read.',
    source: 'Apache Parquet',
  },
  {
    word: 'Pass@k',
    meaning:
      'The probability that one at least of k answers to a problem is right, counted without bias from more answers than k: what a perfect judge of answers could reach.',
    source: 'Chen et al. 2107.03374',
  },
  {
    word: 'Peak memory',
    meaning:
      'The most that was in use at once: what stays from step to step, and the activations of the largest piece of work.',
    source: 'Cothink',
  },
  {
    word: 'Planner',
    meaning: 'The meta-thinking agent: it sees what is hidden from the reasoner and says what comes next.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Policy',
    meaning: 'The probability that an agent gives to each possible next token, given all it has heard so far.',
    source: 'Sutton & Barto 2018',
  },
  {
    word: 'Preference pair',
    meaning:
      'Two answers to the same prompt, one of them preferred; DPO learns from such pairs, which are mined from dialogues or read from a file.',
    source: 'DPO 2305.18290',
  },
  {
    word: 'Preset',
    meaning: 'Settings that go together under one name; a link or a run file can change any of them.',
    source: 'Cothink',
  },
  {
    word: 'Protocol',
    meaning:
      'Who speaks when, who hears whom, whose answer counts and when the dialogue ends: there are some to choose from, and one can be written of one’s own.',
    source: 'Cothink',
  },
  {
    word: 'Rank',
    meaning: 'How many directions of each large matrix an adapter may change.',
    source: 'LoRA 2106.09685',
  },
  {
    word: 'Ratio',
    meaning: 'How much more probable a token, a turn or a dialogue has become since it was sampled; 1 means unchanged.',
    source: 'PPO 1707.06347',
  },
  {
    word: 'Readback',
    meaning: 'Copying numbers out of the device, and standing still until they are there.',
    source: 'Cothink',
  },
  {
    word: 'Reasoner',
    meaning: 'The reasoning agent: it carries out what the planner says and never sees what is hidden.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Reasoning agent',
    meaning:
      'The agent that executes: it never sees what is hidden and does as the plan says, such as rewriting a sum.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Reference',
    meaning:
      'The frozen weights from which distances such as KL are measured: those of the warm start, unless the reference is renewed.',
    source: 'GRPO 2402.03300',
  },
  {
    word: 'Replay',
    meaning: 'The newest dialogues, kept so that the mixing critic can learn from each of them more than once.',
    source: 'QMIX 1803.11485',
  },
  {
    word: 'Residual',
    meaning: 'The return of a round minus the value that a mixing critic predicted for it.',
    source: 'Cothink',
  },
  {
    word: 'Return',
    meaning: 'The sum of the rewards that are still to come, later ones discounted.',
    source: 'Sutton & Barto 2018',
  },
  {
    word: 'Reward',
    meaning: 'The number that a turn or a dialogue earns; learning increases it.',
    source: 'Sutton & Barto 2018',
  },
  { word: 'Rollout', meaning: 'One dialogue, sampled from first turn to last.', source: 'CleanRL' },
  {
    word: 'Run file',
    meaning:
      'A run as text: its settings, what was changed on the way and the files it learned from; opening it repeats the run.',
    source: 'Cothink',
  },
  {
    word: 'Safetensors',
    meaning: 'A file of named arrays and nothing else, in which Hugging Face keeps weights.',
    source: 'Hugging Face',
  },
  {
    word: 'Same-luck fork',
    meaning:
      'Two runs that go on from one checkpoint with the same problems and the same random numbers, one of them with something changed: whatever differs later is owed to the change.',
    source: 'Cothink',
  },
  {
    word: 'Scoring',
    meaning:
      'Passing finished dialogues through a network without learning: for the critic, the reference, or the page.',
    source: 'Cothink',
  },
  { word: 'Seed', meaning: 'The number that determines every random draw of a run.', source: 'Cothink' },
  {
    word: 'Shaping',
    meaning:
      'Reward that is paid on the way for coming nearer to the goal and deducted for moving away from it, so that in sum it favours no detour.',
    source: 'Ng et al. 1999',
  },
  {
    word: 'Shuffled message',
    meaning:
      'A message that its readers do not receive: instead they read what the same agent says at the same turn of another dialogue, about another problem if there is one; the speaker learns from what it said, the readers learn from what they read.',
    source: 'Cothink',
  },
  {
    word: 'SIMD',
    meaning: 'Instructions that work on several numbers at once; the CPU path computes with kernels made of them.',
    source: 'WebAssembly SIMD',
  },
  {
    word: 'Slow copy',
    meaning:
      'A copy of the mixing critic that follows it a little at a time; what the critic is to learn is computed with it, so that it does not chase itself.',
    source: 'DDPG 1509.02971',
  },
  {
    word: 'Storage',
    meaning: 'Writing iterations and checkpoints into this browser, so that a reload can go on.',
    source: 'Cothink',
  },
  {
    word: 'Submission',
    meaning: 'Handing a batch of dispatches to the GPU; each has its own price, so they are gathered.',
    source: 'Cothink',
  },
  {
    word: 'Summary',
    meaning:
      'A protocol in which the members answer alone; a leader then reads all answers and gives the team’s answer.',
    source: 'MAPoRL 2502.18439',
  },
  {
    word: 't-interval',
    meaning:
      'Where the mean over all seeds would lie, 95 times of 100, judged by a few of them; with one seed nobody can say.',
    source: 'Student 1908',
  },
  {
    word: 'Temperature',
    meaning: 'How random the sampling is: 1 draws from the policy as it is, less favours what is already probable.',
    source: 'Ackley et al. 1985',
  },
  { word: 'Tensor', meaning: 'A named array of numbers, such as one matrix of a network.', source: 'PyTorch' },
  {
    word: 'Token',
    meaning:
      'The smallest thing an agent can say: a digit, a sign or a mark such as the end of a turn; in a joined vocabulary also an operator with the digit after it.',
    source: 'Cothink',
  },
  {
    word: 'Trajectory',
    meaning: 'A dialogue with all its data: problem, turns, tokens, log-probabilities and rewards.',
    source: 'Sutton & Barto 2018',
  },
  {
    word: 'Tree',
    meaning:
      'A dialogue with all the candidates of its turns: the trunk is what was held to the end, each branch ends with a candidate that was left behind.',
    source: 'AT-GRPO 2510.11062',
  },
  {
    word: 'Turn',
    meaning:
      'The message of one agent before the other may speak; the unit over which new and old policy are compared.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'UMAD',
    meaning:
      'Two additions for debates: an advantage counts more where its tokens were surer, and an answer is paid for better answers of others after it.',
    source: 'UMAD 2603.01221',
  },
  {
    word: 'Unequal agents',
    meaning:
      'Agents with networks of their own that differ in size or vocabulary; what is said passes between them as text.',
    source: 'MARFT 2504.16129',
  },
  {
    word: 'Unheard message',
    meaning:
      'A message that no other agent gets to read, in training or where right answers are measured: the others hear only that something was said; as the one change of a same-luck fork it shows what a message is worth to learning.',
    source: 'Cothink',
  },
  {
    word: 'Update',
    meaning: 'One step of the optimiser: a minibatch goes forward and backward, and the weights move.',
    source: 'Cothink',
  },
  {
    word: 'Verifier',
    meaning:
      'A network that reads an answer with its question and says how likely it is to be right; it learns from the agents’ own answers.',
    source: 'MAPoRL 2502.18439',
  },
  {
    word: 'Warm start',
    meaning:
      'Weights that were first trained on demonstrations to speak the dialogue, often with the wrong plan; learning starts from them.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Weights',
    meaning:
      'The numbers in a network, here tens of thousands: they decide what it says, and learning is changing them.',
    source: 'Rosenblatt 1958',
  },
  {
    word: 'Whitening',
    meaning: 'Shifting and scaling advantages to mean 0 and standard deviation 1.',
    source: 'CleanRL',
  },
  {
    word: 'Wilson interval',
    meaning:
      'The range in which the true share of right answers lies with 95 % confidence, given how many problems were asked.',
    source: 'Wilson 1927',
  },
  {
    word: 'Window',
    meaning: 'The most tokens that an agent may say in one turn; a turn that fills it is cut.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Yielding',
    meaning: 'Handling messages between two pieces of work, so that the page can pause a run at any time.',
    source: 'Cothink',
  },
];

const ofLearners = learnerNames.map((name): Term => {
  const { label, meaning, paper } = learnerFacts[name];
  return { word: label, meaning, source: paper };
});

const ofAnalyses = Object.values(
  import.meta.glob<readonly Term[]>('../../extensions/analyses/*/page/terms.ts', { eager: true, import: 'terms' }),
).flat();

/** All terms in alphabetical order. */
export const terms: Term[] = [...common, ...ofLearners, ...ofAnalyses].sort((a, b) =>
  a.word.localeCompare(b.word, 'en'),
);
