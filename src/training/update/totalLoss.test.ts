// The whole loss of an update, policy + value − entropy + KL, and its gradient in every parameter at every level of the
// ratio: what the kernels compute in float32, and the composed ops, is what the formulas in float64 say.
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import { hasTokenLoss } from '../../engine/ops/loss/tokenLoss.ts';
import { simdName } from '../../engine/simd.ts';
import '../testing/onCpu.ts';
import { expectedMetrics, expectedStep, gradientGap, offPolicyRows, takenStep } from '../testing/totalLoss.ts';

// The more tokens a mean is over, the less it moves: there the clips are closer, so that they act.
const [token, turn, trajectory] = [0.2, 0.1, 0.03].map((clip) => ({ clipLow: clip, clipHigh: clip, dualClip: 1.05 }));
const levels: [string, ConfigInput['learning']][] = [
  ['token, summed by token', { ...token, ratioLevel: 'token', aggregation: 'token' }],
  ['token, summed by turn', { ...token, ratioLevel: 'token', aggregation: 'turn' }],
  ['token, summed by trajectory', { ...token, ratioLevel: 'token', aggregation: 'trajectory' }],
  ['token, divided by a constant', { ...token, ratioLevel: 'token', aggregation: 'constant' }],
  ['turn', { ...turn, ratioLevel: 'turn', aggregation: 'turn' }],
  ['turn, of arithmetic means', { ...turn, ratioLevel: 'turn', aggregation: 'turn', turnMean: 'arithmetic' }],
  ['turn, summed by trajectory', { ...turn, ratioLevel: 'turn', aggregation: 'trajectory' }],
  ['trajectory', { ...trajectory, ratioLevel: 'trajectory', aggregation: 'trajectory' }],
];

describe.each(levels)('the whole loss with ratios by %s', (_, learning) => {
  it.each(['k3', 'mse', 'abs', 'off'] as const)('and its gradient are those of float64, KL %s', async (estimator) => {
    const found = await offPolicyRows(
      {
        learning: { ...learning, vfCoef: 0.7 },
        kl: estimator === 'off' ? { place: 'off' } : { place: 'loss', coef: 0.1, estimator },
      },
      4,
    );
    const { loss, gradient: expected } = await expectedStep(found);
    // No token so near to a kink that rounding or a difference would cross it; and the clips act.
    expect(loss.margin).toBeGreaterThan(1e-5);
    expect(loss.clipFraction).toBeGreaterThan(0);
    if (learning?.ratioLevel !== 'trajectory') expect(loss.dualClipFraction).toBeGreaterThan(0);
    for (const engine of [simdName, 'cpu']) {
      await tf.setBackend(engine);
      expect(hasTokenLoss(true)).toBe(engine === simdName);
      const { metrics, gradient } = await takenStep(found);
      for (const [name, value] of expectedMetrics(loss))
        expect(metrics[name], `${engine} ${name}`).toBeCloseTo(value, 5);
      expect(gradientGap(gradient, expected), engine).toBeLessThan(1e-5);
    }
    await tf.setBackend(simdName);
  });
});
