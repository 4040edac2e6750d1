// Tests the whole loss of an update, policy + value − entropy + KL, and its gradient with respect to every parameter,
// at every level of the ratio. The float32 results of the kernels and of composed operations must agree with the
// formulas in float64. The tests also cover the case that only living rows get the entropy bonus and all other rows are
// left out of the update.
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/parse.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { hasTokenLoss } from '../../engine/ops/loss/tokenLoss.ts';
import { simdName } from '../../engine/simd.ts';
import { onCpu } from '../testing/onCpu.ts';
import { referenceTotal } from '../reference/total.ts';
import {
  expectedMetrics,
  expectedStep,
  gradientGap,
  offPolicyRows,
  partlyDead,
  takenStep,
  type OffPolicy,
} from '../testing/totalLoss.ts';

onCpu();

// Ratios of spans with more tokens differ less from 1. Therefore the clip ranges of turns and trajectories are
// narrower, so that clips still occur.
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
  ['turn, summed by dialogue', { ...turn, ratioLevel: 'turn', aggregation: 'dialogue' }],
  ['trajectory, summed by dialogue', { ...trajectory, ratioLevel: 'trajectory', aggregation: 'dialogue' }],
  ['dialogue', { ...trajectory, ratioLevel: 'dialogue', aggregation: 'dialogue' }],
  ['token, CISPO', { ...token, surrogate: 'cispo', ratioLevel: 'token', aggregation: 'token' }],
  ['turn, CISPO', { ...turn, surrogate: 'cispo', ratioLevel: 'turn', aggregation: 'trajectory' }],
  ['token, GMPO', { surrogate: 'gmpo', ratioLevel: 'token', aggregation: 'token' }],
  ['turn, GMPO', { surrogate: 'gmpo', ratioLevel: 'turn', aggregation: 'turn' }],
  ['trajectory, GMPO', { surrogate: 'gmpo', ratioLevel: 'trajectory', aggregation: 'trajectory' }],
  ['token, SAPO', { surrogate: 'sapo', gateNegative: 2, ratioLevel: 'token', aggregation: 'trajectory' }],
  ['turn, SAPO', { surrogate: 'sapo', gatePositive: 2, ratioLevel: 'turn', aggregation: 'turn' }],
];

const zeros = [
  [0, 0, 0],
  [0, 0, 0],
];

/** Checks that a step with kernels and a step with composed operations both agree with the step computed in float64. */
async function expectSame(found: OffPolicy, leftOut = 0) {
  const { loss, gradient: expected } = await expectedStep(found);
  // All tokens must be far enough from points where the slope of the loss jumps, so that neither rounding nor a finite
  // difference crosses such a point. Some ratios must be clipped.
  expect(loss.margin).toBeGreaterThan(1e-5);
  const { surrogate, ratioLevel } = found.team.config.learning;
  expect(loss.clipFraction > 0).toBe(surrogate !== 'sapo');
  if (surrogate === 'clipped' && /token|turn/.test(ratioLevel)) expect(loss.dualClipFraction).toBeGreaterThan(0);
  for (const engine of [simdName, 'cpu']) {
    await tf.setBackend(engine);
    for (const hasValues of [true, false]) expect(hasTokenLoss(hasValues)).toBe(engine === simdName);
    const { metrics, gradient } = await takenStep(found);
    for (const [name, value] of expectedMetrics(loss)) expect(metrics[name], `${engine} ${name}`).toBeCloseTo(value, 5);
    expect(metrics['charts/rows_left_out'], engine).toBe(leftOut);
    expect(gradientGap(gradient, expected), engine).toBeLessThan(1e-5);
  }
  await tf.setBackend(simdName);
}

/**
 * The ratio does not depend on the KL, so each level is tested with only half of the KL estimators. A level is tested
 * with all estimators only if no other level has the same aggregation.
 */
const estimators = ['k3', 'mse', 'abs', 'off'] as const;
const estimatorsOf = (level: number) => {
  const sumOf = (at: number) => levels[at]?.[1]?.aggregation;
  const isAlone = levels.filter((_, at) => sumOf(at) === sumOf(level)).length === 1;
  return estimators.filter((_, i) => isAlone || i % 2 === level % 2);
};

describe.each(levels.map(([name, learning], i) => [name, learning, i] as const))(
  'the whole loss with ratios by %s',
  (_, learning, level) => {
    it.each(estimatorsOf(level))('and its gradient are those of float64, KL %s', async (estimator) => {
      const found = await offPolicyRows(
        {
          learning: { ...learning, vfCoef: 0.7 },
          kl: estimator === 'off' ? { place: 'off' } : { place: 'loss', coef: 0.1, estimator },
        },
        4,
      );
      await expectSame(found);
    });

    it('and its gradient are those of float64 with a bonus for living rows, half of all being dead', async () => {
      const settings = { learning: { ...learning, entCoef: 0.1, livingEntropy: true } };
      // The dead rows are both rows of one trajectory, and one row in each of two other trajectories. At dialogue
      // level, each of the latter two rows has a common ratio with a living row.
      const found = await partlyDead(settings, (row, { trajectoryIds, agentIds }) => {
        const trajectory = trajectoryIds[row] as number;
        return trajectory === 0 || (trajectory < 3 && agentIds[row] === 0);
      });
      await expectSame(found, learning?.ratioLevel === 'dialogue' ? 0.25 : 0.5);
    });
  },
);

it('a bonus of living rows is their entropies over the tokens of all rows, by hand', () => {
  // Row 0 is living and row 1 is dead. The ratio of row 1 is not 1, but row 1 has no effect on the metrics.
  const known = {
    ...{
      oldLogprobs: [
        [-1, -2, 0],
        [-1, -1, -1],
      ],
      actionMask: [
        [1, 1, 0],
        [1, 1, 1],
      ],
      turnIds: [
        [0, 0, -1],
        [0, 0, 0],
      ],
    },
    ...{
      advantages: [
        [1, 1, 0],
        [0, 0, 0],
      ],
      trajectoryIds: [0, 1],
      agentIds: [0, 0],
      refLogprobs: zeros,
      oldValues: zeros,
      returns: zeros,
    },
  };
  const said = {
    logprobs: [
      [-1, -2, 0],
      [-2, -1, -1],
    ],
    entropy: [
      [0.6, 0.9, 9],
      [1, 2, 3],
    ],
    values: zeros,
  };
  const options = { ...parseConfig({}).learning, ratioLevel: 'token', aggregation: 'token', vfCoef: 0 } as const;
  const totalOf = (isBonusOfLiving: boolean) =>
    referenceTotal(said, known, { ...options, entCoef: 0.1, klCoef: 0, estimator: null, isBonusOfLiving });
  // If only living rows get the bonus, the loss is −(1 + 1)/5 − 0.1·(0.6 + 0.9)/5, and the reported entropy is the mean
  // 1.5/2. If all rows get the bonus, the loss is −2/5 − 0.1·7.5/5, and the entropy is 7.5/5.
  const [living, all] = [totalOf(true), totalOf(false)];
  expect([living.total, living.entropy, living.approxKl]).toEqual([-0.43, 0.75, 0].map((x) => expect.closeTo(x, 12)));
  // In approxKl, one of five tokens has the term e⁻¹ − 1 + 1, and the others have 0.
  expect([all.total, all.entropy, all.approxKl]).toEqual(
    [-0.55, 1.5, Math.exp(-1) / 5].map((x) => expect.closeTo(x, 12)),
  );
});
