// The same settings train to the same bits as in earlier versions: against a sample made with their code.
import { readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { presentSettings } from '../../config/renamed.ts';
import { parseConfig } from '../../config/parse.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import '../testing/onCpu.ts';
import { microCheckpoint, openRun } from '../testing/microRun.ts';

interface Former {
  stores: Record<'checkpoints' | 'runs' | 'metrics', { values: unknown[] }>;
  unpacked: Record<string, { reward: number; turns: { tokens: number[]; logprobs: number[]; reward: number }[] }[]>;
}

const file = readFileSync(new URL('../../storage/testing/former/database.v8.gz', import.meta.url));
const former = deserialize(gunzipSync(file)) as Former;

it.each(['planner', 'debaters', 'trees'])('%s: the same tokens, rewards, losses and weights', async (name) => {
  const stored = former.stores.checkpoints.values.find((one) => (one as Checkpoint).runId === name) as Checkpoint;
  const { begun } = former.stores.runs.values.find((one) => (one as { id: string }).id === name) as { begun: unknown };
  const run = openRun(await microCheckpoint(parseConfig(presentSettings(begun))));
  await run.session.train(1);
  if (name === 'planner') await run.session.change('houseRule.rewrite', 0.75);
  await run.session.train(1);
  const checkpoint = await run.session.checkpoint();
  // A critic's values have a scale since, and its targets are made anew: from its first step on such a run goes its own way.
  if (!stored.critics) expect(checkpoint.networks).toEqual(stored.networks);
  expect(checkpoint.verifier).toEqual(stored.verifier);
  run.collected().forEach((trajectories, i) => {
    const facts = (of: Former['unpacked'][string]) =>
      of.map(({ reward, turns }) => [
        reward,
        turns.map((turn) => [turn.tokens, turn.logprobs.map(Math.fround), turn.reward]),
      ]);
    expect(facts(trajectories)).toEqual(facts(former.unpacked[`${name} ${i + 1}`] ?? []));
  });
});
