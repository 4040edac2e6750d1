// Computes the gradient of a microbatch's part of the loss. The shapes are fixed and all numbers that change are
// uploaded as data, so that a backend can record the computation once and replay it. The total loss is policyLoss +
// vfCoef·valueLoss − entCoef·entropy + klCoef·refKl
import * as tf from '@tensorflow/tfjs-core';
import type { Bucket } from '../rows/microbatches.ts';
import type { Config } from '../../config/schema.ts';
import { picksRows } from '../../engine/ops/embed/embed.ts';
import { spanLayout } from '../../engine/ops/loss/spanLayout.ts';
import { lossAndGradients } from '../../engine/gradients.ts';
import {
  hasTokenLoss,
  klNames,
  lossFacts,
  lossSettings,
  surrogateNames,
  tokenLoss,
} from '../../engine/ops/loss/tokenLoss.ts';
import { weightedSum } from '../../engine/ops/loss/weightedSum.ts';
import type { Uploads } from '../../engine/replay.ts';
import { askedInputs, rowInputs, rowOutputs, rowsFrom, type RowOutputs } from '../rows/forward.ts';
import { refKlLoss } from '../maths/kl.ts';
import { approxKl, policyBounds, preparedPolicyLoss, valueLoss, type PolicyTensors } from '../maths/loss.ts';
import { variables, type Network } from '../team/network.ts';
import { objectiveLoss, objectiveUploads, type PairedObjective } from './objectives.ts';
import { metricCount } from './optimiserStep.ts';
import { isArithmetic, meansOverSpans, prepareSpans, tokenSpans, type SpanArrays } from '../maths/ratio.ts';
import { masksOf, type RowBatch } from '../rows/rows.ts';

type Fact = (typeof lossFacts)[number];
type Setting = (typeof lossSettings)[number];

/**
 * The rows of a minibatch, and arrays [B·T] with facts about each token, such as its advantage. Absent arrays count as
 * zeros.
 */
export interface MinibatchRows {
  batch: RowBatch;
  facts: Partial<Record<Fact, Float32Array>>;
  /** The objective that is used instead of the policy loss, if any. */
  objective?: PairedObjective;
}

/**
 * A microbatch that is prepared for the computation: the arrays that are uploaded, and all values that are constants of
 * the computation.
 */
export interface MicrobatchWork {
  /** A text that identifies the recording. The text contains all values that are constants of the computation. */
  key: string;
  uploads: Uploads;
  shape: [number, number];
  hasValues: boolean;
  hasReference: boolean;
  spans: SpanArrays | null;
  objective: PairedObjective | null;
}

/**
 * Prepares the arrays that are uploaded for one microbatch. If `klCoef` is null, the loss contains no KL. The numbers
 * of spans are rounded up to multiples that `bucket` determines. With `isShared`, shared prefixes of rows are computed
 * only once.
 */
export function microbatchWork(
  { batch, facts, objective }: MinibatchRows,
  {
    config,
    klCoef,
    bucket,
    isShared = false,
  }: { config: Config; klCoef: number | null; bucket: Bucket; isShared?: boolean },
): MicrobatchWork {
  const { learning, kl } = config;
  const shape: [number, number] = [batch.rows, batch.length];
  const count = batch.ids.length;
  const bounds = policyBounds(learning);
  const settings: Record<Setting, number> = {
    ...bounds,
    valueClip: learning.valueClip,
    vfCoef: learning.vfCoef,
    entCoef: learning.entCoef,
    klCoef: klCoef ?? 0,
    klEstimator: klCoef === null ? -1 : klNames.indexOf(kl.estimator as (typeof klNames)[number]),
    isArithmetic: isArithmetic(learning, learning.surrogate) ? 1 : 0,
    surrogate: surrogateNames.indexOf(learning.surrogate),
  };
  const hasValues = facts.returns !== undefined;
  if (objective) {
    const { key, uploads } = objectiveUploads(objective, batch, { facts, bucket, isShared });
    const hasReference = facts.refLogprobs !== undefined;
    return { key, uploads, shape, hasValues: false, hasReference, spans: null, objective };
  }
  const spans = hasTokenLoss(hasValues) ? null : spansOf(batch, config, bucket);
  const known = spans ? facts : { ...facts, ...spanFactsOf(batch, facts, config) };
  const table = new Float32Array(lossFacts.length * count);
  lossFacts.forEach((name, row) => {
    const values = known[name];
    if (values) table.set(values, row * count);
  });
  const grouping = spans?.grouping;
  const rows = [batch.rows, spans?.slots ?? 0] as const;
  return {
    key: [
      ...shape,
      learning.ratioLevel,
      learning.turnMean,
      learning.surrogate,
      spans?.slots,
      spans?.links,
      hasValues,
      klCoef !== null,
    ].join(' '),
    uploads: {
      ...rowInputs(batch),
      ...(picksRows() && askedInputs(batch, { isShared })),
      facts: { values: table, shape: [lossFacts.length, count] },
      settings: { values: Float32Array.from(lossSettings, (name) => settings[name]), shape: [lossSettings.length] },
      ...(grouping && {
        members: { values: grouping.members, shape: [...rows, batch.length] },
        inverse: { values: grouping.inverse, shape },
      }),
      ...(spans && grouping?.link && { link: { values: grouping.link, shape: [spans.links, rows[0] * rows[1]] } }),
    },
    ...{ shape, hasValues, hasReference: klCoef !== null, spans, objective: null },
  };
}

/**
 * For each token, facts about its span that the kernel needs: the number of tokens, the mean advantage and the mean
 * weight. All tokens of a span have the same loss, so using the mean weight does not change the sum.
 */
