// Tests of all fields that were added to records in later versions. A record without such a field can still be read. If
// such a field is damaged, reading the record throws an error with the name of the field, and the stored record stays
// unchanged.
import { sampleProblem } from '../records/testing/arbitrary.ts';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../base/errors.ts';
import { parseConfig, withSetting } from '../config/parse.ts';
import { presetConfig } from '../config/presets.ts';
import { agentId } from '../records/ids.ts';
import type { GroupInspection, TurnInspection } from '../records/inspection.ts';
import type { Trajectory, Turn } from '../records/trajectory.ts';
import { packTrajectories, unpackTrajectories } from './pack.ts';
import { array, checkpoint, iteration, run } from './testing/sampleRecords.ts';
import { asCheckpoint, asMetrics, asRun, asShown, asTrajectories } from './validate.ts';
import { emptyDatabase } from './testing/emptyDatabase.ts';

emptyDatabase();

const turn: Turn = {
  ...{ index: 0, round: 0, agent: agentId(0), role: 'metaThinking', tokens: [4], logprobs: [-0.5], text: '4' },
  ...{ isTruncated: false, isFinish: false, reason: [], reward: 0 },
  parts: { rightAnswer: 0, legalOperation: 0, rewrite: 0, finished: 0 },
};
const trajectory: Trajectory = {
  ...{ index: 3, group: 0, prompts: [[1]], turns: [turn], finishCode: 0, answer: null, isRight: false, reward: 0 },
  problem: sampleProblem,
};
const inspected: TurnInspection = {
  ...{ tokens: ['4'], p: [0.5], pBefore: [0.4], tokenRatio: [1.25], ratio: [1.25], advantage: [1], kl: [] },
  ...{ entropy: [0.1], won: [0], value: [], alternatives: [[]], terms: { reward: [1], groupMean: [Number.NaN] } },
};
const formula: GroupInspection['formula'] = {
  learner: 'grpo',
  lines: [{ title: 'Advantage', left: 'advantage', right: [{ term: 'reward' }, ' − ', { term: 'groupMean' }] }],
  constants: { dual: 3 },
};
const shown: GroupInspection = {
  ...{ iteration: 2, group: 0, isDead: false, meanReward: 0, formula },
  rollouts: [{ trajectory: { ...trajectory, branch: { tree: 1, from: 0 } }, turns: [inspected], promptTexts: [] }],
};
const [network] = checkpoint(1).networks;
const replay = { stored: 0, facts: Uint16Array.of(), rewards: Float64Array.of() };

const withTurn = (changes: object) => ({ ...trajectory, turns: [{ ...turn, ...changes }] });
const read = {
  checkpoint: (changes: object) => asCheckpoint({ ...checkpoint(2), ...changes }, 'it'),
  run: (changes: object) => asRun({ ...run(), ...changes }, 'it'),
  metrics: (changes: object) => asMetrics({ ...iteration(1).metrics, ...changes }, 'it'),
  trajectory: (changes: object) => asTrajectories([{ ...trajectory, ...changes }], 'it')[0],
  turn: (changes: object) => asTrajectories([withTurn(changes)], 'it')[0]?.turns[0],
  shown: (changes: object) => asShown({ group: { ...shown, ...changes } }, 'it'),
};

const damages: [kind: keyof typeof read, field: string, values: unknown[]][] = [
  ['checkpoint', 'base', [null, 7, [null], [{ ...array('a', 1), shape: [2] }], [{ ...array('a', 1), values: [1] }]]],
  [
    'checkpoint',
    'mixing',
    [null, 'x', { critic: network, target: [], replay: null }, { critic: null, target: [], replay }],
  ],
  [
    'checkpoint',
    'verifier',
    [null, [], { network }, { network: { ...network, v: [] }, answers: [] }, { network, answers: [{}] }],
  ],
  [
    'checkpoint',
    'pairs',
    [null, {}, [null], [{ prompt: 'p', chosen: 'c' }], [{ prompt: 'p', chosen: 'c', rejected: 4 }]],
  ],
  ['run', 'forkedFrom', [null, 'run-0', { id: 'run-0', name: 'calm-otter', iteration: 0.5 }]],
  ['metrics', 'reliability', [null, { bins: [], oneSided: 0 }, { bins: [{ count: '1' }], oneSided: 0, questions: 0 }]],
  ['trajectory', 'branch', [null, 'x', {}, { tree: 0, from: -1 }, { tree: 0.5, from: 0 }]],
  ['turn', 'belief', [null, '0.5', []]],
  ['turn', 'influence', [null, 'much', {}]],
  [
    'shown',
    'formula',
    [null, {}, { ...formula, learner: 'magic' }, { ...formula, lines: [{ title: 'A', left: 'wonder', right: [] }] }],
  ],
];

describe('a damaged field that came later', () => {
  it.each(damages)('of a stored %s is named: %s', (kind, field, values) => {
    for (const value of values) {
      const reads = () => read[kind]({ [field]: value });
      expect(reads, JSON.stringify(value)).toThrow(StorageError);
      expect(reads).toThrow(new RegExp(`^it: ((0|group)\\.)?(turns\\.0\\.)?${field}\\b`));
    }
  });

  it('is missed where the settings need it, and only there', () => {
    const config = presetConfig('default');
    const needing = [
      ['base', withSetting(config, 'agents.parameters', 'lora')],
      ['mixing', withSetting(config, 'learning.learner', 'qmix')],
      ['verifier', parseConfig({ agents: { protocol: 'single' }, verifier: { isTrained: true } })],
    ] as const;
    for (const [field, settings] of needing) {
      expect(() => read.checkpoint({ config: settings })).toThrow(
        `it: ${field}: a value is required with these settings`,
      );
    }
    expect(() => read.checkpoint({ reference: [] })).toThrow('it: reference: a value is required with these settings');
    const old = asCheckpoint(checkpoint(2), 'it');
    expect(Object.keys(old)).toEqual(Object.keys(checkpoint(2)));
  });
});

describe('what is shown of a group', () => {
  it('comes back with its formula, the terms of each token and its branch', () => {
    expect(asShown({ group: structuredClone(shown) }, 'it')).toEqual(shown);
    const { formula: _, ...before } = shown;
    expect(asShown({ group: before }, 'it')).not.toHaveProperty('formula');
  });

  it('is refused where a term is unknown or no list of numbers', () => {
    const withTerms = (terms: object) => ({ rollouts: [{ ...shown.rollouts[0], turns: [{ ...inspected, terms }] }] });
    expect(() => read.shown(withTerms({ wonder: [1] }))).toThrow(StorageError);
    expect(() => read.shown(withTerms({ reward: 1 }))).toThrow(/^it: group\.rollouts\.0\.turns\.0\.terms\.reward/);
  });
});

it('a packed measurement that is no number comes back as such', () => {
  const measured = withTurn({ influence: Number.NaN, belief: 0.25 });
  const unpacked = asTrajectories(unpackTrajectories(packTrajectories([measured])), 'it');
  expect(unpacked[0]?.turns[0]).toMatchObject({ influence: Number.NaN, belief: 0.25 });
});
