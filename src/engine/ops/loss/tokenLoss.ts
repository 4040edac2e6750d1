// The whole loss of a policy update in one pass. It consists of the clipped ratio (PPO 1707.06347) of a token or of a
// span of tokens (a turn, ReMA 2503.09501; a trajectory, GSPO 2507.18071) with dual clip (1912.09729), the clipped
// value loss, entropy, KL to a reference, and metrics of these. Instead of the clipped ratio, the loss may be that of
// CISPO (2506.13585), SAPO (2511.20347) or GMPO (2507.20673). The gradient is computed in the same pass. The same loss
// is also implemented by operations of TensorFlow.js (training/loss.ts, training/kl.ts). That form is the
// reference for every kernel, and is used if a backend has no kernel.
import * as tf from '@tensorflow/tfjs-core';
import { expectShape, hasKernel, runKernels } from '../kernel.ts';
import { spanFacts } from './spanLayout.ts';

/** Rows of `facts` [11, N]: the facts about each token that are known before the update. */
export const lossFacts = [
  'oldLogprobs',
  /** advantage of the token; the same for all tokens of a span */
  'advantages',
  /** weight of the token in the policy loss; the same for all tokens of a span */
  'weight',
  /** weight of the token in a mean over spans */
  'share',
  /**
   * 1 divided by the number of action tokens in the minibatch; 0 if the token is not an action, in which case all its
   * other facts are ignored
   */
  'tokenShare',
  'oldValues',
  'returns',
  'refLogprobs',
  /** the spans of tokens that share a ratio, as `spanLayout` returns them; zeros if each token has its own ratio */
  ...spanFacts,
] as const;

/** Entries of `settings` [13]. */
export const lossSettings = [
  /** upper bound of the log-ratio */
  'logratioClamp',
  /** 1 − clipLow and 1 + clipHigh */
  'low',
  'high',
  /** multiple of |advantage| */
  'dual',
  'valueClip',
  'vfCoef',
  'entCoef',
  'klCoef',
  /** index of the estimator in `klNames`; −1 if there is no reference */
  'klEstimator',
  /**
   * how the ratio of a span is computed: 0 = e to the power of the mean log-ratio, 1 = the mean of the tokens' ratios
   */
  'isArithmetic',
  /** index in `surrogateNames` */
  'surrogate',
  /** temperature of SAPO's gate for a positive advantage, and for all others */
  'gatePositive',
  'gateNegative',
] as const;

/** How the policy loss of a token or span depends on its ratio. */
export const surrogateNames = ['clipped', 'cispo', 'sapo', 'gmpo'] as const;

export const klNames = ['k3', 'abs', 'mse'] as const;

/** The rows of the terms [8, N]. Their sums over the tokens are the entries of `metrics` [8]. */
export const lossTerms = [
  'total',
  'policy',
  'value',
  'entropy',
  'approxKl',
  'refKl',
  'clipped',
  'dualClipped',
] as const;

export interface TokenLossInputs {
  /** [N], natural logarithm */
  logprobs: tf.Tensor;
  /** [N], nats */
  entropy: tf.Tensor;
  /** [N]; without a critic null */
  values: tf.Tensor | null;
  /** [11, N] */
  facts: tf.Tensor2D;
  /** [13] */
  settings: tf.Tensor1D;
}

/** Whether the current backend computes the loss in one kernel, with or without a critic. */
export function hasTokenLoss(hasValues: boolean): boolean {
  const backend = tf.backend() as { device?: { limits: { maxStorageBuffersPerShaderStage: number } } };
  const bindings = backend.device?.limits.maxStorageBuffersPerShaderStage ?? Infinity;
  return hasKernel('TokenLoss') && bindings >= (hasValues ? 9 : 8);
}

/**
 * total = policy + vfCoef·value − entCoef·entropy + klCoef·refKl, each a weighted sum over the tokens.
 * @returns the total, differentiable in logprobs, entropy and values; and all terms [8], which the caller must dispose
 * @throws ShapeError if shapes do not fit together
 */
export function tokenLoss(inputs: TokenLossInputs): { total: tf.Scalar; metrics: tf.Tensor1D } {
  const { facts, settings } = inputs;
  const count = facts.shape[1];
  const flat = (x: tf.Tensor) => tf.reshape(x, [count]);
  const learned = [inputs.logprobs, inputs.entropy, ...(inputs.values ? [inputs.values] : [])].map(flat);
  expectShape('tokenLoss: facts', facts, [lossFacts.length, count]);
  expectShape('tokenLoss: settings', settings, [lossSettings.length]);
  let metrics: tf.Tensor1D | null = null;
  const op = tf.customGrad((...args) => {
    const [logprobs, entropy, values] = args.slice(0, -1) as [tf.Tensor, tf.Tensor, tf.Tensor?];
    const save = args.at(-1) as tf.GradSaveFunc;
    const named = { logprobs, entropy, values: values ?? logprobs, facts, settings };
    const [terms, ...slopes] = runKernels('TokenLoss', named, { hasValues: values !== undefined }) as [
      tf.Tensor,
      tf.Tensor,
      tf.Tensor,
      tf.Tensor,
    ];
    metrics = tf.keep(tf.sum(terms, 1)) as tf.Tensor1D;
    const used = slopes.slice(0, learned.length);
    save(used);
    return {
      value: tf.reshape(tf.slice(metrics, [0], [1]), []),
      gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => saved.map((slope) => tf.mul(slope, dy)),
    };
  });
  const total = op(...learned) as tf.Scalar;
  return { total, metrics: metrics as unknown as tf.Tensor1D };
}
