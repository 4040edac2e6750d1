// Tests that training with the same settings gives exactly the same numbers as in earlier versions. The results are
// compared with a sample made by earlier code. The earlier code computed all layers for all tokens, so this test also
// computes them for all tokens. The current code normally leaves some tokens out, which changes the rounding.
import { readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, it, vi } from 'vitest';
import { presentSettings } from '../src/migrations/settings.ts';
import { parseConfig } from '../src/config/parse.ts';
import type { Checkpoint } from '../src/records/stored/checkpoint.ts';
import { onCpu } from '../src/training/testing/onCpu.ts';
import { microCheckpoint, openRun } from '../src/training/testing/microRun.ts';

onCpu();

interface Former {
  stores: Record<'checkpoints' | 'runs' | 'metrics', { values: unknown[] }>;
  unpacked: Record<string, { reward: number; turns: { tokens: number[]; logprobs: number[]; reward: number }[] }[]>;
}

const file = readFileSync(new URL('../src/storage/testing/former/2-1.v8.gz', import.meta.url));
const former = deserialize(gunzipSync(file)) as Former;

// The sample was made on Node 20, where earlier versions rounded the result of a multiplication before the addition.
// Therefore this test also rounds these results.
vi.mock('../src/engine/simd/fusedProducts.ts', async (load) => ({
  ...(await load<typeof import('../src/engine/simd/fusedProducts.ts')>()),
  fastestModule: (bytes: BufferSource) => ({ bytes, isFused: false }),
}));

const computesAll = vi.hoisted(() => ({ is: true }));
vi.mock('../src/engine/ops/embed/embed.ts', async (load) => {
  const real = await load<typeof import('../src/engine/ops/embed/embed.ts')>();
  return { ...real, picksRows: () => !computesAll.is && real.picksRows() };
});
afterEach(() => {
  computesAll.is = true;
});

const names = ['planner', 'debaters', 'trees'];

/** The run of the sample with this name, trained for as many iterations as in the sample. */
async function trained(name: string) {
  const stored = former.stores.checkpoints.values.find((one) => (one as Checkpoint).runId === name) as Checkpoint;
  const { begun } = former.stores.runs.values.find((one) => (one as { id: string }).id === name) as { begun: unknown };
  const run = openRun(await microCheckpoint(parseConfig(presentSettings(begun))));
  await run.session.train(1);
  if (name === 'planner') await run.session.change('houseRule.rewrite', 0.75);
  await run.session.train(1);
  return { stored, checkpoint: await run.session.checkpoint(), collected: run.collected() };
}

it.each(names)('%s: the same tokens, rewards, losses and weights', async (name) => {
  const { stored, checkpoint, collected } = await trained(name);
  // Later versions normalise a critic's values and recompute its targets, so from the first step on, the numbers of a
  // run with a critic differ from those of the sample.
  if (!stored.critics) expect(checkpoint.networks).toEqual(stored.networks);
  expect(checkpoint.verifier).toEqual(stored.verifier);
  collected.forEach((trajectories, i) => {
    const facts = (of: Former['unpacked'][string]) =>
      of.map(({ reward, turns }) => [
        reward,
        turns.map((turn) => [turn.tokens, turn.logprobs.map(Math.fround), turn.reward]),
      ]);
    expect(facts(trajectories)).toEqual(facts(former.unpacked[`${name} ${i + 1}`] ?? []));
  });
});

it.each(names)(
  '%s: the same tokens and rewards, and weights up to rounding, if only requested values are computed',
  async (name) => {
    computesAll.is = false;
    const { stored, checkpoint, collected } = await trained(name);
    collected.forEach((trajectories, i) => {
      const facts = (of: Former['unpacked'][string]) =>
        of.map(({ reward, turns }) => [reward, turns.map((turn) => [turn.tokens, turn.reward])]);
      expect(facts(trajectories)).toEqual(facts(former.unpacked[`${name} ${i + 1}`] ?? []));
    });
    if (stored.critics) return;
    const numbers = ({ networks }: Checkpoint) =>
      networks.flatMap(({ weights }) => weights.flatMap(({ values }) => [...values]));
    const before = numbers(stored);
    const off = numbers(checkpoint).map((value, i) => Math.abs(value - (before[i] as number)));
    expect(Math.max(...off)).toBeLessThan(1e-6);
    expect(Math.max(...off)).toBeGreaterThan(0); // otherwise this test would be the same as the other one
  },
);