function spanFactsOf(batch: RowBatch, facts: MinibatchRows['facts'], { learning }: Config): MinibatchRows['facts'] {
  if (learning.ratioLevel === 'token') return {};
  const spans = tokenSpans(masksOf(batch), learning.ratioLevel);
  const shared = (['advantages', 'weight'] as const).map((name) => {
    const values = facts[name];
    return [name, values && Float32Array.from(meansOverSpans(values, spans))];
  });
  return { ...spanLayout(spans.ids, spans.lengths), ...(Object.fromEntries(shared) as MinibatchRows['facts']) };
}

function spansOf(batch: RowBatch, { learning }: Config, { count: roundUp }: Bucket): SpanArrays {
  const masks = masksOf(batch);
  const tight = prepareSpans(masks, learning.ratioLevel);
  const sizes = { slots: roundUp(tight.slots), links: tight.links === 0 ? 0 : roundUp(tight.links) };
  if (!tight.grouping || (sizes.slots === tight.slots && sizes.links === tight.links)) return tight;
  return prepareSpans(masks, learning.ratioLevel, sizes.links === 0 ? { slots: sizes.slots } : sizes);
}

/**
 * Computes the loss from uploaded inputs. The first result contains the metrics [7] in the order of `lossTerms`,
 * without the total. The other results are the gradients of all variables.
 */
export function microbatchGradient(
  network: Network,
  work: MicrobatchWork,
  { config, inputs }: { config: Config; inputs: Record<string, tf.Tensor> },
): tf.Tensor[] {
  const trained = variables(network);
  const rows = rowsFrom(inputs);
  const kept: tf.Tensor1D[] = [];
  try {
    const { grads, value } = lossAndGradients(() => {
      const outputs = rowOutputs(network, rows, config.agents.temperature);
      const parts = work.objective
        ? objectiveLoss(outputs, work.objective, inputs)
        : work.spans
          ? composedLoss(outputs, work, { config, inputs })
          : fusedLoss(outputs, work, inputs);
      kept.push(parts.metrics);
      return parts.total;
    }, trained);
    value.dispose();
    const watched = tf.slice(kept[0] as tf.Tensor1D, [1], [metricCount]);
    return [watched, ...trained.map(({ name }) => grads[name] as tf.Tensor)];
  } finally {
    tf.dispose(kept);
  }
}

function fusedLoss(outputs: RowOutputs, { hasValues }: MicrobatchWork, inputs: Record<string, tf.Tensor>) {
  const { logprobs, entropy, values } = outputs;
  const [facts, settings] = [inputs['facts'] as tf.Tensor2D, inputs['settings'] as tf.Tensor1D];
  return tokenLoss({ logprobs, entropy, values: hasValues ? values : null, facts, settings });
}

/** The same loss as in the kernel, but composed of standard operations. */
function composedLoss(
  { logprobs, entropy, values }: RowOutputs,
  { shape, hasValues, hasReference, spans }: MicrobatchWork,
  { config, inputs }: { config: Config; inputs: Record<string, tf.Tensor> },
): { total: tf.Scalar; metrics: tf.Tensor1D } {
  const count = shape[0] * shape[1];
  const fact = (name: Fact) =>
    tf.reshape(
      tf.slice(inputs['facts'] as tf.Tensor2D, [lossFacts.indexOf(name), 0], [1, count]),
      shape,
    ) as tf.Tensor2D;
  const setting = (name: Setting) =>
    tf.reshape(tf.slice(inputs['settings'] as tf.Tensor1D, [lossSettings.indexOf(name)], [1]), []) as tf.Scalar;
  const tokenShare = fact('tokenShare');
  const oldLogprobs = fact('oldLogprobs');
  const zero = tf.zerosLike(tokenShare);
  const actionMask = tf.cast(tf.greater(tokenShare, zero), 'float32') as tf.Tensor2D;
  const share = tf.sum(tokenShare);
  const prepared: PolicyTensors = {
    spans: {
      ratioLevel: config.learning.ratioLevel,
      actionMask,
      outside: tf.sub(tf.onesLike(actionMask), actionMask),
      grouping: spans?.grouping && {
        members: inputs['members'] as tf.Tensor,
        inverse: inputs['inverse'] as tf.Tensor,
        link: inputs['link'],
      },
    },
    weight: fact('weight'),
    share: fact('share'),
    bounds: {
      logratioClamp: setting('logratioClamp'),
      low: setting('low'),
      high: setting('high'),
      dual: setting('dual'),
      gatePositive: setting('gatePositive'),
      gateNegative: setting('gateNegative'),
    },
    turnMean: config.learning.turnMean,
    surrogate: config.learning.surrogate,
  };
  const policy = preparedPolicyLoss({ logprobs, oldLogprobs, advantages: fact('advantages') }, prepared);
  const nothing = tf.zerosLike(policy.loss);
  const fit =
    hasValues && values
      ? tf.mul(
          valueLoss(
            { values, oldValues: fact('oldValues'), returns: fact('returns'), actionMask },
            { valueClip: setting('valueClip') },
          ),
          share,
        )
      : nothing;
  const distance = hasReference
    ? tf.mul(refKlLoss({ logprobs, refLogprobs: fact('refLogprobs'), actionMask }, config.kl.estimator), share)
    : nothing;
  const spread = weightedSum(entropy, tokenShare);
  const step = tf.mul(approxKl(logprobs, oldLogprobs, actionMask), share);
  const total = tf.addN([
    policy.loss,
    tf.mul(fit, setting('vfCoef')),
    tf.neg(tf.mul(spread, setting('entCoef'))),
    tf.mul(distance, setting('klCoef')),
  ]) as tf.Scalar;
  const terms = [total, policy.loss, fit, spread, step, distance, policy.clipFraction, policy.dualClipFraction];
  return { total, metrics: tf.keep(tf.stack(terms)) as tf.Tensor1D };
}
