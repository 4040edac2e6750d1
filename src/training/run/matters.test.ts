// Tests that a setting which the schema marks as irrelevant has no effect. For each of several small runs (grounds),
// all irrelevant settings that can be changed are changed together. After some iterations, every weight, moment,
// dialogue and metric must be exactly the same. Settings that cannot be changed are refused. For some settings that the
// schema marks as relevant, it is also tested that they have an effect.
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { describeFields, fieldAt, type Field } from '../../config/describe.ts';
import type { SettingValue } from '../../config/field.ts';
import { canMatter } from '../../config/matters.ts';
import { formulaTexts } from '../../config/testing/ownFormulas.ts';
import { answeringPair } from '../../config/testing/ownProtocols.ts';
import { learnerNames, type LearnerName } from '../../config/learners/registry.ts';
import { mostAgents } from '../../config/names.ts';
import { isSameValue, withSetting } from '../../config/parse.ts';
import { type Config, type ConfigInput, valueAt } from '../../config/schema.ts';
import { runIteration, type IterationResult } from './iteration.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microCheckpoint, microConfig, openRun } from '../testing/microRun.ts';

onCpu();

const separate = { parameters: 'separate' } as const;
const debate = { protocol: 'debate', count: 2, roundLimit: 2, reasonWindow: 6 } as const;
const few = { problemsPerIteration: 2, groupSize: 4 } as const;
const mixing = { ...few, teamRewardIterations: 1, mixingSteps: 2, mixingBatch: 4, replaySize: 16 } as const;
const own = { across: 'own', over: 'dense' } as const;
const judged = { isTrained: true, isBalanced: false, steps: 2, batch: 4 } as const;
// Untrained agents are almost never right, so all rewards would be equal. With a verifier, every answer gets a
// different score.
const paid = { ...judged, reward: 0.5 } as const;
const byAgent = { groupKey: 'problem+agent' } as const;

/** The settings that each learner requires. */
const ofLearners: Partial<Record<LearnerName, ConfigInput>> = {
  ippo: { agents: separate, reward: own },
  happo: { agents: separate },
  cory: { agents: separate },
  // SFT imitates only right answers, so the agents must be right sometimes.
  sft: {
    agents: { protocol: 'single' },
    learning: { problemsPerIteration: 4, groupSize: 8 },
    warmStart: { source: 'train', steps: 60, batchSize: 16 },
  },
  vdn: { learning: mixing },
  qmix: { learning: mixing },
};

const grounds: [string, ConfigInput][] = [
  ...learnerNames.map((learner): [string, ConfigInput] => [
    learner,
    { ...ofLearners[learner], learning: { ...few, ...ofLearners[learner]?.learning, learner } },
  ]),
  ['ratios of tokens', { learning: { ...few, ratioLevel: 'token' } }],
  ['PPO over turns', { learning: { ...few, learner: 'ppo', gaeLevel: 'turn' }, reward: { over: 'dense' } }],
  ['a critic of its own', { learning: { ...few, learner: 'ppo', critic: 'network' } }],
  [
    'PPO over turns, critic of its own',
    { learning: { ...few, learner: 'ppo', critic: 'network', gaeLevel: 'turn' }, reward: { over: 'dense' } },
  ],
  ['SimPO', { learning: { ...few, learner: 'dpo', preferenceKind: 'simpo' } }],
  ['KL in the loss', { learning: few, kl: { place: 'loss' } }],
  ['KL in the reward', { learning: few, kl: { place: 'reward' } }],
  ['an adaptive KL weight', { learning: few, kl: { place: 'reward', isAdaptive: true, coef: 0.5, horizon: 10 } }],
  ['resampling', { learning: { ...few, filterGroups: true } }],
  ['agents that alternate', { agents: separate, learning: { ...few, switchEvery: 1 } }],
  ['adapters', { agents: { parameters: 'lora' }, learning: few }],
  ['unequal agents', { agents: { parameters: 'heterogeneous' }, learning: few }],
  ['one agent', { agents: { protocol: 'single' }, learning: few }],
  ['a vote', { agents: { protocol: 'vote' }, learning: few }],
  ['a pioneer', { agents: { protocol: 'pioneerObserver' }, learning: few }],
  [
    'a summary',
    { agents: { protocol: 'summary', roundLimit: 2, reasonWindow: 6 }, learning: few, reward: { over: 'dense' } },
  ],
  ['a debate in turn', { agents: { protocol: 'inTurn', roundLimit: 2, reasonWindow: 6 }, learning: few }],
  ['a protocol of one’s own', { agents: { protocol: 'own', own: answeringPair, reasonWindow: 6 }, learning: few }],
  ['a debate', { agents: debate, learning: { ...few, ...byAgent }, reward: own }],
  [
    'influence',
    { agents: debate, learning: { ...few, ...byAgent }, reward: { ...own, influence: 'discounted' }, verifier: paid },
  ],
  [
    'influence of the round',
    { agents: debate, learning: { ...few, ...byAgent }, reward: { ...own, influence: 'current' }, verifier: paid },
  ],
  ['a verifier', { agents: { ...debate, feedback: true, consensus: 1 }, learning: few, verifier: judged }],
  ['accumulated rewards', { learning: few, reward: { over: 'accumulated' } }],
  ['demonstrations', { learning: { ...few, learner: 'sft', imitate: 'demonstrations' } }],
  ['a warm start', { learning: few, warmStart: { source: 'train', steps: 3, batchSize: 4 } }],
  [
    'an unheard planner',
    { learning: few, agents: { unheard: 'first' }, warmStart: { source: 'train', steps: 3, batchSize: 4 } },
  ],
];

