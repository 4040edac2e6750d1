// The six exercises, from the mean of a group to the ratio of a turn. The expected numbers were calculated by hand, to
// six decimals. The formulas are the same as those that training uses.
import type { Exercise } from './exercise.ts';

const mean = 'rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length';

const groupMean: Exercise = {
  ...{ name: 'groupMean', calls: 'advantages', takes: ['rewards'], source: 'GRPO 2402.03300' },
  worked: [
    { given: [[1, 0, 0, 1]], expected: [0.866024, -0.866024, -0.866024, 0.866024] },
    { given: [[3, 1]], expected: [0.707106, -0.707106] },
    { given: [[0, 0, 0, 1]], expected: [-0.499999, -0.499999, -0.499999, 1.499997] },
    { given: [[0.5, 0.5, 0.5]], expected: [0, 0, 0] },
  ],
  ...grpoBodies(),
};

function grpoBodies(): Pick<Exercise, 'solution' | 'mistakes'> {
  const body = (advantage: string, divisor = 'rewards.length - 1') => `  const mean = ${mean};
  const variance = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / (${divisor});
  return rewards.map((reward) => ${advantage});`;
  return {
    solution: body('(reward - mean) / (Math.sqrt(variance) + 1e-6)'),
    mistakes: {
      biasedStd: body('(reward - mean) / (Math.sqrt(variance) + 1e-6)', 'rewards.length'),
      noStd: body('reward - mean'),
      variance: body('(reward - mean) / (variance + 1e-6)'),
      sign: body('(mean - reward) / (Math.sqrt(variance) + 1e-6)'),
      dividedByZero: body('(reward - mean) / Math.sqrt(variance)'),
    },
  };
}

const leaveOneOut: Exercise = {
  ...{ name: 'leaveOneOut', calls: 'advantages', takes: ['rewards'], source: 'RLOO 2402.14740' },
  worked: [
    { given: [[1, 0, 0, 1]], expected: [0.666667, -0.666667, -0.666667, 0.666667] },
    { given: [[3, 1]], expected: [2, -2] },
    { given: [[1, 0, 0, 0, 0]], expected: [1, -0.25, -0.25, -0.25, -0.25] },
    { given: [[0.5, 0.5, 0.5]], expected: [0, 0, 0] },
  ],
  ...looBodies(),
};

function looBodies(): Pick<Exercise, 'solution' | 'mistakes'> {
  const body = (advantage: string) => `  const total = rewards.reduce((sum, reward) => sum + reward, 0);
  const others = rewards.length - 1;
  return rewards.map((reward) => ${advantage});`;
  return {
    solution: body('reward - (total - reward) / others'),
    mistakes: {
      ownIncluded: body('reward - total / rewards.length'),
      dividedByAll: body('reward - (total - reward) / rewards.length'),
      ownInSum: body('reward - total / others'),
      sign: body('(total - reward) / others - reward'),
      noMean: body('reward - (total - reward)'),
    },
  };
}

const discounting: Exercise = {
  name: 'gae',
  calls: 'advantages',
  takes: ['rewards', 'values', 'gamma', 'lambda'],
  source: 'GAE 1506.02438',
  worked: [
    { given: [[0, 0, 1], [0.2, 0.4, 0.5], 0.99, 0.95], expected: [0.727618, 0.56525, 0.5] },
    { given: [[1, 0, 2], [0.5, 1, 0], 0.5, 0], expected: [1, -1, 2] },
    { given: [[0, 1], [0.5, 0.25], 1, 1], expected: [0.5, 0.75] },
    { given: [[1], [0.3], 0.99, 0.95], expected: [0.7] },
  ],
  ...gaeBodies(),
};

function gaeBodies(): Pick<Exercise, 'solution' | 'mistakes'> {
  const body = ({
    next = 'values[t + 1] ?? 0',
    trace = 'gamma * lambda',
    out = 'toGo',
  }: { next?: string; trace?: string; out?: string } = {}) => `  const out = [];
  let toGo = 0;
  for (let t = rewards.length - 1; t >= 0; t--) {
    const surprise = rewards[t] + gamma * (${next}) - values[t];
    toGo = surprise + ${trace} * toGo;
    out[t] = ${out};
  }
  return out;`;
  return {
    solution: body(),
    mistakes: {
      ownValue: body({ next: 'values[t]' }),
      noLambda: body({ trace: 'gamma' }),
      noGamma: body({ trace: 'lambda' }),
      endHasValue: body({ next: 'values[t + 1] ?? values[t]' }),
      returns: body({ out: 'toGo + values[t]' }),
    },
  };
}

