// What must hold for a run of every learner that changes who learns how: who moved, nothing left behind, same seed same
// run, and a resumed run stands where it stood.
import { beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { NetworkState } from '../../records/checkpoint.ts';
import { startCpuEngine } from '../testing/cpuEngine.ts';
import { heldTensors, startRun } from '../testing/microRun.ts';
import { expectResumed } from '../testing/resumedRun.ts';

beforeAll(startCpuEngine);

const separate = { parameters: 'separate' } as const;
const pair = { ...separate, protocol: 'pioneerObserver' } as const;

const mixing = { teamRewardIterations: 1, mixingSteps: 2, mixingBatch: 8, replaySize: 40 } as const;

const runs: [string, ConfigInput][] = [
  ['ippo', { agents: separate, learning: { learner: 'ippo' }, reward: { across: 'own', over: 'dense' } }],
  ['ippo in a debate of three', { agents: { ...separate, protocol: 'debate', count: 3 }, learning: { learner: 'ippo' }, reward: { across: 'own' } }], // prettier-ignore
  ['cory', { agents: { ...pair, swapEvery: 2 }, learning: { learner: 'cory' }, kl: { place: 'reward' } }],
  ['mappo', { learning: { learner: 'mappo' }, reward: { over: 'dense' } }],
  ['mappo with two networks', { agents: separate, learning: { learner: 'mappo' }, kl: { place: 'reward' } }],
  ['mappo in a debate of three', { agents: { ...separate, protocol: 'debate', count: 3 }, learning: { learner: 'mappo' } }], // prettier-ignore
  ['happo', { agents: separate, learning: { learner: 'happo', normAdv: true }, reward: { over: 'dense' } }],
  ['happo in a debate of three', { agents: { ...separate, protocol: 'debate', count: 3 }, learning: { learner: 'happo' } }], // prettier-ignore
  ['happo with an exchange of roles', { agents: { ...separate, swapEvery: 1 }, learning: { learner: 'happo' } }],
  ['vdn', { learning: { learner: 'vdn', ...mixing } }],
  ['qmix with two networks', { agents: separate, learning: { learner: 'qmix', ...mixing }, reward: { over: 'dense' } }],
  ['qmix in a debate of three', { agents: { protocol: 'debate', count: 3 }, learning: { learner: 'qmix', ...mixing } }],
  ['cory without exchange', { agents: pair, learning: { learner: 'cory' } }],
];

const moved = (a: NetworkState | undefined, b: NetworkState | undefined) => {
  expect(a?.weights.length).toBeGreaterThan(0);
  a?.weights.forEach(({ name, values }, i) => expect(values, name).not.toEqual(b?.weights[i]?.values));
};

describe.each(runs)('a run with %s', (_, settings) => {
  it('moves every network and never a reference, and leaves no tensors behind', async () => {
    const run = await startRun({ ...settings, evaluation: { every: 9 } });
    const before = await run.session.checkpoint();
    await run.session.train(1);
    const tensors = heldTensors(run);
    await run.session.train(3);
    expect(heldTensors(run)).toBe(tensors);
    const after = await run.session.checkpoint();
    expect(after.networks).toHaveLength(before.networks.length);
    after.networks.forEach((network, n) => moved(network, before.networks[n]));
    expect(after.critics?.length).toBe(before.critics?.length);
    after.critics?.forEach((critic, i) => moved(critic, before.critics?.[i]));
    expect(after.reference).toEqual(before.reference);
    const values = run.store.iterations.flatMap(({ metrics }) => Object.values(metrics.values));
    expect(values.every(Number.isFinite)).toBe(true);
    await run.session.dispose();
  });

  it('is the same for the same seed, and goes on from a checkpoint as if it had never stopped', () =>
    expectResumed(settings, 2));
});

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
    await other.session.dispose();
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
    await Promise.all([still.session.dispose(), learns.session.dispose()]);
  });

  it('is told of by its own loss and by what it explains', async () => {
    const run = await startRun(settings({}));
    await run.session.train(3);
    for (const { metrics } of run.store.iterations) {
      expect(metrics.values['losses/value_loss']).toBeGreaterThan(0);
      expect(metrics.values['losses/explained_variance']).toBeLessThanOrEqual(1);
    }
    await run.session.dispose();
  });

  it('leaves the ratio at 1 where every sample is learned from once', async () => {
    const run = await startRun(settings({ updateEpochs: 1, numMinibatches: 1 }));
    await run.session.train(2);
    for (const { metrics } of run.store.iterations) {
      expect(metrics.values['losses/approx_kl']).toBeLessThan(1e-6);
      expect(metrics.values['losses/clipfrac']).toBe(0);
    }
    await run.session.dispose();
  });
});

