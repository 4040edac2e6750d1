// Tests properties that every run must have, whatever its learner: only the networks that should learn change, no
// tensors are leaked, the first ratios are 1, two runs with the same seed are equal, and a resumed run reaches the same
// state as an uninterrupted one.
import { isDeepStrictEqual } from 'node:util';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { Checkpoint, NetworkState } from '../../records/stored/checkpoint.ts';
import { onCpu } from '../testing/onCpu.ts';
import { heldTensors, startRun, type MicroRun } from '../testing/microRun.ts';
import { expectResumed } from '../testing/resumedRun.ts';

onCpu();

const separate = { parameters: 'separate' } as const;
const pair = { ...separate, protocol: 'pioneerObserver' } as const;
const three = { protocol: 'debate', count: 3 } as const;
const lora = { parameters: 'lora', loraRank: 4 } as const;
const unequal = { parameters: 'heterogeneous', otherVocabulary: 'joined' } as const;
const unequalDebate = { ...unequal, protocol: 'debate', count: 2, roundLimit: 2 } as const;
const debate = { protocol: 'debate', count: 2, roundLimit: 2, reasonWindow: 6 } as const;
const mixing = { teamRewardIterations: 1, mixingSteps: 2, mixingBatch: 8, replaySize: 40 } as const;
const own = { across: 'own', over: 'dense' } as const;
const dense = { over: 'dense' } as const;
/** Settings of all these runs. Six dialogues per iteration are enough for the tests. */
const few = { problemsPerIteration: 2, groupSize: 3 } as const;
const begin = (settings: ConfigInput) => startRun({ ...settings, learning: { ...few, ...settings.learning } });
const byAgent = { ...few, groupKey: 'problem+agent' } as const;
const byTurn = { groupKey: 'problem+agent+turn', problemsPerIteration: 2 } as const;
const bonuses = { influenceAlpha0: 0.1, influenceAlpha1: 0.1, influenceBeta0: 0.1, influenceBeta1: 0.1 } as const;
// Untrained agents are almost never right, so a verifier's balanced sample, which has equal numbers of right and wrong
// answers, would be empty.
const verifier = { isTrained: true, isBalanced: false, steps: 2, batch: 8, memory: 2, reward: 0.5 } as const;
const ownCritic = { critic: 'network', criticSteps: 2, criticBatch: 4, criticMemory: 40 } as const;
const alternate = [[0], [1], [0], [1]];

