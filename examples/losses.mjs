// Advantages and the policy loss of one minibatch, by hand: no network, no tensor library.
//   node examples/losses.mjs
import { groupAdvantage, klEstimate, policyLoss, preferenceLoss, publishedForm } from 'cothink/learners';

// Four dialogues about the same problem; the first and the last were right.
const advantage = groupAdvantage([1, 0, 0, 1], ['a', 'a', 'a', 'a'], { std: true });
console.log('advantages of GRPO:', [...advantage].map((one) => one.toFixed(3)).join(' '));

// Two dialogues of two tokens each. Their tokens became likelier by e^0.3 and e^-0.1 since they were sampled.
const rows = {
  oldLogprobs: [
    [-1.2, -0.7],
    [-0.9, -2.1],
  ],
  logprobs: [
    [-0.9, -0.4],
    [-1.0, -2.2],
  ],
  advantages: [
    [advantage[0], advantage[0]],
    [advantage[1], advantage[1]],
  ],
  actionMask: [
    [1, 1],
    [1, 1],
  ],
  turnIds: [
    [0, 0],
    [0, 0],
  ],
  trajectoryIds: [0, 1],
  agentIds: [0, 0],
};
const options = {
  ratioLevel: 'token',
  turnMean: 'geometric',
  logratioClamp: 20,
  clipLow: 0.2,
  clipHigh: 0.2,
  dualClip: 3,
};
const { loss, ratio, side } = policyLoss(rows, { ...options, aggregation: 'trajectory' });
console.log(
  'ratios:',
  ratio
    .flat()
    .map((one) => one.toFixed(3))
    .join(' '),
);
console.log('clipped:', side.flat().join(' '), ' loss:', loss.toFixed(4));

console.log('KL estimate k3 of a token:', klEstimate(-0.9, -1.2, 'k3').toFixed(4));
console.log('DPO loss of a pair:', preferenceLoss([0.4], { kind: 'sigmoid', beta: 0.1 }).toFixed(4));
console.log('published form of PPO:', JSON.stringify(publishedForm('ppo').settings));
