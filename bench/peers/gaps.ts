// Compares Cothink with functions of other projects on the same numbers. bench/results/peers.json contains the inputs
// and the results of these functions (made by answers.py). This file computes the results of Cothink and the largest
// difference. No other project needs to be installed.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import type { KlEstimator } from '../../src/config/names.ts';
import {
  bestOfGroupAdvantage,
  gae,
  groupAdvantage,
  lengthWeightedAdvantage,
  looAdvantage,
  reinforcePlusPlus,
  whiten,
} from '../../src/training/maths/advantage.ts';
import { softOverlong } from '../../src/training/collect/ownRewards.ts';
import { dpoLoss, pairSigns, preferenceDelta, type PreferenceOptions } from '../../src/training/maths/dpoLoss.ts';
import { kl } from '../../src/training/maths/kl.ts';
import { policyLoss, valueLoss, type PolicyOptions } from '../../src/training/maths/loss.ts';
import { teamReward } from '../../src/training/maths/teamReward.ts';
import { readResults } from '../shared/runner.ts';

type Matrix = number[][];
/** Inputs of one case by name; a row is one agent's messages in a dialogue. */
type Batch = Record<string, Matrix>;
/** Lists of numbers that are compared elementwise: values, or a loss and its gradient. */
type Answer = number[][];

interface PeerFunction {
  peer: string;
  function: string;
  kind: keyof typeof ours;
  /** The name of its input batches. */
  batches: string;
  options: Record<string, unknown>;
  answers: Answer[];
  /** Why the result of Cothink differs; absent if it must be the same. */
  differs?: string;
}

interface Peers {
  versions: Record<string, string>;
  /** Tokens of a row. */
  columns: number;
  batches: Record<string, Batch[]>;
  functions: PeerFunction[];
}

/** Differences below this count as equal, because Cothink computes in float32 and the answers are in float64. */
const sameWithin = 1e-6;

const peers = readResults<Peers>('peers') as Peers;

const float32 = (values: readonly number[]): number[] => values.map(Math.fround);
const column = (batch: Batch, name: string): tf.Tensor2D => tf.tensor2d(batch[name] as Matrix);
const masked = (batch: Batch, name: string): number[][] =>
  (batch[name] as Matrix).map((row, b) => float32(row).filter((_, t) => batch['actionMask']?.[b]?.[t]));
/** Returns [rows][own tokens] at the positions of their tokens, with 0 elsewhere. */
const placed = (batch: Batch, rows: readonly ArrayLike<number>[]): number[] =>
  (batch['actionMask'] as Matrix).flatMap((mask, b) => {
    let next = 0;
    return mask.map((is) => (is ? (rows[b]?.[next++] as number) : 0));
  });

/** Returns a loss and its gradient by the input with this name. */
function sloped(batch: Batch, name: string, of: (x: tf.Tensor2D) => tf.Tensor): Answer {
  return tf.tidy(() => {
    const { value, grad } = tf.valueAndGrad((x) => tf.sum(of(x as tf.Tensor2D)))(column(batch, name));
    return [Array.from(value.dataSync()), Array.from(grad.dataSync())];
  });
}

/** Returns the rows of two dialogues of two agents, with one row for each agent in each dialogue. */
const rowsOf = (batch: Batch) => ({
  actionMask: (batch['actionMask'] as Matrix).flat(),
  turnIds: (batch['steps'] as Matrix).flatMap((row, b) => row.map((step) => (step < 0 ? -1 : 2 * step + (b % 2)))),
  trajectoryIds: [0, 0, 1, 1],
  agentIds: [0, 1, 0, 1],
});

/** The function of Cothink for each kind of compared function; the options are settings of Cothink. */
/** Completions of different lengths, each with its reward and its group. */
const completions = ({ rewards, groups, lengths }: Batch) => ({
  rewards: float32(rewards as never),
  keys: (groups as never as number[]).map(String),
  lengths: lengths as never as number[],
});

/** The advantage of each completion, repeated for each of its tokens. */
const byToken = (advantages: Float64Array, lengths: readonly number[]): Answer =>
  lengths.map((length, i) => Array<number>(length).fill(advantages[i] as number));