/** The runs, each with the networks that learn in each iteration. If no networks are listed, all networks learn. */
const runs: [string, ConfigInput, number[][]?][] = [
  ['grpo', {}],
  ['rloo', { learning: { learner: 'rloo' } }],
  ['opo', { learning: { learner: 'opo' } }],
  ['passAtKGradient', { learning: { learner: 'passAtKGradient' } }],
  ['reinforcePlusPlus', { learning: { learner: 'reinforcePlusPlus' } }],
  ['ppo', { learning: { learner: 'ppo' } }],
  ['ppo with a critic of its own', { learning: { learner: 'ppo', ...ownCritic } }],
  ['KL in the loss', { kl: { place: 'loss', coef: 0.01 } }],
  ['an adaptive KL weight', { kl: { place: 'reward', isAdaptive: true, horizon: 100, target: 0.001 } }],
  ['groups drawn again', { learning: { filterGroups: true } }],
  ['an early stop', { kl: { targetKl: 1e-6 } }],
  ['a learning rate that still rises', { optimiser: { learningRate: 3e-3, warmupUpdates: 20 } }],
  ['a learning rate that falls', { optimiser: { schedule: 'cosine' }, run: { iterations: 4 } }],
  ['a bonus of living groups', { learning: { livingEntropy: true, ...few } }],
  ['Muon', { optimiser: { method: 'muon' } }],
  ['Muon of adapters', { agents: lora, optimiser: { method: 'muon', weightDecay: 0.1 } }],
  ['Muon and a joint critic', { learning: { learner: 'mappo' }, optimiser: { method: 'muon' } }],
  ['a reference that is renewed', { agents: separate, kl: { refreshEvery: 2, place: 'loss', coef: 0.01 } }],
  ['one agent', { agents: { protocol: 'single' } }],
  ['another temperature', { agents: { temperature: 0.8 }, learning: { ratioLevel: 'token', aggregation: 'token' } }],
  ['ratios by trajectory', { agents: separate, learning: { ratioLevel: 'trajectory', aggregation: 'trajectory' } }],
  ['two networks', { agents: separate }],
  [
    'two networks that alternate',
    { agents: separate, learning: { switchEvery: 2, startAgent: 1 } },
    [[1], [1], [0], [0]],
  ],
  ['ippo', { agents: separate, learning: { learner: 'ippo' }, reward: own, kl: { place: 'reward' } }],
  [
    'ippo in a debate of three',
    {
      agents: { ...separate, ...three },
      learning: { learner: 'ippo' },
      reward: { across: 'own' },
      kl: { place: 'reward' },
    },
  ],
  [
    'ippo, three that alternate',
    { agents: { ...separate, ...three }, learning: { learner: 'ippo', switchEvery: 1 }, reward: own },
    [[0], [1], [2], [0]],
  ],
  [
    'ippo with critics of their own, two that alternate',
    {
      agents: separate,
      learning: { learner: 'ippo', switchEvery: 1, gaeLevel: 'turn', ...ownCritic },
      reward: own,
      kl: { place: 'reward' },
    },
    alternate,
  ],
  ['cory', { agents: { ...pair, swapEvery: 2 }, learning: { learner: 'cory' }, kl: { place: 'reward' } }],
  ['cory without exchange', { agents: pair, learning: { learner: 'cory' } }],
  [
    'seats that are exchanged while one agent learns',
    { agents: { ...pair, swapEvery: 1 }, learning: { switchEvery: 100 } },
    alternate,
  ],
  ['mappo', { learning: { learner: 'mappo' }, reward: dense }],
  ['mappo with two networks', { agents: separate, learning: { learner: 'mappo' }, kl: { place: 'reward' } }],
  ['mappo, two that alternate', { agents: separate, learning: { learner: 'mappo', switchEvery: 1 } }, alternate],
  ['mappo in a debate of three', { agents: { ...separate, ...three }, learning: { learner: 'mappo' } }],
  ['happo', { agents: separate, learning: { learner: 'happo', normAdv: true }, reward: dense }],
  ['happo in a debate of three', { agents: { ...separate, ...three }, learning: { learner: 'happo' } }],
  [
    'happo in a debate of three, one frozen',
    { agents: { ...separate, ...three }, learning: { learner: 'happo', frozen: [2] } },
    [
      [0, 1],
      [0, 1],
      [0, 1],
      [0, 1],
    ],
  ],
  ['happo with an exchange of roles', { agents: { ...separate, swapEvery: 1 }, learning: { learner: 'happo' } }],
  ['vdn', { learning: { learner: 'vdn', ...mixing } }],
  ['qmix with two networks', { agents: separate, learning: { learner: 'qmix', ...mixing }, reward: dense }],
  ['qmix in a debate of three', { agents: three, learning: { learner: 'qmix', ...mixing } }],
  ['dpo', { learning: { learner: 'dpo' } }],
  [
    'dpo, two that alternate',
    { agents: separate, learning: { learner: 'dpo', switchEvery: 8, startAgent: 1 } },
    [[1], [1], [1], [1]],
  ],
  ['sft on demonstrations', { learning: { learner: 'sft', imitate: 'demonstrations', ...few }, kl: { place: 'off' } }],
  [
    'pairs of demonstrations and the team’s own dialogues',
    { learning: { learner: 'dpo', pairsFrom: 'demonstrations', ...few }, kl: { refreshEvery: 1 } },
  ],
  ['adapters', { agents: lora }],
  ['adapters that alternate', { agents: lora, learning: { switchEvery: 1 } }, alternate],
  ['one adapter', { agents: { ...lora, protocol: 'single' } }],
  [
    'adapters and ppo at token level',
    { agents: lora, learning: { learner: 'ppo', ratioLevel: 'token', aggregation: 'token' }, kl: { place: 'loss' } },
  ],
  ['adapters and mappo', { agents: lora, learning: { learner: 'mappo' }, reward: dense }],
  [
    'adapters by turn and ppo with critics',
    { agents: { ...lora, adapterPer: 'turn' }, learning: { learner: 'ppo', ...few, ...ownCritic } },
    [],
  ],
  [
    'adapters and happo with an exchange of roles',
    { agents: { ...lora, swapEvery: 1 }, learning: { learner: 'happo' } },
  ],
  ['two vocabularies and grpo', { agents: unequal }],
  [
    'two vocabularies and sft, while nothing is right',
    { agents: unequal, learning: { learner: 'sft' } },
    [[], [], [], []],
  ],
  ['two vocabularies and ppo', { agents: unequal, learning: { learner: 'ppo', problemsPerIteration: 2 } }],
  ['two vocabularies, one agent frozen', { agents: unequal, learning: { frozen: [1] } }, [[0], [0], [0], [0]]],
  ['two vocabularies and ppo with critics', { agents: unequal, learning: { learner: 'ppo', ...few, ...ownCritic } }],
  ['two vocabularies and mappo', { agents: unequal, learning: { learner: 'mappo' } }],
  [
    'two sizes, two vocabularies and mappo, where the leader alone sees the rule',
    {
      agents: { ...unequal, otherSize: 'tiny', protocol: 'summary', informed: 'last' },
      learning: { ...few, learner: 'mappo' },
    },
  ],
  ['two vocabularies and dpo', { agents: unequal, learning: { learner: 'dpo' } }],
  ['two vocabularies and qmix', { agents: unequal, learning: { learner: 'qmix', ...mixing } }],
  ['two vocabularies and candidates', { agents: { ...unequalDebate, candidates: 2 }, learning: byTurn, reward: own }],
  ['two vocabularies and a verifier', { agents: unequalDebate, verifier }],
  ['two vocabularies and pay for influence', { agents: unequalDebate, reward: { causal: 0.1, ...dense } }],
  [
    'influence-aware rewards',
    { agents: debate, reward: { ...own, influence: 'discounted', ...bonuses }, learning: byAgent },
  ],
  [
    'both gains of UMAD',
    { agents: debate, reward: { ...own, umadConfidence: 0.25, umadInfluence: 0.2 }, learning: byAgent },
  ],
  ['paid causal influence', { agents: separate, reward: { ...dense, causal: 0.3 }, learning: few }],
  ['trees', { agents: { candidates: 3, roundLimit: 2 }, learning: byTurn, reward: own }],
  ['a verifier', { agents: { protocol: 'debate', count: 2 }, verifier, learning: { problemsPerIteration: 2 } }],
];

