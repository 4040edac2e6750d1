import { describe, expect, it } from 'vitest';
import type { ForkMode } from '../../config/fork.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import { runId } from '../../records/ids.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { forkCheckpoint, forkedRun } from './fork.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, openRun, startRun } from '../testing/microRun.ts';

onCpu();

const forkId = runId('forked');
const fork = (checkpoint: Checkpoint, mode: ForkMode) => forkCheckpoint(checkpoint, { mode, runId: forkId });

/** The checkpoint of a run with a shared network after some iterations. */
async function after(iterations: number, settings: ConfigInput = {}): Promise<Checkpoint> {
  const run = await startRun(settings);
  await run.session.train(iterations);
  const checkpoint = await run.session.checkpoint();
  await run.session.dispose();
  return checkpoint;
}

/**
 * The dialogues to compare. If each turn has its own adapter, the fork computes the caches of all earlier turns again.
 * Sums are then rounded differently, so log-probabilities are compared only approximately.
 */
const talk = (trajectories: Trajectory[] | undefined, mode: ForkMode) =>
  mode !== 'loraByTurn'
    ? trajectories
    : trajectories?.map(({ turns, ...rest }) => ({
        ...rest,
        turns: turns.map(({ logprobs, ...turn }) => ({
          ...turn,
          logprobs: logprobs.map((logprob): unknown => expect.closeTo(logprob, 4)),
        })),
      }));

/**
 * Trains for this many more iterations. Returns the dialogues of these iterations, and the state after the last one.
 */
async function further(checkpoint: Checkpoint, iterations: number) {
  const run = openRun(structuredClone(checkpoint));
  await run.session.train(iterations);
  const end = await run.session.checkpoint();
  await run.session.dispose();
  return { collected: run.collected(), end };
}

describe.each(['separate', 'lora', 'loraByTurn'] as const)('a fork to %s', (mode) => {
  it('samples what the shared run would have sampled next: the same tokens and log-probabilities', async () => {
    const checkpoint = await after(2);
    const forked = fork(checkpoint, mode);
    const [ours, theirs] = [await further(forked, 2), await further(checkpoint, 2)];
    expect(ours.collected[0]).toHaveLength(16);
    expect(ours.collected[0]).toEqual(talk(theirs.collected[0], mode));
    expect(ours.collected[1]).not.toEqual(theirs.collected[1]);
    expect(ours.end.iteration).toBe(4);
    expect(ours.end.runId).toBe(forkId);
  });

  it('keeps iteration, seed, reference and counters, changes no other setting, and leaves its parent as it was', async () => {
    const checkpoint = await after(2, { kl: { place: 'reward', isAdaptive: true } });
    const before = structuredClone(checkpoint);
    const forked = fork(checkpoint, mode);
    const { networks, base, config, runId: id, ...rest } = forked;
    const { networks: shared, config: given, runId: _, ...kept } = checkpoint;
    expect(rest).toEqual(kept);
    expect(id).toBe(forkId);
    const parameters = mode === 'separate' ? mode : 'lora';
    const adapterPer = mode === 'loraByTurn' ? 'turn' : 'role';
    expect(config).toEqual({ ...given, agents: { ...given.agents, parameters, adapterPer } });
    expect(networks).toHaveLength(mode === 'loraByTurn' ? 2 * 3 : 2);
    expect(base).toEqual(mode === 'separate' ? undefined : shared[0]?.weights);
    for (const network of [...networks, { weights: forked.reference[0] ?? [], m: [] }]) {
      for (const { values } of network.weights) values.fill(9);
      for (const moment of network.m) moment.fill(9);
    }
    base?.forEach(({ values }) => values.fill(9));
    expect(checkpoint).toEqual(before);
  });

  it('takes value heads along, or the joint critic with its memory', async () => {
    const own = await after(1, { learning: { learner: 'ppo' } });
    for (const { critic } of fork(own, mode).networks) expect(critic).toEqual(own.networks[0]?.critic);
    expect(own.networks[0]?.critic[0]?.values.some((x) => x !== 0)).toBe(true);
    const joint = await after(1, { learning: { learner: 'mappo' }, reward: { over: 'dense' } });
    expect(fork(joint, mode).critics).toEqual(joint.critics);
    expect(fork(joint, mode).criticStates).toEqual(joint.criticStates);
    await further(fork(joint, mode), 1);
  });

  it('gives each agent a copy of the critic that they shared, with what it remembers', async () => {
    const shared = await after(1, { learning: { learner: 'ppo', critic: 'network' } });
    const { critics, criticStates } = fork(shared, mode);
    expect(critics).toEqual([shared.critics?.[0], shared.critics?.[0]]);
    expect(criticStates).toEqual([shared.criticStates?.[0], shared.criticStates?.[0]]);
    // The critic's memory contains the parts of both agents in sixteen dialogues, except the parts in which the agent
    // said nothing.
    expect(shared.criticStates?.[0]?.memory.stored).toBeGreaterThan(16);
    await further(fork(shared, mode), 1);
  });
});

