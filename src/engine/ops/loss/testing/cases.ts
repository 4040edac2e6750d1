// Random tokens for the tests of `tokenLoss`, chosen so that all of its clips and bounds take effect, and the results
// of `tokenLoss` on a backend.
import * as tf from '@tensorflow/tfjs-core';
import { Draws } from '../../../../base/random.ts';
import { lossReference, type ReferenceOutput, type LossGiven } from './reference.ts';
import { type Numbers, differences } from '../../testing/numbers.ts';
import { spanLayout } from '../spanLayout.ts';
import { klNames, lossFacts, lossSettings, surrogateNames, tokenLoss } from '../tokenLoss.ts';

export interface LossCase {
  title: string;
  given: LossGiven;
  learned: ReferenceOutput;
}

interface Kind {
  count: number;
  /**
   * The approximate number of tokens per span. If `isStrewn` is set, the tokens of a span are scattered over all rows,
   * otherwise they are adjacent. If the number is 1, each token has its own ratio.
   */
  spans: { length: number; isStrewn?: boolean };
  isArithmetic?: boolean;
  hasValues?: boolean;
  estimator?: (typeof klNames)[number];
  surrogate?: (typeof surrogateNames)[number];
}

const kinds: Record<string, Kind> = {
  'one token': { count: 1, spans: { length: 1 } },
  '35 tokens on their own': { count: 35, spans: { length: 1 }, hasValues: true, estimator: 'k3' },
  '91 tokens in turns': { count: 91, spans: { length: 5 }, hasValues: true, estimator: 'abs' },
  '67 tokens, arithmetic': { count: 67, spans: { length: 4, isStrewn: true }, isArithmetic: true, estimator: 'mse' },
  '130 tokens, arithmetic': { count: 130, spans: { length: 9 }, isArithmetic: true, hasValues: true, estimator: 'k3' },
  '203 tokens in strewn turns': { count: 203, spans: { length: 7, isStrewn: true } },
  '259 tokens in trajectories': { count: 259, spans: { length: 80 }, hasValues: true, estimator: 'k3' },
  '83 tokens, CISPO': { count: 83, spans: { length: 1 }, surrogate: 'cispo', estimator: 'k3' },
  '71 tokens in turns, CISPO': { count: 71, spans: { length: 6 }, surrogate: 'cispo', hasValues: true },
  '97 tokens, SAPO': { count: 97, spans: { length: 1 }, surrogate: 'sapo', hasValues: true },
  '77 tokens in turns, SAPO': { count: 77, spans: { length: 5 }, surrogate: 'sapo', estimator: 'k3' },
  '58 tokens, arithmetic, SAPO': { count: 58, spans: { length: 4 }, isArithmetic: true, surrogate: 'sapo' },
  '79 tokens, GMPO': { count: 79, spans: { length: 1 }, surrogate: 'gmpo', hasValues: true },
  '101 tokens in strewn turns, GMPO': { count: 101, spans: { length: 6, isStrewn: true }, surrogate: 'gmpo' },
  '240 tokens in trajectories, GMPO': { count: 240, spans: { length: 60 }, surrogate: 'gmpo', estimator: 'k3' },
  '64 tokens of one span': { count: 64, spans: { length: 64 }, estimator: 'k3' },
};

/** A random test case of each kind, for this seed. */
export function lossCases(seed: number): LossCase[] {
  return Object.entries(kinds).map(([title, kind]) => ({ title: `${title}, seed ${seed}`, ...caseOf(kind, seed) }));
}