const clip: Exercise = {
  ...{ name: 'clip', calls: 'loss', takes: ['ratio', 'advantage', 'low', 'high'], source: 'PPO 1707.06347' },
  worked: [
    { given: [1.1, 2, 0.2, 0.2], expected: -2.2 },
    { given: [1.5, 1, 0.2, 0.28], expected: -1.28 },
    { given: [0.5, 1, 0.2, 0.2], expected: -0.5 },
    { given: [1.5, -1, 0.2, 0.2], expected: 1.5 },
    { given: [0.5, -1, 0.2, 0.28], expected: 0.8 },
  ],
  ...clipBodies(),
};

function clipBodies(): Pick<Exercise, 'solution' | 'mistakes'> {
  const clipped = (what: string, high = 'high') => `Math.min(Math.max(${what}, 1 - low), 1 + ${high})`;
  const body = (result: string, high?: string) => `  const clipped = ${clipped('ratio', high)};\n  return ${result};`;
  return {
    solution: body('Math.max(-advantage * ratio, -advantage * clipped)'),
    mistakes: {
      wrongSide: body('Math.min(-advantage * ratio, -advantage * clipped)'),
      alwaysClipped: body('-advantage * clipped'),
      sign: body('Math.min(advantage * ratio, advantage * clipped)'),
      oneBound: body('Math.max(-advantage * ratio, -advantage * clipped)', 'low'),
      clipsProduct: `  return -${clipped('ratio * advantage')};`,
    },
  };
}

const kl: Exercise = {
  ...{ name: 'kl', calls: 'kl', takes: ['logprob', 'refLogprob'], source: 'joschu.net/blog/kl-approx, k3' },
  worked: [
    { given: [-1, -1.3], expected: 0.040818 },
    { given: [-2, -1.5], expected: 0.148721 },
    { given: [-1.5, -0.5], expected: 0.718282 },
    { given: [-0.7, -0.7], expected: 0 },
  ],
  solution: '  const d = refLogprob - logprob;\n  return Math.exp(d) - d - 1;',
  mistakes: {
    sign: '  const d = logprob - refLogprob;\n  return Math.exp(d) - d - 1;',
    k1: '  return logprob - refLogprob;',
    squared: '  return (refLogprob - logprob) ** 2 / 2;',
    noOne: '  const d = refLogprob - logprob;\n  return Math.exp(d) - d;',
    absolute: '  return Math.abs(refLogprob - logprob);',
  },
};

const turnRatio: Exercise = {
  ...{ name: 'turnRatio', calls: 'ratios', takes: ['logprobs', 'oldLogprobs', 'turns'], source: 'ReMA 2503.09501' },
  worked: [
    {
      given: [
        [-0.9, -1.05, -0.7, -0.8],
        [-1, -1, -1, -1],
        [0, 1, 1, 1],
      ],
      expected: [1.105171, 1.161834, 1.161834, 1.161834],
    },
    {
      given: [
        [-1.4, -0.9],
        [-1, -1],
        [0, 0],
      ],
      expected: [0.860708, 0.860708],
    },
    {
      given: [
        [-0.5, -0.5, -2],
        [-0.5, -0.7, -1.8],
        [0, 2, 2],
      ],
      expected: [1, 1, 1],
    },
  ],
  ...turnBodies(),
};

function turnBodies(): Pick<Exercise, 'solution' | 'mistakes'> {
  const body = (result: string) => `  const gaps = logprobs.map((logprob, t) => logprob - oldLogprobs[t]);
  const mean = (all) => all.reduce((sum, one) => sum + one, 0) / all.length;
  return gaps.map((gap, t) => {
    const own = gaps.filter((_, other) => turns[other] === turns[t]);
    return ${result};
  });`;
  return {
    solution: body('Math.exp(mean(own))'),
    mistakes: {
      ofTokens: body('Math.exp(gap)'),
      sum: body('Math.exp(mean(own) * own.length)'),
      arithmetic: body('mean(own.map(Math.exp))'),
      wholeDialogue: body('Math.exp(mean(gaps))'),
      inverted: body('Math.exp(-mean(own))'),
    },
  };
}

/** The exercises in the order in which they build on each other. */
export const exercises: readonly Exercise[] = [groupMean, leaveOneOut, discounting, clip, kl, turnRatio];

export const exerciseOf = (name: string): Exercise | undefined => exercises.find((one) => one.name === name);
