// Runs the workloads with the engine of Cothink on a language model of real size, as rollout and training do.
import * as tf from '@tensorflow/tfjs-core';
import { counters, restartPeak } from '../../src/engine/counters.ts';
import { decodingPolicy } from '../../src/model/decoding/decoder.ts';
import { DecodingStates } from '../../src/model/decoding/decodingStates.ts';
import type { Policy } from '../../src/records/policy.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { type BaseFormat, learner, lessonOf, Teacher } from './learner.ts';
import type { Taken } from './served.ts';
import { shape, tokensFrom, type Work, works } from './work.ts';

export interface OursTask {
  backend: 'simd';
  format: BaseFormat;
  threads: number;
}

export async function ours({ format, threads }: OursTask): Promise<(work: Work) => Promise<Taken>> {
  await startBackend(threads > 1 ? 'simd-threads' : 'simd', { ours: true });
  const one = learner(format);
  // Copies the base weights into the memory of the kernels, where they stay.
  for (const tensor of one.base.values())
    if (tensor instanceof tf.Tensor) tf.tidy(() => tf.slice(tf.reshape(tensor, [-1]), [0], [1]));
  const rooms = new DecodingStates(true);
  const speak = decodingPolicy(one.base, shape, rooms);
  const speakAdapted = decodingPolicy(one.tree, shape, rooms);
  const teacher = new Teacher(one);
  const take = async (work: Work) => {
    const size = works[work];
    if (!('learned' in size)) return void (await said(speak, size, 0));
    const { rows, heard, said: window, learned } = size;
    const talks: number[][] = [];
    for (let role = 0; role < learned.roles; role++)
      talks.push(...(await said(speakAdapted, { rows, heard, said: window }, role)));
    // Half of the messages have a positive weight, the other half a negative one.
    const how = window > 0 ? { said: window, weightOf: (row: number) => (row % 2 === 0 ? 1 : -1) } : {};
    const passes = Array.from(
      { length: talks.length / learned.perPass },
      (_, pass) => () => lessonOf(talks.slice(pass * learned.perPass, (pass + 1) * learned.perPass), how),
    );
    const norm = teacher.step(passes);
    await norm.data();
    norm.dispose();
  };
  return async (work) => {
    restartPeak();
    await take(work);
    return { heapMiB: Math.round(counters().peakBytes / 2 ** 20) };
  };
}

/**
 * Returns all tokens of each row after it has read and generated its part. A row without a prompt begins with a token
 * of its own.
 */
async function said(
  policy: Policy,
  { rows, heard, said: window }: { rows: number; heard: number; said: number },
  role: number,
): Promise<number[][]> {
  const contexts = Array.from({ length: rows }, (_, row) =>
    heard > 0 ? tokensFrom((role * rows + row) * heard, heard) : [row],
  );
  // If nothing is generated, the rows are learned as they are given.
  if (window === 0 && rows > 1) return contexts;
  const session = policy.open(rows);
  session.append(contexts.map((tokens) => ({ tokens })));
  const { ids } = await session.sample({
    window: Math.max(1, window),
    isActive: contexts.map(() => true),
    addresses: Uint32Array.from(contexts, (_, row) => role * rows + row),
    ...{ temperature: 1, endIds: [] },
  });
  session.dispose();
  return contexts.map((tokens, row) => [...tokens, ...ids.subarray(row * window, (row + 1) * window)]);
}
