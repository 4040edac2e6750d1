// Tests runs with a joint critic, and runs whose agents exchange roles. The properties that all runs share are tested
// in everyRun.test.ts.
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { NetworkState } from '../../records/stored/checkpoint.ts';
import { onCpu } from '../testing/onCpu.ts';
import { startRun } from '../testing/microRun.ts';

onCpu();

const separate = { parameters: 'separate' } as const;
const pair = { ...separate, protocol: 'pioneerObserver' } as const;

const moved = (a: NetworkState | undefined, b: NetworkState | undefined) => {
  expect(a?.weights.length).toBeGreaterThan(0);
  a?.weights.forEach(({ name, values }, i) => expect(values, name).not.toEqual(b?.weights[i]?.values));
};

describe('a joint critic', () => {
  const settings = (learning: ConfigInput['learning']): ConfigInput => ({
    learning: { learner: 'mappo', ...learning },
    reward: { over: 'dense' },
  });

  it('is there for learners that ask for one, with a head of its own, and leaves the networks without one', async () => {
    const run = await startRun(settings({}));
    const { networks, critics } = await run.session.checkpoint();
    expect(networks.map(({ critic }) => critic)).toEqual([[]]);
    expect(critics?.map(({ critic }) => critic.map(({ name }) => name))).toEqual([
      ['value_head.weight', 'value_head.bias'],
    ]);
    expect(critics?.[0]?.weights).toEqual(networks[0]?.weights);
    await run.session.dispose();
    const other = await startRun();
    expect(await other.session.checkpoint()).not.toHaveProperty('critics');
  });

  it('learns by steps that touch no policy, and stands still where its loss has no weight', async () => {
    const [still, learns] = [await startRun(settings({ vfCoef: 0 })), await startRun(settings({ vfCoef: 1 }))];
    const before = await still.session.checkpoint();
    await still.session.train(1);
    await learns.session.train(1);
    const [a, b] = [await still.session.checkpoint(), await learns.session.checkpoint()];
    expect(a.critics?.[0]?.weights).toEqual(before.critics?.[0]?.weights);
    moved(b.critics?.[0], before.critics?.[0]);
    expect(a.networks).toEqual(b.networks);
  });

  it('is told of by its own loss and by what it explains', async () => {
    const run = await startRun(settings({}));
    await run.session.train(3);
    for (const { metrics } of run.store.iterations) {
      expect(metrics.values['losses/value_loss']).toBeGreaterThan(0);
      expect(metrics.values['losses/explained_variance']).toBeLessThanOrEqual(1);
    }
  });
});

describe('agents that exchange roles', () => {
  const settings: ConfigInput = { agents: { ...pair, swapEvery: 2 }, learning: { learner: 'cory' } };

  it('start as copies of one network, which is the one reference', async () => {
    const run = await startRun(settings);
    const { networks, reference } = await run.session.checkpoint();
    expect(networks).toHaveLength(2);
    expect(networks[1]).toEqual(networks[0]);
    expect(reference).toEqual([networks[0]?.weights]);
  });

  it('change places at the boundary: the weights stay with their moments, only who is spoken for changes', async () => {
    const run = await startRun(settings);
    const speaksFor = async () => {
      const { networks } = await run.session.checkpoint();
      const spoken = await Promise.all([0, 1].map((agent) => run.session.agentWeights(agent)));
      return spoken.map(([weights]) =>
        networks.findIndex((network) =>
          weights.every(({ values }, i) => values.every((x, at) => x === network.weights[i]?.values[at])),
        ),
      );
    };
    const seen: string[] = [];
    for (let iteration = 0; iteration < 4; iteration++) {
      await run.session.train(1);
      seen.push((await speaksFor()).join(''));
    }
    // After iteration 1 (counted from 0), the roles have already been exchanged for iteration 2.
    expect(seen).toEqual(['01', '10', '10', '01']);
  });
});