it('a fork to separate networks gives every agent the weights, the moments and the count of updates', async () => {
  const checkpoint = await after(2, { agents: { protocol: 'debate', count: 3 } });
  const { networks } = fork(checkpoint, 'separate');
  expect(networks).toHaveLength(3);
  for (const network of networks) expect(network).toEqual(checkpoint.networks[0]);
});

describe.each(['lora', 'loraByTurn'] as const)('a fork to adapters: %s', (mode) => {
  it('freezes the weights as they are, while the distance is still told to what the run began with', async () => {
    const checkpoint = await after(1);
    const forked = fork(checkpoint, mode);
    expect(forked.networks[0]?.weights[0]?.values).not.toEqual(forked.networks[1]?.weights[0]?.values);
    for (const { updates, m, v } of forked.networks) {
      expect(updates).toBe(0);
      expect([...m, ...v].every((moment) => moment.every((x) => x === 0))).toBe(true);
    }
    const { end } = await further(forked, 1);
    expect(end.base).toEqual(checkpoint.networks[0]?.weights);
    expect(end.reference).toEqual(checkpoint.reference);
    expect(end.reference[0]).not.toEqual(end.base);
  });
});

it('what cannot be forked is a run that has learned nothing, and one whose agents have parted', async () => {
  const fresh = await (await startRun()).session.checkpoint();
  expect(() => fork(fresh, 'lora')).toThrow('set agents.parameters in a new run');
  const parted = await after(1, { agents: { parameters: 'separate' } });
  expect(() => fork(parted, 'lora')).toThrow('agents.parameters = shared');
});

it('the record of a fork says where it comes from, and begins a history of its own', async () => {
  const checkpoint = await after(2);
  const { session } = openRun(checkpoint, { changes: [{ iteration: 1, path: 'learning.clipHigh', value: 0.3 }] });
  const begun = microConfig({ run: { seed: 9 } });
  const plan = { changes: [{ iteration: 7, path: 'learning.clipHigh', value: 0.4 }], imports: [] };
  const parent = { ...session.run, begun, plan, isDone: true };
  await session.dispose();
  const given = { name: 'calm-otter · adapters', createdMs: 5, mode: 'lora', digest: 'abc' } as const;
  const run = forkedRun(parent, fork(checkpoint, 'lora'), given);
  expect(run).toMatchObject({ id: forkId, name: given.name, createdMs: 5, iteration: 2, isDone: false });
  const history = { preset: 'micro', config: begun, changes: parent.changes, imports: [] };
  const origin = { id: parent.id, name: parent.name, iteration: 2 };
  expect(run.forkedFrom).toEqual({ ...origin, mode: 'lora', digest: 'abc', parent: history });
  expect([run.begun, run.plan]).toEqual([run.config, undefined]);
  // The record of a run that was started by an earlier version does not contain the initial settings.
  expect(forkedRun({ ...parent, begun: undefined }, fork(checkpoint, 'lora'), given).forkedFrom).toEqual(origin);
  expect(run.config.agents.parameters).toBe('lora');
  expect(run.changes).toEqual([]);
});