/**
 * Runs whose dialogues always have the same rounds and rows, so that their decoding caches always need the same memory.
 */
const keepsRooms = new Set(['grpo', 'rloo', 'reinforcePlusPlus', 'ppo', 'KL in the loss', 'one agent', 'two networks']);

// The comparison is exact. If the values differ, the differences are not reported, because creating such a report would
// take too long.
const isSame = isDeepStrictEqual;

function expectMoved(
  now: NetworkState | undefined,
  before: NetworkState | undefined,
  part: 'weights' | 'critic',
): void {
  expect(now?.weights.length).toBeGreaterThan(0);
  now?.[part].forEach(({ name, values }, i) => expect(isSame(values, before?.[part][i]?.values), name).toBe(false));
}
const metricsOf = ({ store }: MicroRun) => store.iterations.map(({ metrics }) => metrics.values);

describe.each(runs)('a run with %s', (name, settings, learn) => {
  it('moves whoever learns and nobody else, keeps its number of tensors, and resumed stands where it stood', async () => {
    const whole = await begin(settings);
    const states = [await whole.session.checkpoint()];
    const tensors: number[] = [];
    // Two iterations are enough, except where networks alternate or the reference is renewed.
    const iterations = learn || settings.kl?.refreshEvery ? 4 : 2;
    for (let i = 0; i < iterations; i++) {
      await whole.session.train(1);
      states.push(await whole.session.checkpoint());
      tensors.push(keepsRooms.has(name) ? tf.memory().numTensors : heldTensors(whole));
    }
    expect(new Set(tensors.slice(settings.kl?.refreshEvery ?? 0)).size).toBe(1);
    const [start, end] = [states[0], states.at(-1)] as [Checkpoint, Checkpoint];
    learn?.forEach((learners, i) =>
      states[i + 1]?.networks.forEach((now, n) => {
        const before = states[i]?.networks[n];
        if (learners.includes(n)) expectMoved(now, before, 'weights');
        else expect(isSame(now, before), `network ${n} in iteration ${i}`).toBe(true);
      }),
    );
    for (const part of learn ? [] : (['weights', 'critic'] as const))
      end.networks.forEach((network, n) => expectMoved(network, start.networks[n], part));
    expect(end.networks).toHaveLength(start.networks.length);
    expect(end.critics?.length).toBe(start.critics?.length);
    end.critics?.forEach((critic, i) => expectMoved(critic, start.critics?.[i], 'weights'));
    expect(isSame(end.base, start.base)).toBe(true);
    if (!settings.kl?.refreshEvery) expect(isSame(end.reference, start.reference)).toBe(true);
    expect(
      metricsOf(whole)
        .flatMap((values) => Object.values(values))
        .every(Number.isFinite),
    ).toBe(true);
    await expectResumed(whole);
    expect(end.sampledTokens).toBeGreaterThan(50);
  });

  it('has the ratio 1 where every sample is learned from once', async () => {
    const run = await begin({ ...settings, learning: { ...settings.learning, updateEpochs: 1, numMinibatches: 1 } });
    // Two iterations are trained, so that the dialogues of the second iteration are sampled with changed weights.
    await run.session.train(2);
    for (const values of metricsOf(run)) {
      expect(values['losses/approx_kl'] ?? 0).toBeLessThan(1e-6);
      expect(values['losses/clipfrac'] ?? 0).toBe(0);
    }
    if (settings.learning?.learner === 'dpo')
      expect(metricsOf(run)[0]?.['losses/policy_loss']).toBeCloseTo(Math.log(2), 4);
  });
});