describe('agents that alternate', () => {
  it.each(runs.filter(([name]) => /ippo|two networks/.test(name)))(
    'leave the others bit-identical (%s)',
    async (_, settings) => {
      const run = await startRun({ ...settings, learning: { ...settings.learning, switchEvery: 1 } });
      const before = await run.session.checkpoint();
      await run.session.train(1);
      const after = await run.session.checkpoint();
      moved(after.networks[0], before.networks[0]);
      expect(after.networks.slice(1)).toEqual(before.networks.slice(1));
      await run.session.dispose();
    },
  );
});

describe('agents that exchange roles', () => {
  const settings: ConfigInput = { agents: { ...pair, swapEvery: 2 }, learning: { learner: 'cory' } };

  it('start as copies of one network, which is the one reference', async () => {
    const run = await startRun(settings);
    const { networks, reference } = await run.session.checkpoint();
    expect(networks).toHaveLength(2);
    expect(networks[1]).toEqual(networks[0]);
    expect(reference).toEqual([networks[0]?.weights]);
    await run.session.dispose();
  });

  it('change places at the boundary: the weights stay with their moments, only who is spoken for changes', async () => {
    const run = await startRun(settings);
    const speaksFor = async () => {
      const { networks } = await run.session.checkpoint();
      const spoken = await Promise.all([0, 1].map((agent) => run.session.agentWeights(agent)));
      return spoken.map(
        ([weights]) =>
        networks.findIndex((network) => weights.every(({ values }, i) => values.every((x, at) => x === network.weights[i]?.values[at]))), // prettier-ignore
      );
    };
    const seen: string[] = [];
    for (let iteration = 0; iteration < 4; iteration++) {
      await run.session.train(1);
      seen.push((await speaksFor()).join(''));
    }
    // After iteration 1 the pair stands as iteration 2 (from 0) will find it.
    expect(seen).toEqual(['01', '10', '10', '01']);
    await run.session.dispose();
  });

  it('teach both networks both roles: with one agent learning at a time the other network moves after the exchange', async () => {
    const alternating = { agents: { ...pair, swapEvery: 1 }, learning: { switchEvery: 100 } } as const;
    const run = await startRun(alternating);
    let before = await run.session.checkpoint();
    for (const learns of [0, 1, 0]) {
      await run.session.train(1);
      const after = await run.session.checkpoint();
      moved(after.networks[learns], before.networks[learns]);
      expect(after.networks[1 - learns]).toEqual(before.networks[1 - learns]);
      before = after;
    }
    await run.session.dispose();
  });

  it('sample with the network whose turn it is: on policy the ratio is 1 whatever the seats', async () => {
    const once = { updateEpochs: 1, numMinibatches: 1, learner: 'cory' } as const;
    const run = await startRun({ ...settings, agents: { ...pair, swapEvery: 1 }, learning: once });
    await run.session.train(3);
    for (const { metrics } of run.store.iterations) {
      expect(metrics.values['losses/approx_kl']).toBeLessThan(1e-6);
      expect(metrics.values['losses/clipfrac']).toBe(0);
    }
    await run.session.dispose();
  });
});