/** Converts typed arrays to text without losing a bit. */
const bits = (_: string, value: unknown) =>
  ArrayBuffer.isView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') : value;

interface Outcome {
  /** All weights and moments after each iteration. */
  weights: string[];
  /** All messages and metrics, except for measured times. */
  told: string;
  /** Whether each network has changed. */
  isLearned: boolean;
}

/**
 * The outcome of two iterations. If the outcome of the first iteration already differs from `other`, the second
 * iteration is not run.
 */
async function outcome(config: Config, other?: Outcome): Promise<Outcome> {
  const start = await microCheckpoint(config);
  const { session } = openRun(start);
  const results: IterationResult[] = [];
  const weights: string[] = [];
  const text = (value: unknown) => JSON.stringify(value, bits);
  let isLearned = false;
  while (weights.length < 2 && (!other || weights.every((after, i) => after === other.weights[i]))) {
    results.push(await runIteration(session.trainState, weights.length, async () => {}));
    const { networks, critics, mixing, base, reference, verifier } = await session.checkpoint();
    weights.push(text({ networks, critics, mixing, base, reference, verifier }));
    isLearned = networks.every((network, n) => text(network.weights) !== text(start.networks[n]?.weights));
  }
  await session.dispose();
  const told = results.map(({ metrics: { values, reliability }, trajectories, sampledTokens }) => ({
    ...{ reliability, trajectories, sampledTokens },
    values: Object.entries(values).filter(([name]) => !name.startsWith('time/') && name !== 'charts/SPS'),
  }));
  return { weights, told: text(told), isLearned };
}

/** Other values of a field, beginning with the values that differ most from the current value. */
function otherValues(field: Field, config: Config): SettingValue[] {
  const now = valueAt(config, field.path);
  const all: SettingValue[] =
    field.kind === 'flag'
      ? [true, false]
      : field.kind === 'choice'
        ? [...field.names]
        : field.kind === 'agentSet'
          ? Array.from({ length: mostAgents }, (_, agent) => [agent])
          : field.kind === 'protocol'
            ? [answeringPair]
            : field.kind === 'weights'
              ? [{ hint: 1 }]
              : field.kind === 'texts'
                ? [{ ask: 'Answer.' }]
                : field.kind === 'formula'
                  ? [...formulaTexts]
                  : field.kind === 'places'
                    ? [[{ name: config.world.name, level: 2, weight: 1 }]]
                    : [field.max, field.min];
  return all.filter((value) => !isSameValue(value, now));
}

/** Settings in which one field has another value; null if every other value is refused. */
function changed(config: Config, field: Field): Config | null {
  for (const value of otherValues(field, config)) {
    try {
      return withSetting(config, field.path, value);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
    }
  }
  return null;
}

const noted = describeFields().filter(({ matters }) => matters);
const outcomes = new Map<string, Promise<Outcome>>();
const outcomeOf = (name: string, config: Config) => {
  const known = outcomes.get(name) ?? outcome(config);
  outcomes.set(name, known);
  return known;
};

