import { describe, expect, it } from 'vitest';
import { mean } from '../../base/stats.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { initialWeights } from '../../model/network/parameters.ts';
import { demonstrate, demonstrateFor } from './demonstrations.ts';
import { demonstratedRows, imitated } from './imitatedDemonstrations.ts';
import { learnLesson } from './lesson.ts';
import { disposeNetwork, freshState, uploadNetwork, type Network } from '../team/network.ts';
import { measureIteration } from '../preflight/preflight.ts';
import { buildRows } from '../rows/rows.ts';
import { assembleTeam, teamAt } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, openGate, startRun } from '../testing/microRun.ts';
import { trainWarmStart } from './warmStart.ts';

onCpu();

const few = { problemsPerIteration: 2, groupSize: 2 } as const;
const settings = (more: ConfigInput = {}, imitate: 'own' | 'demonstrations' = 'demonstrations'): ConfigInput => ({
  ...more,
  learning: { ...few, learner: 'sft', imitate, ...more.learning },
  kl: { place: 'off' },
});

const changedNetworks = (before: Checkpoint, after: Checkpoint) =>
  after.networks.map((own, n) => JSON.stringify(own.weights) !== JSON.stringify(before.networks[n]?.weights));

/** Trains from random weights for this many iterations. Returns, for each network, whether its weights have changed. */
async function moved(given: ConfigInput, iterations = 1): Promise<boolean[]> {
  const { session } = await startRun(given);
  const before = await session.checkpoint();
  await session.train(iterations);
  const after = await session.checkpoint();
  await session.dispose();
  return changedNetworks(before, after);
}

const debate = { protocol: 'debate', count: 2, roundLimit: 2, reasonWindow: 6 } as const;
const teams: [string, ConfigInput['agents'], boolean[]][] = [
  ['one network', {}, [true]],
  ['a network each', { parameters: 'separate' }, [true, true]],
  ['an adapter each', { parameters: 'lora' }, [true, true]],
  // Each dialogue ends with a plan, so the reasoner never gives a third reply, and the reasoner's third adapter does
  // not change.
  ['an adapter a turn', { parameters: 'lora', adapterPer: 'turn' }, [true, true, true, true, true, false]],
  ['unequal agents', { parameters: 'heterogeneous', otherVocabulary: 'joined' }, [true, true]],
  ['one agent', { protocol: 'single' }, [true]],
  ['a pioneer', { protocol: 'pioneerObserver', parameters: 'separate' }, [true, true]],
  ['a vote', { protocol: 'vote', parameters: 'separate', count: 2 }, [true, true]],
  ['a summary', { protocol: 'summary', parameters: 'separate', count: 2, roundLimit: 2 }, [true, true]],
  ['a debate', { ...debate, parameters: 'lora', adapterPer: 'turn' }, [true, true, true, true]],
];

