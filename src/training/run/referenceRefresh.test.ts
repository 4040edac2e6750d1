// The reference as a snapshot: when it is taken, that it stays what it was, and what reads it.
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import { onCpu } from '../testing/onCpu.ts';
import { startRun } from '../testing/microRun.ts';

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