describe.each(grounds)('%s', (name, settings) => {
  const config = microConfig(settings);
  const idle = noted.filter((field) => !canMatter(field, config));

  it('leaves without effect, or refuses, all that cannot matter there', async () => {
    const before = await outcomeOf(name, config);
    expect(before.isLearned).toBe(true);
    const isSame = async (other: Config) => {
      const { weights, told } = await outcome(other, before);
      return weights.join() === before.weights.join() && told === before.told;
    };
    const loose = idle.filter((field) => changed(config, field) !== null);
    expect(loose.length).toBeGreaterThan(10);
    const all = loose.reduce((sofar, field) => {
      const other = changed(sofar, field);
      expect(other, `${field.path} together with the others`).not.toBeNull();
      return other ?? sofar;
    }, config);
    if (await isSame(all)) return;
    const guilty: string[] = [];
    for (const field of loose) {
      const other = changed(config, field);
      if (other && !(await isSame(other))) guilty.push(field.path);
    }
    expect(guilty).toEqual([]);
  });
});

/**
 * Settings that have an effect, each with a run (ground) and a value of the setting that change the result of the run.
 */
const witnesses: [string, string, SettingValue][] = [
  ['learning.turnMean', 'grpo', 'arithmetic'],
  ['learning.clipHigh', 'grpo', 0],
  ['learning.groupKey', 'accumulated rewards', 'problem+agent+turn'],
  ['learning.groupStd', 'cory', false],
  ['learning.gamma', 'reinforcePlusPlus', 0.9],
  ['learning.gaeLambda', 'ppo', 0.5],
  ['learning.vfCoef', 'ippo', 0],
  ['learning.valueClip', 'ppo', 0],
  ['learning.lambdaTurn', 'PPO over turns', 0.5],
  ['reward.gammaTurn', 'PPO over turns', 0.5],
  ['reward.gammaTurn', 'PPO over turns, critic of its own', 0.5],
  ['optimiser.criticRate', 'mappo', 1e-2],
  ['learning.criticSteps', 'mappo', 2],
  ['learning.criticBatch', 'happo', 4],
  ['learning.criticMemory', 'mappo', 8],
  ['learning.critic', 'ppo', 'network'],
  ['optimiser.criticRate', 'a critic of its own', 1e-2],
  ['learning.criticSteps', 'a critic of its own', 2],
  ['learning.gaeLambda', 'a critic of its own', 0.5],
  ['learning.lambdaTurn', 'happo', 0.5],
  ['learning.preferenceBeta', 'dpo', 1],
  ['learning.preferenceSmoothing', 'dpo', 0.2],
  ['learning.preferenceMargin', 'SimPO', 0.2],
  ['learning.mixingRate', 'vdn', 1e-2],
  ['learning.groupStd', 'vdn', false],
  ['learning.mixerHidden', 'qmix', 8],
  ['kl.estimator', 'KL in the loss', 'mse'],
  ['kl.coef', 'KL in the reward', 0.5],
  ['kl.horizon', 'an adaptive KL weight', 1000],
  ['learning.maxGenBatches', 'resampling', 1],
  ['learning.startAgent', 'agents that alternate', 1],
  ['agents.loraRank', 'adapters', 4],
  ['agents.otherVocabulary', 'unequal agents', 'joined'],
  ['agents.maskPeers', 'a debate', 1],
  ['agents.unheard', 'a debate', 'all'],
  ['agents.shuffled', 'a debate', 'all'],
  ['agents.roundLimit', 'a summary', 1],
  ['agents.informed', 'a pioneer', 'nobody'],
  ['agents.count', 'a vote', 2],
  ['reward.influenceGamma', 'influence', 1],
  ['reward.influenceShare', 'influence', 'own'],
  ['verifier.batch', 'a verifier', 8],
  ['verifier.decides', 'influence', true],
  ['agents.finishEnds', 'accumulated rewards', 'afterReply'],
  ['warmStart.goodPlans', 'a warm start', 1],
  ['warmStart.goodPlans', 'demonstrations', 1],
  ['warmStart.unheard', 'an unheard planner', true],
  ['learning.imitate', 'sft', 'demonstrations'],
];

it.each(witnesses)('%s changes what is learned in %s', async (path, name, value) => {
  const config = microConfig(Object.fromEntries(grounds)[name]);
  expect(canMatter(fieldAt(path) as Field, config)).toBe(true);
  const before = await outcomeOf(name, config);
  const after = await outcome(withSetting(config, path, value), before);
  expect(after.weights).not.toEqual(before.weights);
});
