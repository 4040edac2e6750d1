// Tests references that are renewed during a run: when a copy of the policy is made, that the copy does not change, and
// which computations use the copy.
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import { blockBytes } from '../../engine/memory.ts';
import { disposeTree, downloadTree, isAdapted, uploadTree, type WeightTree } from '../../model/network/parameters.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import { restingBytes } from '../rows/memory.ts';
import { adapterScale, speakingVariables, type Network } from '../team/network.ts';
import { disposeReference, uploadReference } from '../team/reference.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { openRun, startRun } from '../testing/microRun.ts';

onCpu();

async function run(settings: ConfigInput, iterations: number) {
  const { session, events } = await startRun(settings);
  const states = [await session.checkpoint()];
  const tensors: number[] = [];
  for (let i = 0; i < iterations; i++) {
    await session.train(1);
    states.push(await session.checkpoint());
    tensors.push(tf.memory().numTensors);
  }
  await session.dispose();
  const refKl = events.flatMap((event) =>
    event.kind === 'iteration' ? [event.metrics.values['losses/ref_kl'] as number] : [],
  );
  const shownKl = events.flatMap((event) =>
    event.kind === 'iteration' && event.shown
      ? [event.shown.rollouts.flatMap(({ turns }) => turns.flatMap(({ kl }) => kl)).reduce((sum, k) => sum + k, 0)]
      : [],
  );
  return { states, tensors, refKl, shownKl };
}

describe('a reference renewed every two iterations', () => {
  const settings = { agents: { parameters: 'separate' }, kl: { refreshEvery: 2, place: 'loss', coef: 0.01 } } as const;

  it('is the networks as they were then, and does not move while they learn', async () => {
    const { states, tensors } = await run(settings, 4);
    const reference = (i: number) => states[i]?.reference;
    const weights = (i: number) => states[i]?.networks.map((network) => network.weights);
    expect(reference(1)).toEqual(weights(0));
    expect(reference(2)).toEqual(weights(2));
    expect(reference(3)).toEqual(weights(2));
    expect(reference(4)).toEqual(weights(4));
    expect(weights(3)).not.toEqual(weights(2));
    expect(new Set(tensors.slice(1)).size).toBe(1);
  });

  it('is what the KL and the inspector measure from', async () => {
    const { refKl, shownKl } = await run(settings, 4);
    expect(refKl[0]).toBeLessThan(1e-9);
    expect(refKl[1]).toBeGreaterThan(1e-6);
    expect(refKl[2]).toBeLessThan(1e-9);
    expect(refKl[3]).toBeGreaterThan(1e-6);
    for (const shown of shownKl) expect(shown).toBeGreaterThan(0);
  });
});

it('one reference of several networks becomes one for each', async () => {
  const agents = { protocol: 'pioneerObserver', parameters: 'separate', swapEvery: 1 } as const;
  const { states } = await run({ learning: { learner: 'cory' }, agents, kl: { refreshEvery: 2 } }, 3);
  expect(states.map(({ reference }) => reference.length)).toEqual([1, 1, 2, 2]);
  expect(states[3]?.reference).toEqual(states[2]?.networks.map(({ weights }) => weights));
});

it('it may be renewed from some iteration on', async () => {
  const { session } = await startRun({});
  await session.train(1);
  await session.change('kl.refreshEvery', 1);
  await session.train(1);
  const { networks, reference } = await session.checkpoint();
  expect(reference).toEqual(networks.map(({ weights }) => weights));
});

describe('the reference of adapters', () => {
  const agents = { parameters: 'lora', loraRank: 4 } as const;
  const settings = { agents, kl: { refreshEvery: 1, place: 'loss', coef: 0.01 } } as const;

  it('is the base with a copy of the adapters: what the run keeps grows by these alone, and its base is freed once', async () => {
    const { session } = await startRun(settings);
    const before = restingBytes(session.trainState);
    await session.train(1);
    const { trainState } = session;
    const [reference, network] = [trainState.references[0], trainState.networks[0]] as [WeightTree, Network];
    expect(trainState.references).toHaveLength(trainState.networks.length);
    for (const [name, one] of reference) {
      if (!isAdapted(one)) expect(one).toBe(trainState.base?.get(name));
      else expect(one.base).toBe(trainState.base?.get(name));
    }
    const copies = trainState.networks.flatMap(speakingVariables);
    const copied = copies.reduce((sum, { size }) => sum + blockBytes(4 * size), 0);
    expect(restingBytes(trainState) - before).toBe(copied);
    const { networks, reference: stored, base } = await session.checkpoint();
    expect(stored).toEqual(networks.map(({ weights }) => weights));
    // The reference contains the merged weights of base and adapter. The reference does not change if the network
    // changes.
    const merged = uploadTree(await downloadTree(network.tree, network.shape), network.shape, { isFrozen: true });
    const ofReference = await downloadTree(reference, network.shape);
    expect(ofReference).toEqual(await downloadTree(merged, network.shape));
    disposeTree(merged);
    await session.train(1);
    expect(await downloadTree(network.tree, network.shape)).not.toEqual(ofReference);
    expect((await session.checkpoint()).base).toEqual(base);
    await session.dispose();
  });

  it('goes on from a checkpoint as it was, and from one that holds it merged', async () => {
    const { session } = await startRun({ ...settings, kl: { ...settings.kl, refreshEvery: 2 } });
    await session.train(2);
    const checkpoint = await session.checkpoint();
    await session.train(1);
    const end = await session.checkpoint();
    await session.dispose();
    const base = checkpoint.base as NamedArray[];
    const { shape } = assembleTeam(checkpoint.config);
    const merged = await Promise.all(
      checkpoint.reference.map(async (arrays) => {
        const tree = uploadTree(base, shape, { isFrozen: true });
        const reference = uploadReference(arrays, shape, { base: tree, scale: adapterScale(checkpoint.config) });
        const whole = await downloadTree(reference, shape);
        disposeReference(reference, tree);
        disposeTree(tree);
        return whole;
      }),
    );
    const before = tf.memory().numTensors;
    for (const reference of [checkpoint.reference, merged]) {
      const again = openRun({ ...checkpoint, reference }).session;
      await again.train(1);
      const { networks } = await again.checkpoint();
      networks.forEach(({ weights }, n) =>
        weights.forEach(({ values }, i) =>
          values.forEach((x, at) => expect(x).toBeCloseTo(end.networks[n]?.weights[i]?.values[at] as number, 5)),
        ),
      );
      await again.dispose();
    }
    expect(tf.memory().numTensors).toBe(before);
  });
});
