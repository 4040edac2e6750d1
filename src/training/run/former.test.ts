// The same settings train as in earlier versions: against a sample made with their code. Tokens and rewards are the same; numbers
// differ by rounding, since sums over tokens leave out what nobody asks for.
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

/** Largest distance between numbers in the same place of two records that are the same in all else. */
function farthest(one: unknown, other: unknown): number {
  if (!ArrayBuffer.isView(one) && typeof one !== 'number') {
    if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) {
      expect(one).toEqual(other);
      return 0;
    }
    expect(new Set(Object.keys(one))).toEqual(new Set(Object.keys(other)));
    const named = other as Record<string, unknown>;
    return Math.max(0, ...Object.entries(one).map(([name, value]) => farthest(value, named[name])));
  }
  const numbers = (of: unknown) => (typeof of === 'number' ? [of] : Array.from(of as Float32Array));
  const [a, b] = [numbers(one), numbers(other)];
  expect(a).toHaveLength(b.length);
  return Math.max(0, ...a.map((x, i) => Math.abs(x - (b[i] as number))));
}

it.each(['planner', 'debaters', 'trees'])(
  '%s: the same tokens and rewards, log-probabilities and weights to rounding',
  async (name) => {
    const stored = former.stores.checkpoints.values.find((one) => (one as Checkpoint).runId === name) as Checkpoint;
    const { begun } = former.stores.runs.values.find((one) => (one as { id: string }).id === name) as {
      begun: unknown;
    };
    const run = openRun(await microCheckpoint(parseConfig(presentSettings(begun))));
    await run.session.train(1);
    if (name === 'planner') await run.session.change('houseRule.rewrite', 0.75);
    await run.session.train(1);
    const checkpoint = await run.session.checkpoint();
    // A critic's values have a scale since, and its targets are made anew: from its first step on such a run goes its own way.
    if (!stored.critics) expect(farthest(checkpoint.networks, stored.networks)).toBeLessThan(1e-6);
    expect(farthest(checkpoint.verifier, stored.verifier)).toBeLessThan(1e-6);
    run.collected().forEach((trajectories, i) => {
      const before = former.unpacked[`${name} ${i + 1}`] ?? [];
      const facts = (of: typeof before) =>
        of.map(({ reward, turns }) => [reward, turns.map((turn) => [turn.tokens, turn.reward])]);
      const logprobs = (of: typeof before) => of.map(({ turns }) => turns.map((turn) => [...turn.logprobs]));
      expect(facts(trajectories)).toEqual(facts(before));
      expect(farthest(logprobs(trajectories), logprobs(before))).toBeLessThan(1e-5);
    });
  },
);