describe('SFT on demonstrations', () => {
  it.each(teams)(
    'moves from random weights, where its own dialogues teach nothing: %s',
    async (_, agents, expected) => {
      expect(await moved(settings({ agents }))).toEqual(expected);
      expect(await moved(settings({ agents }, 'own'))).toEqual(expected.map(() => false));
    },
  );

  it('leaves frozen agents, and those whose turn it is not, as they are', async () => {
    const agents = { parameters: 'separate' } as const;
    expect(await moved(settings({ agents, learning: { frozen: [0] } }))).toEqual([false, true]);
    const alternating = { switchEvery: 1, startAgent: 1 };
    expect(await moved(settings({ agents, learning: alternating }))).toEqual([false, true]);
    expect(await moved(settings({ agents, learning: alternating }), 2)).toEqual([true, true]);
  });

  it('shows each network the role that it plays in the iteration', async () => {
    const team = assembleTeam(microConfig(settings({ agents: { parameters: 'separate', swapEvery: 1 } })));
    const roles = async (iteration: number) => {
      const rowsOf = await demonstratedRows(teamAt(team, iteration), iteration, 3);
      return [0, 1].flatMap((n) => [...rowsOf(n).agentIds]);
    };
    expect(await roles(0)).toEqual([0, 0, 0, 1, 1, 1]);
    expect(await roles(1)).toEqual([1, 1, 1, 0, 0, 0]);
  });

  it('has the gradient of the warm start on the same rows', async () => {
    const once = { updateEpochs: 1, numMinibatches: 1 };
    const team = assembleTeam(
      microConfig(
        settings({ learning: once, optimiser: { maxGradNorm: 1 }, warmStart: { source: 'train', steps: 1 } }),
      ),
    );
    const network = () => uploadNetwork(freshState(initialWeights(team.shape, 3, 0), team.shape, false), team.shape);
    const momentsOf = ({ m }: Network) => m.map((moment) => moment.dataSync<'float32'>().slice());
    const warm = network();
    let ofWarmStart: Float32Array[] = [];
    let loss = 0;
    await trainWarmStart(team, [warm], {
      gate: openGate(),
      onStep: (_, value) => ([ofWarmStart, loss] = [momentsOf(warm), value]),
    });
    const own = network();
    const rows = buildRows(demonstrate(team, 0), [0, 1], team.tokens);
    const [step] = await learnLesson(own, imitated(rows), { team, gate: openGate(), iteration: 0, reference: null });
    // After one step, the first moment is the gradient times (1 − β₁). The gradients of SFT and of the warm start are
    // clipped in the same way.
    const found = momentsOf(own);
    const scale = Math.max(...ofWarmStart.flatMap((values) => [...values].map(Math.abs)));
    expect(scale).toBeGreaterThan(1e-4);
    found.forEach((values, i) =>
      values.forEach((x, at) => expect(Math.abs(x - (ofWarmStart[i]?.[at] as number))).toBeLessThan(1e-5 * scale)),
    );
    expect(step?.['losses/policy_loss']).toBeCloseTo(loss, 4);
    for (const one of [warm, own]) disposeNetwork(one);
  });

  it('is shown other dialogues in each iteration, and others than the warm start, all by the seed', async () => {
    const team = assembleTeam(microConfig(settings({ warmStart: { batchSize: 4 } })));
    const said = (trajectories: ReturnType<typeof demonstrate>) =>
      trajectories.map(({ problem, turns }) => [problem.id, ...turns.map(({ text }) => text)].join(' '));
    const all = [demonstrate(team, 0), demonstrateFor(team, 0, 4), demonstrateFor(team, 1, 4)].map(said);
    expect(new Set(all.map(String)).size).toBe(3);
    expect(said(demonstrateFor(team, 1, 4))).toEqual(all[2]);
    expect((await demonstratedRows(team, 0, 4))(0).rows).toBe(8);
  });

  it('measures what the team says, and says of no turn that it was learned from', async () => {
    const { session, store } = await startRun(settings());
    await session.train(2);
    const metrics = store.iterations.map(({ metrics: { values } }) => values);
    for (const values of metrics) {
      expect(values['losses/policy_loss']).toBeGreaterThan(1);
      expect(values['charts/episodic_return']).toBeGreaterThanOrEqual(0);
      expect(values['losses/grad_norm']).toBeGreaterThan(0);
    }
    const shown = store.iterations.at(-1)?.shown;
    expect(shown?.formula?.loss).toBe('demonstration');
    expect(shown?.rollouts.flatMap(({ turns }) => turns).every(({ terms }) => terms === undefined)).toBe(true);
  });

  it('is forecast with the rows that are imitated, and the run is not changed', async () => {
    const { session } = await startRun(settings({ agents: { parameters: 'separate' } }));
    const before = await session.checkpoint();
    const { parts, memoryBytes } = await measureIteration(session.trainState);
    expect(parts.update).toBeGreaterThan(0);
    expect(memoryBytes).toBeGreaterThan(0);
    expect(await session.checkpoint()).toEqual(before);
  });

  it('teaches random weights to answer, and to be right now and then', async () => {
    const { session, collected } = await startRun({
      agents: { protocol: 'single' },
      learning: {
        ...{ learner: 'sft', imitate: 'demonstrations', problemsPerIteration: 8, groupSize: 8 },
        ...{ updateEpochs: 4, numMinibatches: 2 },
      },
      kl: { place: 'off' },
      optimiser: { learningRate: 1e-2, warmupUpdates: 20 },
      warmStart: { goodPlans: 1, resultNoise: 0 },
      run: { iterations: 25 },
    });
    await session.train();
    await session.dispose();
    const share = (of: (trajectory: Trajectory) => boolean) =>
      collected().map((all) => mean(all.map((trajectory) => Number(of(trajectory)))));
    const [answered, right] = [share(({ answer }) => answer !== null), share(({ isRight }) => isRight)];
    expect(mean(answered.slice(0, 3))).toBeLessThan(0.2);
    expect(mean(answered.slice(-10))).toBeGreaterThan(0.8);
    expect(mean(right.slice(0, 3))).toBe(0);
    expect(mean(right.slice(-10))).toBeGreaterThan(0.06);
  });
});
