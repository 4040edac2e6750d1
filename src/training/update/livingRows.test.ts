// Tests that rows whose advantages are all 0 are left out of the update, unless another term of the loss gives them a
// gradient. Also tests that leaving out such rows does not change the gradient of the update.
import { afterEach, describe, expect, it } from 'vitest';
import * as tf from '@tensorflow/tfjs-core';
import type { ConfigInput } from '../../config/schema.ts';
import { simdName } from '../../engine/simd.ts';
import { actionCount, selectRows } from '../rows/rows.ts';
import { disposeNetwork, downloadNetwork, uploadNetwork } from '../team/network.ts';
import { openGate } from '../testing/microRun.ts';
import { onCpu } from '../testing/onCpu.ts';
import { gradientGap, partlyDead, takenStep, type OffPolicy } from '../testing/totalLoss.ts';
import { updateNetwork } from './update.ts';

onCpu();

afterEach(async () => {
  await tf.setBackend(simdName);
});

const levels = [
  ['token', 'token'],
  ['token', 'trajectory'],
  ['token', 'constant'],
  ['turn', 'turn'],
  ['turn', 'trajectory'],
  ['trajectory', 'trajectory'],
  ['trajectory', 'dialogue'],
  ['dialogue', 'dialogue'],
] as const;

type Learning = NonNullable<ConfigInput['learning']>;

/**
 * The rows of four trajectories. With `odd`, the trajectories with odd ids have an advantage, otherwise the
 * trajectories with even ids.
 */
const halfDead = (learning: Learning, { kl = {}, odd = true }: { kl?: ConfigInput['kl']; odd?: boolean } = {}) =>
  partlyDead({ learning, kl }, (row, { trajectoryIds }) => (trajectoryIds[row] as number) % 2 === (odd ? 0 : 1));

/**
 * The same rows with a limit of the KL that is never reached. Because of this limit, the KL of all rows is computed, so
 * no row is left out.
 */
const withAllRows = ({ team, ...found }: OffPolicy): OffPolicy => ({
  ...found,
  team: { ...team, config: { ...team.config, kl: { ...team.config.kl, targetKl: 1e9 } } },
});

const leftOut = 'charts/rows_left_out';

