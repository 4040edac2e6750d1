import { describe, expect, it } from 'vitest';
import { parseConfig, withSettings } from '../../config/parse.ts';
import { microConfig, startRun } from '../testing/microRun.ts';
import { onCpu } from '../testing/onCpu.ts';
import { rateShare, scheduled } from './rateSchedule.ts';

onCpu();

const sharesOf = (schedule: string, iterations: number) => {
  const config = withSettings(parseConfig({}), { 'optimiser.schedule': schedule, 'run.iterations': iterations });
  return Array.from({ length: iterations }, (_, iteration) => rateShare(config, iteration));
};

describe('the schedule of the learning rates', () => {
  it('has these shares by hand', () => {
    expect(sharesOf('constant', 4)).toEqual([1, 1, 1, 1]);
    expect(sharesOf('linear', 4)).toEqual([1, 0.75, 0.5, 0.25]);
    const half = Math.SQRT1_2 / 2;
    [1, 0.5 + half, 0.5, 0.5 - half].forEach((share, i) => expect(sharesOf('cosine', 4)[i]).toBeCloseTo(share, 12));
  });

  it.each(['linear', 'cosine'])(
    'falls from 1 to a positive share (%s), which prolonging the run raises',
    (schedule) => {
      for (const iterations of [1, 2, 7, 100]) {
        const shares = sharesOf(schedule, iterations);
        expect(shares[0]).toBe(1);
        expect(Math.min(...shares)).toBeGreaterThan(0);
        expect(shares.toSorted((a, b) => b - a)).toEqual(shares);
      }
      expect(sharesOf(schedule, 20)[9]).toBeGreaterThan(sharesOf(schedule, 10)[9] as number);
    },
  );

  it('lowers the rates of agents and critics alike, and no other setting', () => {
    const config = withSettings(parseConfig({}), { 'optimiser.schedule': 'linear', 'run.iterations': 10 });
    const now = scheduled(config, 5);
    const { optimiser, learning } = config;
    expect(now.optimiser).toEqual({
      ...optimiser,
      learningRate: optimiser.learningRate / 2,
      muonRate: optimiser.muonRate / 2,
      criticRate: optimiser.criticRate / 2,
    });
    expect(now.learning).toEqual({ ...learning, mixingRate: learning.mixingRate / 2 });
    expect({ ...now, optimiser, learning }).toEqual(config);
  });

  it('is used and shown by a run: its first iteration is that of a constant rate, the others are not', async () => {
    const ends = await Promise.all(
      (['constant', 'linear'] as const).map(async (schedule) => {
        const run = await startRun(microConfig({ optimiser: { schedule }, run: { iterations: 3 } }));
        const weights = [];
        for (let i = 0; i < 3; i++) {
          await run.session.train(1);
          weights.push((await run.session.checkpoint()).networks[0]?.weights.map(({ values }) => [...values]));
        }
        await run.session.dispose();
        return { weights, rates: run.store.iterations.map(({ metrics }) => metrics.values['charts/learning_rate']) };
      }),
    );
    const [constant, linear] = ends;
    expect(linear?.weights[0]).toEqual(constant?.weights[0]);
    expect(linear?.weights[1]).not.toEqual(constant?.weights[1]);
    const [rate = 0] = constant?.rates ?? [];
    expect(constant?.rates).toEqual([rate, rate, rate]);
    [1, 2 / 3, 1 / 3].forEach((share, i) => expect(linear?.rates[i]).toBeCloseTo(share * rate, 12));
  });
});