const ours = {
  policy: (batch: Batch, options: Omit<PolicyOptions, 'turnMean'> & { advantages?: string }) =>
    sloped(batch, 'logprobs', (logprobs) => {
      const known = {
        oldLogprobs: column(batch, 'oldLogprobs'),
        advantages: column(batch, options.advantages ?? 'advantages'),
      };
      const all = { turnMean: 'geometric', maxActionTokens: peers.columns, ...options } as const;
      return policyLoss({ ...rowsOf(batch), ...known, logprobs }, all).loss;
    }),
  preference: (batch: Batch, options: PreferenceOptions) =>
    sloped(batch, 'logprobs', (logprobs) => {
      const pairs = [
        { winner: [0], loser: [1] },
        { winner: [2], loser: [3] },
      ];
      const counts = (batch['actionMask'] as Matrix).map((row) => row.reduce((sum, is) => sum + is, 0));
      const signs = tf.tensor2d(pairSigns(pairs, counts, options.kind), [pairs.length, counts.length]);
      const refLogprobs = options.kind === 'simpo' ? null : column(batch, 'refLogprobs');
      const given = { logprobs, refLogprobs, actionMask: column(batch, 'actionMask') };
      return dpoLoss(preferenceDelta(given, signs), options);
    }),
  kl: (batch: Batch, { estimator }: { estimator: KlEstimator }) =>
    sloped(batch, 'logprobs', (logprobs) =>
      tf.mul(kl(logprobs, column(batch, 'refLogprobs'), estimator), column(batch, 'actionMask')),
    ),
  value: (batch: Batch, options: { valueClip: number }) =>
    sloped(batch, 'values', (values) => {
      const [oldValues, returns, actionMask] = ['oldValues', 'returns', 'actionMask'].map((name) =>
        column(batch, name),
      ) as [tf.Tensor2D, tf.Tensor2D, tf.Tensor2D];
      return valueLoss({ values, oldValues, returns, actionMask }, options);
    }),
  group: ({ rewards, groups }: Batch, { std }: { std: boolean }) => [
    Array.from(
      groupAdvantage(float32(rewards as never), (groups as never as number[]).map(String), { std, lone: 'zero' }),
    ),
  ],
  leaveOneOut: ({ rewards, groups }: Batch) => [
    Array.from(looAdvantage(float32(rewards as never), (groups as never as number[]).map(String), { lone: 'zero' })),
  ],
  best: ({ rewards, groups }: Batch, { std }: { std: boolean }) => [
    Array.from(
      bestOfGroupAdvantage(float32(rewards as never), (groups as never as number[]).map(String), { std, lone: 'zero' }),
    ),
  ],
  // TRL's punishment is a reward below 0, ours is deducted from the reward.
  overlong: (batch: Batch, { window, share }: { window: number; share: number }) => [
    completions(batch).lengths.map((length) => -softOverlong(1 - length / window, share)),
  ],
  lengthWeighted: (batch: Batch) => {
    const { rewards, keys, lengths } = completions(batch);
    return byToken(lengthWeightedAdvantage(rewards, keys, { lengths, lone: 'zero' }), lengths);
  },
  groupWhitened: (batch: Batch) => {
    const { rewards, keys, lengths } = completions(batch);
    const compared = byToken(groupAdvantage(rewards, keys, { std: false, lone: 'zero' }), lengths).flat();
    const whitened = [...whiten(compared, Array<number>(compared.length).fill(1))];
    return lengths.map((length) => whitened.splice(0, length));
  },
  gae: (batch: Batch, options: { gamma: number; lambda: number }) => {
    const values = masked(batch, 'values');
    const advantages = masked(batch, 'rewards').map((row, b) => gae(row, values[b] as number[], options));
    const returns = advantages.map((row, b) => row.map((advantage, t) => advantage + (values[b]?.[t] as number)));
    const mask = (batch['actionMask'] as Matrix).flat();
    return [Array.from(whiten(placed(batch, advantages), mask)), placed(batch, returns)];
  },
  reinforcePlusPlus: (batch: Batch, options: { gamma: number }) => [
    placed(batch, reinforcePlusPlus(masked(batch, 'rewards'), options)),
  ],
  whiten: ({ rewards, scale }: Batch) => {
    const values = (rewards as Matrix).flat().map((x) => Number(scale) * Math.fround(x));
    return [Array.from(whiten(values, new Uint8Array(values.length).fill(1)))];
  },
  turnReturn: ({ rewards }: Batch, options: { gammaTurn: number }) => [
    (rewards as Matrix).flatMap((row) =>
      teamReward(
        float32(row).map((reward) => [reward]),
        { across: 'own', over: 'accumulated', ...options },
      ).flat(),
    ),
  ],
};

export interface Gap {
  peer: string;
  version: string;
  function: string;
  cases: number;
  /** The largest difference of two numbers, relative to 1 or to the largest expected number of their list. */
  gap: number;
  differs?: string | undefined;
}

/** Returns whether a function behaves as stated: the same result, or a different one if a reason is given. */
export const isAsSaid = ({ gap, differs }: Gap): boolean =>
  differs === undefined ? gap < sameWithin : gap > 1e-3 && gap < Infinity;

function gapOf(expected: Answer, found: Answer): number {
  const gaps = expected.map((list, i) => {
    const scale = Math.max(1, ...list.map(Math.abs));
    const own = found[i] ?? [];
    if (own.length !== list.length) return Infinity;
    return Math.max(...list.map((x, at) => Math.abs(x - (own[at] as number)))) / scale;
  });
  const gap = Math.max(...gaps);
  return Number.isFinite(gap) ? gap : Infinity;
}

/** Returns the differences between Cothink and each function of the other projects. */
export async function peerGaps(): Promise<Gap[]> {
  await tf.setBackend('cpu');
  return peers.functions.map(({ peer, function: name, kind, batches, options, answers, differs }) => {
    const of = ours[kind] as (batch: Batch, options: Record<string, unknown>) => Answer;
    const gaps = answers.map((answer, i) => gapOf(answer, of(peers.batches[batches]?.[i] as Batch, options)));
    const version = peers.versions[peer] ?? '';
    return {
      peer,
      version,
      function: name,
      cases: answers.length,
      gap: Math.max(...gaps),
      ...(differs !== undefined && { differs }),
    };
  });
}