describe('rows of dead groups', () => {
  it.each(levels)('leave the gradient of a %s ratio summed by %s as it is', async (ratioLevel, aggregation) => {
    for (const backend of [simdName, 'cpu']) {
      await tf.setBackend(backend);
      const found = await halfDead({ ratioLevel, aggregation });
      const [some, all] = [await takenStep(found), await takenStep(withAllRows(found))];
      expect([some.metrics[leftOut], all.metrics[leftOut]]).toEqual([0.5, 0]);
      expect(gradientGap(some.gradient, all.gradient)).toBeLessThan(1e-6);
      expect(some.metrics['losses/policy_loss']).toBeCloseTo(all.metrics['losses/policy_loss'], 6);
    }
  });

  it('leave it so for every learner without a critic of its agents', async () => {
    for (const learner of ['grpo', 'rloo', 'reinforcePlusPlus', 'vdn', 'qmix', 'mappo'] as const) {
      const found = await halfDead({ learner });
      const [some, all] = [await takenStep(found), await takenStep(withAllRows(found))];
      expect(some.metrics[leftOut], learner).toBe(0.5);
      expect(gradientGap(some.gradient, all.gradient), learner).toBeLessThan(1e-6);
    }
  });

  it('stay where an entropy bonus, a KL in the loss or a value gives them a gradient', async () => {
    const bonus = await halfDead({ entCoef: 0.01 });
    const distance = await halfDead({}, { kl: { place: 'loss', coef: 0.1 } });
    const found = await halfDead({ learner: 'ppo' });
    const returns = found.facts.advantages.map((x) => x + 1);
    const values = { ...found, facts: { ...found.facts, returns, oldValues: new Float32Array(returns.length) } };
    for (const rows of [bonus, distance, values]) expect((await takenStep(rows)).metrics[leftOut]).toBe(0);
  });

  it('leave with a bonus for living groups only, and each other token has the bonus it had', async () => {
    const bonusOf = async (odd: boolean, learning: Learning) => {
      const bonus = await takenStep(await halfDead(learning, { odd }));
      const bare = await takenStep(await halfDead({}, { odd }));
      const gradient = bonus.gradient.map((xs, i) =>
        xs.map((x, j) => x - ((bare.gradient[i] as Float32Array)[j] as number)),
      );
      return { leftOut: bonus.metrics[leftOut], gradient };
    };
    const option = { entCoef: 0.1, livingEntropy: true };
    const [even, odd] = [await bonusOf(false, option), await bonusOf(true, option)];
    const all = await bonusOf(false, { entCoef: 0.1 });
    expect([even.leftOut, odd.leftOut, all.leftOut]).toEqual([0.5, 0.5, 0]);
    const sum = even.gradient.map((xs, i) => xs.map((x, j) => x + ((odd.gradient[i] as Float32Array)[j] as number)));
    expect(gradientGap(sum, all.gradient)).toBeLessThan(1e-5);
    expect(gradientGap(even.gradient, all.gradient)).toBeGreaterThan(0.1);
  });

  it('leave of two rows the loss of the other by its share of the tokens, its bonus included', async () => {
    const learning = { ratioLevel: 'token', aggregation: 'token', entCoef: 0.1, livingEntropy: true } as const;
    const found = await halfDead(learning);
    const stepOf = (rows: number[]) => {
      const { batch, columns } = selectRows(found.batch, rows, { advantages: found.facts.advantages });
      const facts = { ...found.facts, advantages: columns.advantages };
      return { step: takenStep({ ...found, batch, facts }), tokens: actionCount(batch) };
    };
    const row = (parity: number) => found.batch.trajectoryIds.findIndex((id) => id % 2 === parity);
    const [both, alone] = [stepOf([row(1), row(0)]), stepOf([row(1)])];
    const share = alone.tokens / both.tokens;
    expect(share).toBeLessThan(0.9);
    const expected = (await alone.step).gradient.map((values) => values.map((x) => x * share));
    const { metrics, gradient } = await both.step;
    expect(metrics[leftOut]).toBe(0.5);
    expect(gradientGap(gradient, expected)).toBeLessThan(1e-6);
  });

  it('tell the mean KL, entropy and clipped share of the rows that are left', async () => {
    const found = await halfDead({ ratioLevel: 'token', aggregation: 'token' });
    const some = await takenStep(found);
    const alive = [...found.batch.trajectoryIds.keys()].filter(
      (b) => (found.batch.trajectoryIds[b] as number) % 2 === 1,
    );
    const { batch, columns } = selectRows(found.batch, alive, { advantages: found.facts.advantages });
    const alone = await takenStep({ ...found, batch, facts: { ...found.facts, advantages: columns.advantages } });
    for (const name of ['losses/approx_kl', 'losses/entropy', 'losses/clipfrac', 'losses/dual_clipfrac'] as const)
      expect(some.metrics[name], name).toBeCloseTo(alone.metrics[name], 6);
    expect(some.metrics['losses/clipfrac']).toBeGreaterThan(0);
  });

  it('are all dead: one trajectory stays, and momentum alone moves the weights, also with a bonus for living groups', async () => {
    for (const learning of [{}, { entCoef: 0.1, livingEntropy: true }]) {
      const { metrics, gradient } = await takenStep(await partlyDead({ learning }, () => true));
      expect(metrics[leftOut]).toBe(0.75);
      expect(gradient.every((values) => values.every((x) => x === 0))).toBe(true);
    }
  });

  it('are all dead in ten iterations: by Muon matrices stand still, and what AdamW moves comes to rest', async () => {
    const [some, none] = [await halfDead({}), await partlyDead({ learning: {} }, () => true)];
    const { config, shape, maxActionTokens } = some.team;
    const optimiser = { ...config.optimiser, method: 'muon', warmupUpdates: 0 } as const;
    for (const backend of [simdName, 'cpu']) {
      await tf.setBackend(backend);
      const network = uploadNetwork(some.state, shape);
      const context = { config: { ...config, optimiser }, gate: openGate(), klCoef: 0, maxActionTokens };
      let { weights } = some.state;
      // For each iteration, the largest change of a number in the matrices, and of a number in the other parameters.
      const moves: [number, number][] = [];
      for (const [iteration, { batch, facts }] of [some, ...Array<OffPolicy>(10).fill(none)].entries()) {
        await updateNetwork(network, batch, facts, { ...context, iteration });
        const { weights: next } = await downloadNetwork(network);
        const moved = (isMatrix: boolean) =>
          Math.max(
            ...next.flatMap(({ name, values }, i) =>
              name.endsWith('_proj.weight') === isMatrix
                ? values
                    .map((x, at) => Math.abs(x - (weights[i]?.values[at] as number)))
                    .reduce((a, b) => Math.max(a, b))
                : [],
            ),
          );
        moves.push([moved(true), moved(false)]);
        weights = next;
      }
      const { m } = await downloadNetwork(network);
      disposeNetwork(network);
      expect(m.flatMap((moment) => [...moment]).some((x) => x !== 0)).toBe(true);
      expect(moves.map(([matrices]) => matrices > 0)).toEqual(moves.map((_, iteration) => iteration === 0));
      expect(moves[10]?.[1]).toBeLessThan(0.5 * (moves[0]?.[1] as number));
    }
  });
});
