// Tests losses of dialogues in which one agent has two rows and another agent has one row. The expected values were
// computed by hand. At level `trajectory`, the rows of one agent belong together, and at level `dialogue`, all rows of
// a trajectory belong together.
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import type { RatioLevel, Aggregation } from '../../config/names.ts';
import { gae, tokenSequences } from '../maths/advantage.ts';
import { policyLoss } from '../maths/loss.ts';
import { meansOverSpans, tokenSpans } from '../maths/ratio.ts';
import { minibatchesOf } from '../update/update.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig } from '../testing/microRun.ts';

onCpu();

// In trajectory 0, the first row contains turn 0, and the second row turn 1. Trajectory 1 has one row with turn 0.
const masks = {
  actionMask: [0, 1, 1, 0, 1, 0, 0, 1, 1],
  turnIds: [-1, 0, 0, -1, 1, -1, -1, 0, 0],
  trajectoryIds: [0, 0, 1],
  agentIds: [0, 0, 0],
};
const withAnother = {
  actionMask: [...masks.actionMask, 1, 1, 1],
  turnIds: [...masks.turnIds, 2, 3, 3],
  trajectoryIds: [0, 0, 1, 0],
  agentIds: [0, 0, 0, 1],
};
const options = { turnMean: 'geometric', logratioClamp: 3, clipLow: 0.2, clipHigh: 0.2, dualClip: 3 } as const;
const shape = [3, 3] as const;
const table = (values: number[]) => tf.tensor2d(values, [3, 3]);
const logratios = [0, 0.1, -0.05, 0, 0.3, 0, 0, -0.4, 0.1];

describe('the loss of an agent whose dialogue lies in two rows', () => {
  // With the bounds 0.8 and 1.2, the token losses are −1.105171 and −0.951229 in the first row, −1.2 in the second, and
  // 0.4 and 0.552585 in the third.
  const worked: [RatioLevel, Aggregation, number][] = [
    ['token', 'token', (-1.105171 - 0.951229 - 1.2 + 0.4 + 0.552585) / 5],
    ['token', 'turn', ((-1.105171 - 0.951229) / 2 - 1.2 + (0.4 + 0.552585) / 2) / 3],
    ['token', 'trajectory', ((-1.105171 - 0.951229 - 1.2) / 3 + (0.4 + 0.552585) / 2) / 2],
    ['token', 'constant', (-1.105171 - 0.951229 - 1.2 + 0.4 + 0.552585) / (2 * 4)],
    ['turn', 'turn', (-1.025315 - 1.2 + 0.430354) / 3],
    ['turn', 'trajectory', ((-1.025315 - 1.2) / 2 + 0.430354) / 2],
    ['trajectory', 'trajectory', (-1.123745 + 0.430354) / 2],
  ];
  it.each(worked)('with the ratio of a %s and the mean over a %s', (ratioLevel, aggregation, expected) => {
    const found = tf.tidy(() => {
      const advantages = table([0, 1, 1, 0, 1, 0, 0, -0.5, -0.5]);
      const batch = { ...masks, logprobs: table(logratios), oldLogprobs: table(logratios.map(() => 0)), advantages };
      return policyLoss(batch, {
        ...options,
        ratioLevel,
        aggregation,
        maxActionTokens: 4,
      }).loss.dataSync()[0] as number;
    });
    expect(found).toBeCloseTo(expected, 5);
  });

  // The same rows and, in trajectory 0, a row of another agent with turns 2 and 3. The ratios in this row are e^0.2
  // (clipped to 1.2), e^−0.3 and e^0.1.
  const another: [RatioLevel, Aggregation, number][] = [
    ['token', 'trajectory', (-3.2564 / 3 + 0.952585 / 2 + (-1.2 - 0.740818 - 1.105171) / 3) / 3],
    ['token', 'dialogue', ((-3.2564 - 3.045989) / 6 + 0.952585 / 2) / 2],
    ['token', 'constant', (-3.2564 + 0.952585 - 3.045989) / (3 * 4)],
    ['turn', 'trajectory', ((-1.025315 - 1.2) / 2 + 0.430354 + (-1.2 - 0.904837) / 2) / 3],
    ['turn', 'dialogue', ((-1.025315 - 1.2 - 1.2 - 0.904837) / 4 + 0.430354) / 2],
    ['trajectory', 'trajectory', (-1.123745 + 0.430354 - 1) / 3],
    ['trajectory', 'dialogue', ((-1.123745 - 1) / 2 + 0.430354) / 2],
    ['dialogue', 'dialogue', (-1.060068 + 0.430354) / 2],
  ];
  it.each(another)(
    'and of another in it, with the ratio of a %s and the mean over a %s',
    (ratioLevel, aggregation, expected) => {
      const found = tf.tidy(() => {
        const advantages = tf.tensor2d([0, 1, 1, 0, 1, 0, 0, -0.5, -0.5, 1, 1, 1], [4, 3]);
        const logprobs = tf.tensor2d([...logratios, 0.2, -0.3, 0.1], [4, 3]);
        const batch = { ...withAnother, logprobs, oldLogprobs: tf.zerosLike(logprobs), advantages };
        return policyLoss(batch, {
          ...options,
          ratioLevel,
          aggregation,
          maxActionTokens: 4,
        }).loss.dataSync()[0] as number;
      });
      expect(found).toBeCloseTo(expected, 5);
    },
  );

  it('goes by the mean of the advantages over both rows where the ratio does', () => {
    const column = [0, 3, 0, 0, 6, 0, 0, 1, 3];
    expect([...meansOverSpans(column, tokenSpans({ ...masks, shape }, 'trajectory'))]).toEqual([
      0, 3, 3, 0, 3, 0, 0, 2, 2,
    ]);
    expect([...meansOverSpans(column, tokenSpans({ ...masks, shape }, 'turn'))]).toEqual([
      0, 1.5, 1.5, 0, 6, 0, 0, 2, 2,
    ]);
  });
});

describe('the estimate of an agent whose dialogue lies in two rows', () => {
  it('runs over both in order of time, whatever order they lie in', () => {
    // The example with the rewards [0, 0, 1] and the values [0.2, 0.4, 0.5]. In this example, the tokens of the later
    // turn are in the earlier row.
    const swapped = { ...masks, turnIds: [-1, 1, 1, -1, 0, -1, -1, 0, 0], actionMask: [0, 0, 1, 0, 1, 0, 0, 0, 0] };
    expect(tokenSequences(swapped, 3)).toEqual([[4, 2]]);
    const [sequence = []] = tokenSequences(masks, 3);
    expect(sequence).toEqual([1, 2, 4]);
    const values = [0, 0.2, 0.4, 0, 0.5, 0, 0, 0, 0];
    const advantages = gae(
      [0, 0, 1],
      sequence.map((at) => values[at] as number),
      { gamma: 0.99, lambda: 0.95 },
    );
    [0.727618, 0.56525, 0.5].forEach((expected, i) => expect(advantages[i]).toBeCloseTo(expected, 5));
  });

  it('is never parted from itself by a minibatch', () => {
    const config = microConfig({ learning: { numMinibatches: 2 } });
    const parts = minibatchesOf(masks.trajectoryIds, { config, iteration: 0 }, 0);
    expect(parts.flat().toSorted()).toEqual([[0, 1], [2]]);
  });
});
