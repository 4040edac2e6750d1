// Tests every learner with every kind of credit. If a combination is refused, its settings are changed as the refusal
// suggests, and the changed settings must not be refused. Then one iteration is trained, in which every number must be
// finite. The combinations are drawn from a seed.
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { learnerNames, type LearnerName } from '../../config/learners/registry.ts';
import { oneClick } from '../../config/refusals/oneClick.ts';
import { parseConfig, parseShape, withSettings } from '../../config/parse.ts';
import type { Config } from '../../config/schema.ts';
import { runIteration } from '../run/iteration.ts';
import { disposeTrainState, restoreTrainState } from '../run/trainState.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microCheckpoint, microConfig, openGate } from '../testing/microRun.ts';

onCpu();

type Draft = Record<string, Record<string, unknown>>;

/**
 * Merges drafts of settings. If several drafts contain the same setting, the value in the last of these drafts is used.
 */
function merged(...parts: readonly Draft[]): Draft {
  const out: Draft = {};
  for (const part of parts)
    for (const [section, fields] of Object.entries(part)) out[section] = { ...out[section], ...fields };
  return out;
}

/** Returns the settings, and whether they were refused. Refused settings are returned with the suggested changes. */
function followed(given: Draft): { config: Config; isRefused: boolean } {
  const wanted = parseShape(given);
  const settings = oneClick(wanted) ?? {};
  return { config: parseConfig(withSettings(wanted, settings)), isRefused: Object.keys(settings).length > 0 };
}

/** The kinds of credit, each with the settings that turn it on. */
const ways: [string, Draft][] = [
  ['influence of the last round', { reward: { influence: 'last', influenceShare: 'own' } }],
  ['influence of the current round', { reward: { influence: 'current' } }],
  ['discounted influence', { reward: { influence: 'discounted' } }],
  [
    'bonuses for changed minds',
    {
      reward: {
        influence: 'discounted',
        influenceAlpha0: 0.1,
        influenceAlpha1: 0.2,
        influenceBeta0: 0.3,
        influenceBeta1: 0.4,
      },
    },
  ],
  ['gain of confidence', { reward: { umadConfidence: 0.25 } }],
  ['bonus for others', { reward: { umadInfluence: 0.2 } }],
  ['causal influence', { reward: { causal: 0.3 } }],
  ['hints', { reward: { shaping: 0.5 } }],
  ['a verifier that is paid', { verifier: { isTrained: true, reward: 0.5 } }],
  ['steps apart from outcomes', { learning: { outcomeShare: 0.8 } }],
];

const frames: Draft[] = [
  {},
  { agents: { protocol: 'debate', count: 2 } },
  { agents: { protocol: 'debate', count: 3, roundLimit: 2 } },
  { agents: { protocol: 'summary', count: 3, roundLimit: 2 } },
  { agents: { protocol: 'vote', count: 2 } },
  { agents: { protocol: 'pioneerObserver' } },
  { agents: { protocol: 'single' } },
];

/** All settings of a run except its learner and its kind of credit. */
function drawFrame(draws: Draws): Draft {
  return merged(draws.pick(frames), {
    agents: { parameters: draws.pick(['shared', 'separate']) },
    reward: {
      across: draws.pick(['sum', 'own', 'mean']),
      over: draws.pick(['sparse', 'dense', 'accumulated']),
      gammaTurn: draws.pick([1, 1, 0.9]),
    },
    learning: { groupKey: draws.pick(['problem', 'problem+agent', 'problem+agent+turn']) },
  });
}

const tiny: Draft = {
  learning: { problemsPerIteration: 2, groupSize: 2, updateEpochs: 1, numMinibatches: 1, mixingSteps: 2 },
  agents: { size: 'micro', reasonWindow: 4, metaWindow: 4, stopWhenTruncated: false, maskUnfinished: false },
  warmStart: { source: 'none' },
};

/** Runs one iteration and returns every number that it reports. */
async function oneIteration(given: Config): Promise<[string, number][]> {
  const config = microConfig(given);
  const checkpoint = await microCheckpoint(config);
  const learning = restoreTrainState(checkpoint, openGate());
  try {
    const { metrics, trajectories, shown } = await runIteration(learning, 0, () => Promise.resolve());
    const ofTurns = trajectories.flatMap(({ turns, reward }) => [reward, ...turns.map((turn) => turn.reward)]);
    const advantages = shown.rollouts.flatMap(({ turns }) => turns.flatMap(({ advantage }) => advantage));
    return [
      ...Object.entries(metrics.values),
      ...ofTurns.map((r): [string, number] => ['reward', r]),
      ...advantages.map((a): [string, number] => ['advantage', a]),
    ];
  } finally {
    disposeTrainState(learning);
  }
}

describe('learners and ways of credit', () => {
  it('is refused by name, or what refusals ask for is not: 600 draws', () => {
    const draws = new Draws(1, streams.control, 65);
    const tally = { refused: 0, taken: 0 };
    for (let i = 0; i < 600; i++) {
      const learner = draws.pick(learnerNames);
      const [, first] = draws.pick(ways);
      const [, second] = draws.pick(ways);
      const { isRefused } = followed(merged(drawFrame(draws), first, second, { learning: { learner } }));
      tally[isRefused ? 'refused' : 'taken']++;
    }
    expect(tally.taken).toBeGreaterThan(10);
    expect(tally.refused).toBeGreaterThan(300);
  });

  // Each learner is tested with every third kind of credit. The other settings are drawn for each combination.
  it.each(learnerNames.map((learner, l) => [learner, l] as [LearnerName, number]))(
    '%s runs with what is not refused: finite numbers, and nothing left behind',
    async (learner, l) => {
      const draws = new Draws(l, streams.control, 66);
      const chosen = ways.filter((_, w) => (w + l) % 3 === 0);
      // With these rewards no group is dead, so all networks are updated, which creates constants that stay.
      const unequal: Draft = { reward: { causal: 0.3, over: 'dense' } };
      await oneIteration(followed(merged(tiny, unequal, { learning: { learner } })).config);
      const tensors = tf.memory().numTensors;
      for (const [name, way] of chosen) {
        const given = merged(drawFrame(draws), way, tiny, { learning: { ...drawFrame(draws)['learning'], learner } });
        const { config } = followed(merged(given, { learning: tiny['learning'] as Record<string, unknown> }));
        const numbers = await oneIteration(config);
        expect(numbers.length).toBeGreaterThan(20);
        for (const [what, x] of numbers) expect(Number.isFinite(x), `${name}: ${what} is ${x}`).toBe(true);
        expect(tf.memory().numTensors, name).toBe(tensors);
      }
    },
  );
});