function caseOf(kind: Kind, seed: number): Pick<LossCase, 'given' | 'learned'> {
  const { count, spans, isArithmetic = false, hasValues = false, estimator, surrogate = 'clipped' } = kind;
  const draws = new Draws(seed, 7, count);
  const column = (value: (token: number) => number): Numbers =>
    Float64Array.from({ length: count }, (_, token) => Math.fround(value(token)));
  const spanCount = Math.max(1, Math.round(count / spans.length));
  const spanAt = (token: number) => (spans.isStrewn ? draws.below(spanCount) : Math.floor((token * spanCount) / count));
  const ids = Int32Array.from({ length: count }, (_, token) =>
    count > 1 && draws.next() < 0.25 ? -1 : spans.length === 1 ? token : spanAt(token),
  );
  const ofSpans = Array.from({ length: Math.max(count, spanCount) }, () => ({
    shift: 0.5 * draws.normal(),
    advantage: draws.normal(),
    weight: (0.5 + draws.next()) / count,
  }));
  // Values for tokens that are not actions must have no effect, so they are NaN here.
  const known = (value: (token: number, span: (typeof ofSpans)[number]) => number) =>
    column((token) => ((ids[token] as number) < 0 ? NaN : value(token, ofSpans[ids[token] as number] as never)));
  const logprobs = known(() => -2 + draws.normal());
  const spread = 0.8 / Math.sqrt(spans.length);
  const facts: LossGiven['facts'] = {
    oldLogprobs: known((token, { shift }) => (logprobs[token] as number) - shift - spread * draws.normal()),
    advantages: known((_, { advantage }) => advantage),
    weight: known((_, { weight }) => weight),
    share: known(() => draws.next() / count),
    tokenShare: column((token) => ((ids[token] as number) < 0 ? 0 : 1 / count)),
    oldValues: known(() => 0.3 * draws.normal()),
    returns: known(() => draws.normal()),
    refLogprobs: known((token) => (logprobs[token] as number) + 3 * draws.normal()),
  };
  const settings: LossGiven['settings'] = {
    ...{ logratioClamp: 0.6, low: 0.8, high: 1.25, dual: 1.1, valueClip: 0.2, vfCoef: 0.5, entCoef: 0.05, klCoef: 0.1 },
    klEstimator: estimator ? klNames.indexOf(estimator) : -1,
    isArithmetic: isArithmetic ? 1 : 0,
    ...{ surrogate: surrogateNames.indexOf(surrogate), gatePositive: 1, gateNegative: 1.4 },
  };
  for (const name of lossSettings) settings[name] = Math.fround(settings[name]);
  const rest = [known(() => 1 + draws.next()), ...(hasValues ? [known(() => 0.4 * draws.normal())] : [])];
  return { given: { facts, settings, ids }, learned: [logprobs, ...rest] as unknown as ReferenceOutput };
}

/**
 * For each estimator, tokens at −15, −5, 5 and 15 nats from the reference, with the estimate and its slope computed by
 * hand.
 */
export const farTokens = ([-15, -5, 5, 15] as const).flatMap((gap) =>
  klNames.map((estimator) => {
    const k3 = gap < 0 ? [10, 0] : gap === 5 ? [4 + Math.exp(-5), 1 - Math.exp(-5)] : [10, 0];
    const [distance = 0, slope = 0] = { k3, abs: [Math.abs(gap), Math.sign(gap)], mse: [gap ** 2 / 2, gap] }[estimator];
    const one = caseOf({ count: 1, spans: { length: 1 }, estimator }, 1);
    const [logprob = 0] = one.learned[0];
    one.given.facts.refLogprobs = Float64Array.of(Math.fround(logprob - gap));
    one.given.facts.advantages = Float64Array.of(0);
    return { title: `${estimator} at ${gap}`, ...one, distance, slope };
  }),
);

/** The terms [8], and the gradient of the total with respect to each differentiable column, on the current backend. */
export async function evaluateLoss({ given, learned }: LossCase): Promise<Float32Array[]> {
  const { facts, settings, ids } = given;
  const count = ids.length;
  const layout = layoutOf(ids);
  const table = new Float32Array(lossFacts.length * count);
  lossFacts.forEach((name, row) => {
    const values = name in facts ? facts[name as keyof typeof facts] : layout[name as keyof typeof layout];
    if (values) table.set(Float32Array.from(values), row * count);
  });
  const tensors = tf.tidy(() => {
    const columns = learned.flatMap((values) => (values ? [tf.tensor1d(Float32Array.from(values))] : []));
    const known = {
      facts: tf.tensor2d(table, [lossFacts.length, count]),
      settings: tf.tensor1d(lossSettings.map((name) => settings[name])),
    };
    let metrics: tf.Tensor | null = null;
    const slopes = tf.grads((...args: tf.Tensor[]) => {
      const [logprobs, entropy, values = null] = args as [tf.Tensor, tf.Tensor, tf.Tensor?];
      const parts = tokenLoss({ logprobs, entropy, values, ...known });
      metrics = parts.metrics;
      return parts.total;
    })(columns);
    return [metrics as unknown as tf.Tensor, ...slopes];
  });
  const read = await Promise.all(tensors.map((tensor) => tensor.data<'float32'>()));
  tf.dispose(tensors);
  return read.map((values) => values.slice());
}

/**
 * The slopes of the total with respect to one differentiable column, by finite differences. The slopes are 0 for tokens
 * that are not actions.
 */
export function lossSlopes({ learned, given }: LossCase, at: number): Numbers {
  const moved = (x: Numbers) =>
    lossReference(learned.map((other, i) => (i === at ? x : other)) as never, given, learned[0]).slice(0, 1);
  return differences(moved, learned[at] as Numbers, Float64Array.of(1));
}

/** The rows for spans, built as in training; empty if each token has its own ratio. */
function layoutOf(ids: ArrayLike<number>): Partial<ReturnType<typeof spanLayout>> {
  const all = Array.from(ids);
  if (all.every((id, token) => id === -1 || id === token)) return {};
  const used = [...new Set(all.filter((id) => id >= 0))];
  const lengths = used.map((id) => all.filter((other) => other === id).length);
  return spanLayout(
    all.map((id) => used.indexOf(id)),
    lengths,
  );
}
