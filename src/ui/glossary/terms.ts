// The terms of the page, each explained in one sentence with its source. The name of each learner is also a term, and
// each analysis adds its own terms.
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
      'An optimiser that computes each step from running means of the gradient and of the squared gradient, and applies weight decay to the matrices.',
    source: 'Loshchilov & Hutter 1711.05101',
  },
  {
    word: 'Adapter',
    meaning:
      'A product of two narrow matrices that is added to each large matrix of a frozen network; with LoRA, an agent learns only its adapter, or one adapter for each of its turns (in WebGPU, the word means something else: the graphics device).',
    source: 'LoRA 2106.09685',
  },
  {
    word: 'Advantage',
    meaning:
      'How much better a dialogue did than expected; if the advantage is above 0, the tokens become more probable, otherwise less probable.',
    source: 'Sutton & Barto 2018',
  },
  {
    word: 'Agent',
    meaning:
      'A network in a role, such as planner: the agent reads its view of the problem and the messages of the other agents that it hears, and then generates a message; several agents may share one network.',
    source: 'Sutton & Barto 2018',
  },
  {
    word: 'Aggregation',
    meaning: 'The weight of each token, turn or dialogue when their losses are averaged.',
    source: 'DAPO 2503.14476',
  },
  {
    word: 'Arm',
    meaning: 'One side of an experiment: the runs with the same settings, each with a different seed.',
    source: 'Cothink',
  },
  {
    word: 'Attention',
    meaning:
      'The way in which a layer of the network uses the earlier tokens: each head of the layer gives every earlier token a weight, and the weights add up to 1.',
    source: 'Vaswani et al. 1706.03762',
  },
  {
    word: 'AUC',
    meaning:
      'The share of pairs of a right and a wrong answer in which the right answer has the higher score: one half is guessing, 1 is perfect.',
    source: 'Hanley & McNeil 1982',
  },
  {
    word: 'Best possible without messages',
    meaning:
      'The best possible accuracy of a reasoner that does not hear the planner, or of a team in which no agent hears the others: an average over the hidden texts, found by enumeration; on 512 random problems, an accuracy can differ from this average by up to about 4 percentage points by chance.',
    source: 'Cothink',
  },
  {
    word: 'Branch',
    meaning:
      'A dialogue that was changed at one turn and then continued with the same weights and random numbers; the branch is shown next to the original dialogue.',
    source: 'Cothink',
  },
  {
    word: 'Byte pair',
    meaning:
      'A method that finds the tokens of imported data: starting from single bytes, the most frequent pair of neighbouring tokens is merged into a new token, again and again, so that any text can be written and common words become one token.',
    source: 'Sennrich et al. 1508.07909',
  },
  {
    word: 'Calibration',
    meaning:
      'How well scores match frequencies: among the answers with a score of 80 %, four out of five should be right.',
    source: 'Naeini et al. 2015',
  },
  {
    word: 'Call',
    meaning:
      'A message that begins with the symbol of a tool, such as search; the tool returns its result or an error, and each call uses one unit of a budget.',
    source: 'ReAct 2210.03629',
  },
  {
    word: 'Candidate',
    meaning:
      'One of several samples of the same turn, all drawn from the same context; the dialogue continues from the best candidate, and each candidate is compared with the others.',
    source: 'AT-GRPO 2510.11062',
  },
  {
    word: 'Capture',
    meaning:
      'Recording the commands that one step sends to the GPU and replaying them in later steps; this saves the CPU most of its work.',
    source: 'Cothink',
  },
  {
    word: 'Causal influence',
    meaning:
      'How much likelier, in nats per token, a turn made the next messages of the agents that heard it, compared with the same messages if the turn is hidden from these agents.',
    source: 'Dr. MAMR 2511.02303',
  },
  {
    word: 'Chat template',
    meaning:
      'The format in which a model reads its messages, with marks for the speaker; the template is stored in the model’s files.',
    source: 'Hugging Face',
  },
  {
    word: 'Checkpoint',
    meaning:
      'Everything that a run needs to continue exactly where it stopped: weights, optimiser, reference and settings.',
    source: 'Cothink',
  },
  {
    word: 'CISPO',
    meaning:
      'A policy loss in which the clipped ratio is a fixed weight of log p, so that a token also learns where its ratio is clipped.',
    source: 'MiniMax-M1 2506.13585',
  },
  {
    word: 'Claim',
    meaning:
      'A published statement that compares two ways to train, in a form that can be tested here: two arms, a measure, the smallest effect that matters, and seeds.',
    source: 'Cothink',
  },
  {
    word: 'Clip',
    meaning:
      'A bound on the ratio: outside 1 ± this bound, a further change of the ratio does not improve the objective, so one update cannot move the policy far.',
    source: 'PPO 1707.06347',
  },
  {
    word: 'Clipped?',
    meaning:
      'Whether the clipped loss counts: PPO uses the larger of the unclipped and the clipped loss, max(L₁, L₂), and if this is the clipped loss, the update does not change the probability of the token any further.',
    source: 'PPO 1707.06347',
  },
  {
    word: 'Collapse guard',
    meaning:
      'A guard that pauses a run when the accuracy has fallen clearly below its best value; the guard offers to continue from the last checkpoint before the fall with a tenth of the learning rate, because with the same settings accuracy would fall again.',
    source: 'Cothink',
  },
  {
    word: 'Critic',
    meaning:
      'A separate network, or a head on the agent’s own network, that learns to predict the return; the agents learn from the difference between the actual return and this prediction.',
    source: 'PPO 1707.06347',
  },
  {
    word: 'Dead group',
    meaning:
      'A group whose advantages are all 0, for example because all dialogues of the group have the same reward; such a group adds nothing to the policy gradient.',
    source: 'DAPO 2503.14476',
  },
  {
    word: 'Debate',
    meaning:
      'A protocol in which all agents answer at once, then read each other’s answers and answer again, round after round; the most common answer is the team’s answer.',
    source: 'MAPoRL 2502.18439',
  },
  {
    word: 'Demonstration',
    meaning:
      'An example dialogue that the world generates for the agents to imitate: the dialogue follows the protocol, and the settings determine how often its plans are good.',
    source: 'Cothink',
  },
  {
    word: 'Dispatch',
    meaning:
      'One start of a program on the GPU; each start takes about the same time, even if the program computes very little, so a few large dispatches are faster than many small ones.',
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
    meaning:
      'A bound on the loss if the advantage is negative, so that a single very large ratio cannot dominate the update.',
    source: 'Ye et al. 1912.09729',
  },
  {
    word: 'Entropy',
    meaning: 'How undecided an agent is about its next token; near 0, the agent nearly always chooses the same token.',
    source: 'Shannon 1948',
  },
  {
    word: 'Episode reward',
    meaning:
      'The reward of a whole dialogue: the weighted sum of the reward parts of the world, for example for a right answer and a proper finish.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Epoch',
    meaning: 'One pass of the update over the dialogues that were collected in an iteration.',
    source: 'PPO 1707.06347',
  },
  {
    word: 'Evaluation',
    meaning: 'Counting right answers on the held-out problems; this does not affect training.',
    source: 'Cothink',
  },
  {
    word: 'Exchange of roles',
    meaning:
      'After some iterations each network takes the role of the next agent, so that each network learns both sides of the dialogue.',
    source: 'CORY 2410.06101',
  },
  {
    word: 'Explained variance',
    meaning:
      'The share of the variance of the returns that a critic explains: 1 means all of the variance, and 0 means that the critic is no better than always predicting the mean; on level 1 of house-rule arithmetic, a joint critic reaches about a fifth, while a critic that knew each plan and result would reach half.',
    source: 'CleanRL',
  },
  {
    word: 'Feedback in words',
    meaning:
      'A judgement of an answer in a debate, from “very likely wrong” to “very likely right”; all agents that read the answer also read the judgement.',
    source: 'MAPoRL 2502.18439',
  },
  {
    word: 'Finish token',
    meaning:
      'The token with which the planner ends the dialogue, as the only token of its turn; the reasoner’s last message is then the answer.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Fork',
    meaning:
      'A run that continues another run from a chosen iteration with different settings; both runs are stored, so that they can be compared.',
    source: 'Cothink',
  },
  {
    word: 'Frozen agent',
    meaning:
      'An agent that takes part in the dialogues but does not learn: its weights do not change while the other agents learn.',
    source: 'Cothink',
  },
  {
    word: 'GAE',
    meaning:
      'Generalised advantage estimation: the advantage of each token is a weighted mean of estimates, each of which uses the rewards of some steps (few or many) and then the critic’s prediction.',
    source: 'GAE 1506.02438',
  },
  {
    word: 'GGUF',
    meaning: 'Weights and vocabulary in one file, for programs that run language models without Python.',
    source: 'llama.cpp',
  },
  {
    word: 'GMPO',
    meaning:
      'A policy loss whose ratio is the geometric mean of bounded token ratios, so that no single token can dominate the ratio of its message.',
    source: 'GMPO 2507.20673',
  },
  {
    word: 'GPU busy',
    meaning:
      'The time in which the GPU was computing, measured with the clock of the GPU; if this time is much shorter than the iteration, the GPU often waits for the page.',
    source: 'Cothink',
  },
  {
    word: 'Gradient',
    meaning: 'The direction in which to change the weights so that the loss falls fastest.',
    source: 'Sutton & Barto 2018',
  },
  {
    word: 'Group',
    meaning: 'All dialogues sampled for one problem; each dialogue is compared with the others.',
    source: 'GRPO 2402.03300',
  },
  {
    word: 'Held-out problems',
    meaning:
      'Fixed problems that are never used for training, neither here nor in the warm start; accuracy is measured on these problems.',
    source: 'Cothink',
  },
  {
    word: 'House rule',
    meaning:
      'The order of evaluation for one problem: multiplication first, left to right, or right to left; it may differ from the usual order, so an agent that does not see the rule cannot know the answer.',
    source: 'Cothink',
  },
  {
    word: 'House-rule arithmetic',
    meaning:
      'Sums whose order of evaluation is set by a rule that only the planner sees, so that the two agents must talk.',
    source: 'Cothink',
  },
  {
    word: 'Influence-aware reward',
    meaning:
      'A reward for an answer: it combines the score of this answer with the scores of later answers, and adds a bonus for persuading other agents of the right answer instead of a wrong one.',
    source: 'MAPoRL 2502.18439',
  },
  {
    word: 'Inspect',
    meaning: 'A framework for the evaluation of language models; its viewer shows dialogues with their scores.',
    source: 'Inspect AI',
  },
  {
    word: 'Iteration',
    meaning: 'One cycle of a run: dialogues are collected, and the agents learn from them.',
    source: 'CleanRL',
  },
  {
    word: 'k3',
    meaning:
      'An estimate of KL from the sampled token alone: r − 1 − log r, where r is the token’s probability under the reference divided by its probability under the policy; it is never negative.',
    source: 'joschu.net/blog/kl-approx',
  },
  {
    word: 'KL',
    meaning:
      'A distance between the token distributions of two policies, in nats; this distance is kept small so that an agent stays near its warm start.',
    source: 'Kullback & Leibler 1951',
  },
  {
    word: 'Knowledge base',
    meaning:
      'Facts that agents can see only through a search, which returns the facts that share the rarest words with the query.',
    source: 'Salton & Buckley 1988',
  },
  {
    word: 'Leaked answer',
    meaning:
      'A plan that already contains the right answer, so that the reasoner only copies the answer; the share of such plans is compared with the share of plans that contain the answer to another problem by chance.',
    source: 'Cothink',
  },
  {
    word: 'Learner',
    meaning: 'The algorithm that turns rewards into changes of the weights, such as GRPO or PPO.',
    source: 'Cothink',
  },
  {
    word: 'Log-probability',
    meaning:
      'The logarithm of the probability that a policy gives to a token; the log-probability of a turn is the sum over its tokens.',
    source: 'Sutton & Barto 2018',
  },
  {
    word: 'LoRA',
    meaning:
      'Low-rank adaptation: all agents share one frozen network, and each agent learns only a small adapter for this network, or one adapter for each of its turns.',
    source: 'LoRA 2106.09685',
  },
  {
    word: 'Loss',
    meaning:
      'The number that the optimiser minimises; its value alone says little, because learning uses only its gradient.',
    source: 'PPO 1707.06347',
  },
  {
    word: 'Majority vote',
    meaning:
      'A protocol in which all agents answer alone and the most common answer is the team’s answer: the baseline that a talking team must beat.',
    source: 'Wang et al. 2203.11171',
  },
  {
    word: 'Majority@k',
    meaning:
      'The share of problems for which the most common of k answers is right, with ties counted in proportion; this is the accuracy of asking k times and voting.',
    source: 'Wang et al. 2203.11171',
  },
  {
    word: 'Masked answer',
    meaning: 'An answer that a debater cannot read in training: the debater sees only that an answer was given.',
    source: 'MAPoRL 2502.18439',
  },
  {
    word: 'Memory of a critic',
    meaning:
      'The newest dialogues, from which a critic with its own network learns repeatedly; with the dialogues of a single iteration, the critic would soon memorise the few problems of that iteration.',
    source: 'PPG 2009.04416',
  },
  {
    word: 'Messages hidden',
    meaning:
      'A control in which the planner’s messages are hidden from the reasoner (in other protocols, the messages of the pioneer, the members or the other debaters); the team was never trained without these messages, so the drop in accuracy does not measure what a message is worth.',
    source: 'Cothink',
  },
  {
    word: 'Meta-thinking',
    meaning:
      'Thinking about how to think: planning the next step instead of carrying it out; in Cothink, this is the planner’s role.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Meta-thinking agent',
    meaning: 'The agent that sees the hidden texts and plans: it says what to do next, or finishes the dialogue.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Minibatch',
    meaning: 'A part of the collected dialogues; one step of the optimiser is made with each part.',
    source: 'PPO 1707.06347',
  },
  {
    word: 'Mixing critic',
    meaning:
      'A critic that predicts a value for each message and combines these values into the value of the round, so that each agent is rewarded for its own contribution.',
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
      'An optimiser for matrices: it makes the running mean of the gradient orthogonal before each step, so that the step is equally large in all directions.',
    source: 'Jordan 2024',
  },
  {
    word: 'Nat',
    meaning:
      'The unit of entropy and KL if they are computed with natural logarithms; one nat is almost one and a half bits.',
    source: 'Shannon 1948',
  },
  {
    word: 'Network',
    meaning:
      'Numbers, called weights, that turn a text into the probability of each possible next token; here each network is a small Llama model.',
    source: 'Vaswani et al. 1706.03762',
  },
  {
    word: 'ONNX',
    meaning:
      'A network stored as a graph of operators, which runs without the program that trained it; its weights are in a separate file.',
    source: 'ONNX 1.12',
  },
  {
    word: 'Outcome and step',
    meaning:
      'A sum of two advantages: the outcome of a dialogue compared with the other dialogues about its problem, and the reward of a turn compared with the same turn of those dialogues.',
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
      'The probability that at least one of k answers to a problem is right, estimated without bias from more than k answers; a judge who picks a right answer whenever there is one among the k answers has this accuracy.',
    source: 'Chen et al. 2107.03374',
  },
  {
    word: 'Peak memory',
    meaning:
      'The largest amount of memory in use at any time: the memory that is always needed (weights, optimiser state, reference) plus the activations of the largest part of a batch that is processed together.',
    source: 'Cothink',
  },
  {
    word: 'Planner',
    meaning: 'The meta-thinking agent: it sees what is hidden from the reasoner and says what comes next.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Policy',
    meaning:
      'The probability of each possible next token, as predicted by an agent from the text that it has read so far.',
    source: 'Sutton & Barto 2018',
  },
  {
    word: 'Preference pair',
    meaning:
      'Two answers to the same prompt, one of them preferred; DPO learns from such pairs, which are taken from dialogues or read from a file.',
    source: 'DPO 2305.18290',
  },
  {
    word: 'Preset',
    meaning: 'A named set of values for the settings; a link or a run file can change any of them.',
    source: 'Cothink',
  },
  {
    word: 'Protocol',
    meaning:
      'The rules of a dialogue: who speaks when, who hears whom, whose answer is the team’s answer and when the dialogue ends; you can choose one of several protocols, or write your own.',
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
    meaning: 'Copying numbers from the device, and waiting until the numbers have arrived.',
    source: 'Cothink',
  },
  {
    word: 'Reasoner',
    meaning:
      'The reasoning agent: it carries out the messages of the planner and does not see the part of the problem that only the planner sees.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Reasoning agent',
    meaning: 'The agent that carries out the plan, for example by rewriting a sum, without seeing the hidden texts.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Reference',
    meaning:
      'The frozen weights from which distances such as KL are measured: the weights of the warm start, unless the reference is renewed.',
    source: 'GRPO 2402.03300',
  },
  {
    word: 'Replay',
    meaning:
      'The newest dialogues, which are stored so that the mixing critic can learn from each dialogue more than once.',
    source: 'QMIX 1803.11485',
  },
  {
    word: 'Residual',
    meaning: 'The return of a round minus the value that a mixing critic predicted for this round.',
    source: 'Cothink',
  },
  {
    word: 'Return',
    meaning: 'The sum of all future rewards, where later rewards are discounted.',
    source: 'Sutton & Barto 2018',
  },
  {
    word: 'Reward',
    meaning: 'The number that the world assigns to a turn or a dialogue; the agents learn to increase it.',
    source: 'Sutton & Barto 2018',
  },
  { word: 'Rollout', meaning: 'One dialogue, sampled from first turn to last.', source: 'CleanRL' },
  {
    word: 'Run file',
    meaning:
      'A run as text: the settings, the changes made during the run, and the names and checksums of the imported files of preference pairs; anyone who has the text and these files can repeat the run.',
    source: 'Cothink',
  },
  {
    word: 'Safetensors',
    meaning: 'A file format of Hugging Face for weights, which contains named arrays and nothing else.',
    source: 'Hugging Face',
  },
  {
    word: 'SAPO',
    meaning:
      'A policy loss with a smooth gate of the ratio instead of a clip: the farther the ratio is from 1, the less a token learns.',
    source: 'SAPO 2511.20347',
  },
  {
    word: 'Same-luck fork',
    meaning:
      'Two runs that continue from one checkpoint with the same problems and the same random numbers, but with something changed in one of them: every later difference is due to the change.',
    source: 'Cothink',
  },
  {
    word: 'Scoring',
    meaning:
      'Forward passes of finished dialogues through a network without learning: for the critic, for the reference, or for the numbers on this page.',
    source: 'Cothink',
  },
  { word: 'Seed', meaning: 'The number that determines every random draw of a run.', source: 'Cothink' },
  {
    word: 'Shaping',
    meaning:
      'An extra reward for each step towards the goal; the same reward is deducted for each step away from the goal, so that a detour gives no reward in total.',
    source: 'Ng et al. 1999',
  },
  {
    word: 'Shuffled message',
    meaning:
      'A message for which the other agents read a replacement: the same agent’s message at the same turn of another dialogue, if possible about another problem; the speaker learns from its own message, and the other agents learn from the replacement.',
    source: 'Cothink',
  },
  {
    word: 'SIMD',
    meaning:
      'Processor instructions that work on several numbers at the same time; the kernels of the CPU backend use such instructions.',
    source: 'WebAssembly SIMD',
  },
  {
    word: 'Slow copy',
    meaning:
      'The target network: a copy of the mixing critic whose weights slowly follow the critic’s weights; the critic’s training targets are computed with this copy, so that the targets do not change with every step of the critic.',
    source: 'DDPG 1509.02971',
  },
  {
    word: 'Storage',
    meaning: 'Storing iterations and checkpoints in this browser, so that a run can continue after a reload.',
    source: 'Cothink',
  },
  {
    word: 'Submission',
    meaning:
      'Sending a batch of dispatches to the GPU; each submission has a fixed cost, so dispatches are first collected into batches.',
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
      'The range that contains the mean over all possible seeds with 95 % confidence, estimated from the few seeds that were run; one seed gives no range.',
    source: 'Student 1908',
  },
  {
    word: 'Temperature',
    meaning:
      'How random the sampling is: with 1, tokens are sampled from the policy itself; lower values favour probable tokens.',
    source: 'Ackley et al. 1985',
  },
  { word: 'Tensor', meaning: 'A named array of numbers, such as one matrix of a network.', source: 'PyTorch' },
  {
    word: 'Token',
    meaning:
      'The smallest unit of a text: a digit, a sign or a mark such as the end of a turn; in a joined vocabulary also an operator together with the next digit.',
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
      'A dialogue with all the candidates of its turns: the trunk is the dialogue that was continued to the end; each branch ends with a candidate that was not chosen.',
    source: 'AT-GRPO 2510.11062',
  },
  {
    word: 'Turn',
    meaning:
      'The message of one agent until another agent may speak; the ratio of the new to the old policy can be computed for whole turns.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'UMAD',
    meaning:
      'Two additions for debates: an advantage counts more if the agent was more certain of its tokens, and an answer earns more if the other agents give better answers after reading it.',
    source: 'UMAD 2603.01221',
  },
  {
    word: 'Unequal agents',
    meaning:
      'Agents with separate networks that differ in size or vocabulary; messages are passed between these agents as text.',
    source: 'MARFT 2504.16129',
  },
  {
    word: 'Unheard message',
    meaning:
      'A message that no other agent can read, neither in training nor when accuracy is measured: the other agents see only that something was said; a same-luck fork with this single difference shows what the message contributes.',
    source: 'Cothink',
  },
  {
    word: 'Update',
    meaning: 'One step of the optimiser: a forward and backward pass over a minibatch, then a change of the weights.',
    source: 'Cothink',
  },
  {
    word: 'Verifier',
    meaning:
      'A network that reads an answer with its question and predicts whether the answer is right; it learns from the agents’ own answers.',
    source: 'MAPoRL 2502.18439',
  },
  {
    word: 'Warm start',
    meaning:
      'Weights that were trained on demonstrations, so that the agents can already hold a dialogue, often with the wrong plan; reinforcement learning starts from these weights.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Weights',
    meaning:
      'The numbers in a network, here tens of thousands, that determine its output and that change during learning.',
    source: 'Rosenblatt 1958',
  },
  {
    word: 'Whitening',
    meaning: 'Shifting and scaling advantages to mean 0 and standard deviation 1.',
    source: 'CleanRL',
  },
  {
    word: 'Wilson interval',
    meaning: 'The range that contains the true accuracy with 95 % confidence, given the number of problems.',
    source: 'Wilson 1927',
  },
  {
    word: 'Window',
    meaning: 'The maximum number of tokens that an agent may generate in one turn; a longer turn is cut.',
    source: 'ReMA 2503.09501',
  },
  {
    word: 'Yielding',
    meaning: 'Handling the page’s commands between two steps of work, so that the page can pause a run at any time.',
    source: 'Cothink',
  },
];

const ofLearners = learnerNames.map((name): Term => {
  const { label, meaning, paper } = learnerFacts[name];
  return { word: label, meaning, source: paper };
});

/** All terms in alphabetical order. */
const ofAnalyses = Object.values(
  import.meta.glob<readonly Term[]>('../../extensions/analyses/*/page/terms.ts', { eager: true, import: 'terms' }),
).flat();

export const terms: Term[] = [...common, ...ofLearners, ...ofAnalyses].sort((a, b) =>
  a.word.localeCompare(b.word, 'en'),
);
