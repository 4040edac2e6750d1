// Tests runs with adapters on WebGPU. Replayed updates must give exactly the same result as updates without replay. The
// merged weights with which messages are sampled must stay in the same buffers, so that recorded decoding steps remain
// valid.
import { beforeAll, expect, it } from 'vitest';
import { startOwnDevice } from '../../engine/testing/ownDevice.ts';
import { slowerPaths } from '../run/slowerPaths.ts';
import { startRun } from '../testing/microRun.ts';

beforeAll(() => startOwnDevice());

/** Runs two iterations of a team with adapters. */
async function train(capture: boolean, adapterPer: 'role' | 'turn') {
  const run = await startRun({
    agents: {
      parameters: 'lora',
      adapterPer,
      loraRank: 4,
      roundLimit: adapterPer === 'turn' ? 2 : 1,
      metaWindow: 4,
      reasonWindow: 6,
    },
    learning: { learner: 'ppo', problemsPerIteration: 2, groupSize: 2, numMinibatches: 1, updateEpochs: 2 },
    evaluation: { problems: 8, every: 9 },
    run: { capture },
  });
  const variables = () => run.session.trainState.networks.map(({ tree }) => [...tree.values()]);
  const before = variables();
  await run.session.train(2);
  expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
  const { networks, base } = await run.session.checkpoint();
  expect(
    variables()
      .flat()
      .every((variable, i) => variable === before.flat()[i]),
  ).toBe(true);
  const [weights] = await run.session.agentWeights(1);
  const { trainState: learning } = run.session;
  const note = slowerPaths(learning);
  const captures = learning.networks.reduce((sum, { replays }) => sum + replays.captures, 0);
  await run.session.dispose();
  return { results: { networks, base, weights, collected: run.collected() }, note, captures };
}

it.each(['role', 'turn'] as const)(
  'updates of adapters for each %s are the same with and without replay',
  async (per) => {
    const plain = await train(false, per);
    const replayed = await train(true, per);
    expect(plain.captures).toBe(0);
    expect(replayed.captures).toBeGreaterThan(0);
    expect(replayed.note).toBe('');
    expect(replayed.results.collected).toHaveLength(2);
    expect(replayed.results).toEqual(plain.results);
    const [b] = replayed.results.networks.flatMap((network) =>
      network.weights.filter(({ name }) => name.endsWith('.B')),
    );
    expect(b?.values.some((x) => x !== 0)).toBe(true);
  },
);
