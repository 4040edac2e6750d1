// Our engine on a language model of real size, in a process of its own: a line that names a work is answered with the
// time that it took.
import { createInterface } from 'node:readline';
import * as tf from '@tensorflow/tfjs-core';
import { type FrozenFormat, frozenFormats } from '../../src/engine/ops/frozen/frozenMatrix.ts';
import { decodingPolicy } from '../../src/model/decoding/decoder.ts';
import { DecodingStates } from '../../src/model/decoding/decodingStates.ts';
import { uploadTree } from '../../src/model/network/parameters.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { chanceWeights, heardTokens, shape, type Work, works } from './work.ts';

export interface OursTask {
  format: 'f32' | FrozenFormat;
  threads: number;
}

export async function serveOurs({ format, threads }: OursTask): Promise<void> {
  await startBackend(threads > 1 ? 'simd-threads' : 'simd', { ours: true });
  const take = frozenFormats.find((known) => known === format) ? await frozen(format as FrozenFormat) : learning();
  console.log(JSON.stringify({ ready: true }));
  for await (const line of createInterface({ input: process.stdin })) {
    const [started, cpu] = [performance.now(), process.cpuUsage()];
    await take(line as Work);
    const ms = performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    const peakMiB = Math.round(process.resourceUsage().maxRSS / 1024);
    console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000, peakMiB }));
  }
  process.exit(0);
}

async function frozen(format: FrozenFormat): Promise<(work: Work) => Promise<void>> {
  const { frozenNetwork } = await import('./frozenNetwork.ts');
  return frozenNetwork(format);
}

/** Float32 weights that could learn, decoded as every rollout is. */
function learning(): (work: Work) => Promise<void> {
  const tree = uploadTree(chanceWeights(), shape);
  for (const variable of tree.values()) tf.tidy(() => tf.slice(tf.reshape(variable, [-1]), [0], [1])); // into the memory
  const policy = decodingPolicy(tree, shape, new DecodingStates(true));
  return async (work) => {
    const { rows, heard, said } = works[work];
    const session = policy.open(rows);
    session.append(Array.from({ length: rows }, (_, row) => ({ tokens: heard > 0 ? heardTokens(heard) : [row] })));
    await session.sample({
      window: Math.max(1, said),
      isActive: Array.from({ length: rows }, () => true),
      addresses: Uint32Array.from({ length: rows }, (_, row) => row),
      ...{ temperature: 1, endIds: [] },
    });
    session.dispose();
  };
}
