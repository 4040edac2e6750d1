// Tests a whole policy update on WebGPU. If a kernel for the whole loss is available, the loss is computed in this
// single kernel. Metrics and gradients are compared with those computed in float64.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import { hasTokenLoss } from '../../engine/ops/loss/tokenLoss.ts';
import { simdName } from '../../engine/simd.ts';
import { startOwnDevice } from '../../engine/testing/ownDevice.ts';
import { startCpuEngine } from '../testing/cpuEngine.ts';
import { expectedMetrics, expectedStep, gradientGap, offPolicyRows, takenStep } from '../testing/totalLoss.ts';

beforeAll(async () => {
  await startOwnDevice();
  await startCpuEngine();
});

// Ratios of spans with more tokens differ less from 1. Therefore the clip ranges of turns and longer spans are
// narrower, so that clips still occur.
const byToken = { ratioLevel: 'token', aggregation: 'token', clipLow: 0.2, clipHigh: 0.2 } as const;
const byTurn = { ratioLevel: 'turn', aggregation: 'turn', clipLow: 0.1, clipHigh: 0.1 } as const;
const byTrajectory = { ratioLevel: 'trajectory', aggregation: 'trajectory', clipLow: 0.03, clipHigh: 0.03 } as const;
const cases: [title: string, learning: ConfigInput['learning'], estimator: 'k3' | 'abs' | 'mse' | 'off'][] = [
  ['token, KL k3', byToken, 'k3'],
  ['token, KL abs', byToken, 'abs'],
  ['token, KL mse', byToken, 'mse'],
  ['token, KL off', byToken, 'off'],
  ['turn', byTurn, 'k3'],
  ['turn, of arithmetic means', { ...byTurn, turnMean: 'arithmetic' }, 'k3'],
  ['trajectory', byTrajectory, 'k3'],
];

it.each(cases)(
  'a step on WebGPU has the metrics and gradients of float64, ratios by %s',
  async (_, learning, estimator) => {
    await tf.setBackend(simdName);
    const kl: ConfigInput['kl'] = estimator === 'off' ? { place: 'off' } : { place: 'loss', coef: 0.1, estimator };
    const found = await offPolicyRows({ learning: { ...learning, dualClip: 1.05, vfCoef: 0.7 }, kl }, 4);
    const { loss, gradient: expected } = await expectedStep(found);
    expect(loss.margin).toBeGreaterThan(1e-5);
    expect(loss.clipFraction).toBeGreaterThan(0);
    await tf.setBackend('webgpu');
    expect(hasTokenLoss(true)).toBe(true);
    const { metrics, gradient } = await takenStep(found);
    for (const [name, value] of expectedMetrics(loss)) expect(metrics[name], name).toBeCloseTo(value, 5);
    expect(gradientGap(gradient, expected)).toBeLessThan(1e-4);
  },
);
