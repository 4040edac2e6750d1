// Tests the presets that start from shipped weights. The weights must be readable, and the dialogues must have exactly
// the same tokens as when the weights were released. Protocols and worlds may be extended, but the random numbers of a
// seed must not change, because stored runs depend on these numbers.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { presetConfig } from '../src/config/presets.ts';
import { shippedFor } from '../src/config/warmStarts.ts';
import { readSafetensors } from '../src/formats/safetensors.ts';
import { decodingPolicy } from '../src/model/decoding/decoder.ts';
import { collectRollouts } from '../src/training/collect/collect.ts';
import { disposeNetwork, freshState, uploadNetwork } from '../src/training/team/network.ts';
import { assembleTeam } from '../src/training/team/team.ts';
import { onCpu } from '../src/training/testing/onCpu.ts';

onCpu();

/**
 * The prompt of agent 0 and all turns of six dialogues in iteration 3 with seed 1, as they were in the first release.
 */
const released = {
  default: [
    '<bos><rightToLeft>7-0*3<eot> 7-0<eot> 7*3<eot> 7*3<eot> 1<eot> <finish>',
    '<bos><precedence>7*0+7<eot> 7*0<eot> 0+7<eot> 0+7<eot> 7<eot> <finish>',
    '<bos><rightToLeft>7-1-9<eot> 1-9<eot> 7-2<eot> 7-2<eot> 5<eot> <finish>',
    '<bos><rightToLeft>4-8-3<eot> 8-3<eot> 4-5<eot> 4-5<eot> 9<eot> <finish>',
    '<bos><rightToLeft>3*5+6<eot> 5+6<eot> 3*1<eot> 3*1<eot> 3<eot> <finish>',
    '<bos><rightToLeft>3-9*8<eot> 9*8<eot> 3-2<eot> 3-2<eot> 1<eot> <finish>',
  ],
  alone: [
    '<bos><rightToLeft>7-0*3<eot> 7-0=7*3;7*3=1<eot>',
    '<bos><precedence>7*0+7<eot> 7*0=0+7;0+7=7<eot>',
    '<bos><rightToLeft>7-1-9<eot> 1-9=7-2;7-2=5<eot>',
    '<bos><rightToLeft>4-8-3<eot> 8-8=4-3;4-3=6<eot>',
    '<bos><rightToLeft>3*5+6<eot> 5+6=3*1;3*1=3<eot>',
    '<bos><rightToLeft>3-9*8<eot> 9*8=3-2;3-2=1<eot>',
  ],
};

async function said(preset: keyof typeof released): Promise<string[]> {
  const config = structuredClone(presetConfig(preset));
  Object.assign(config.learning, { problemsPerIteration: 6, groupSize: 2 });
  const team = assembleTeam(config);
  const file = new URL(`../public/warmstart/${shippedFor(config).name}.safetensors`, import.meta.url);
  const weights = readSafetensors(await readFile(file)).tensors;
  const network = uploadNetwork(freshState(weights, team.shape, false), team.shape);
  try {
    const policies = team.networkOf.map(() => decodingPolicy(network.tree, team.shape));
    const { trajectories } = await collectRollouts(team, { policies, iteration: 3 });
    const firsts = trajectories.filter((_, i) => i % 2 === 0);
    return firsts.map(({ prompts, turns }) =>
      [prompts[0] ?? [], ...turns.map(({ tokens }) => tokens)].map((ids) => team.tokenizer.decode(ids)).join(' '),
    );
  } finally {
    disposeNetwork(network);
  }
}

it.each(['default', 'alone'] as const)(
  'the shipped weights of the preset %s give the same messages as always',
  async (preset) => {
    expect(await said(preset)).toEqual(released[preset]);
  },
);
