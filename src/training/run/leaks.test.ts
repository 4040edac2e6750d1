// Tests that no tensors are left if an operation runs out of memory. The worker continues to run, and the next run
// needs all of the memory.
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { Heap } from '../../engine/simd/heap.ts';
import type { SimdBackend } from '../../engine/simd/simdBackend.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { collectRollouts } from '../collect/collect.ts';
import { measureInfluence } from '../collect/influencePass.ts';
import { inspectGroup } from '../inspect/inspect.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import type { TrainState } from './trainState.ts';
import type { Network } from '../team/network.ts';
import { rowLogprobs } from '../rows/oldFacts.ts';
import { measureIteration } from '../preflight/preflight.ts';
import { buildRows, type RowBatch } from '../rows/rows.ts';
import { onCpu } from '../testing/onCpu.ts';
import { startRun } from '../testing/microRun.ts';
import { learnToVerify, verifierInRollout, type Verifier } from '../verifier/trainedVerifier.ts';
import { updateNetwork } from '../update/update.ts';

onCpu();

interface Said {
  learning: TrainState;
  trajectories: Trajectory[];
  batch: RowBatch;
}

const verified: ConfigInput = { agents: { protocol: 'vote' }, verifier: { isTrained: true, isBalanced: false } };
async function appraised(learning: TrainState, trajectories: Trajectory[]): Promise<void> {
  for (const appraise of verifierInRollout(learning.verifier, learning).appraisers ?? []) await appraise(trajectories);
}
function withoutBeliefs(trajectories: readonly Trajectory[]): Trajectory[] {
  const copies = structuredClone(trajectories) as Trajectory[];
  for (const { turns } of copies) for (const turn of turns) delete turn.belief;
  return copies;
}
const firstOf = ({ networks }: TrainState) => networks[0] as Network;
const works: [string, ConfigInput, (said: Said) => Promise<unknown>][] = [
  [
    'dialogues',
    {},
    ({ learning }) => collectRollouts(learning.team, { policies: agentPolicies(learning), iteration: 0 }),
  ],
  [
    'the look of a network at rows',
    {},
    ({ learning, batch }) => rowLogprobs(batch, { network: firstOf(learning), temperature: 1, gate: learning.gate }),
  ],
  ['the influence of turns', {}, ({ learning, trajectories }) => measureInfluence(learning, trajectories)],
  [
    'the numbers of a group',
    {},
    ({ learning: { team, networks, references }, trajectories, batch }) => {
      const advantages = new Float32Array(batch.ids.length);
      const given = { team, config: team.config, iteration: 0, trajectories };
      return inspectGroup({ ...given, batch, advantages, networks, references }, 0);
    },
  ],
  [
    'an update',
    {},
    ({ learning, batch }) => {
      const { config, maxActionTokens } = learning.team;
      const none = new Float32Array(0);
      const facts = {
        advantages: new Float32Array(batch.ids.length),
        returns: none,
        oldValues: none,
        refLogprobs: none,
      };
      const context = { config, iteration: 0, gate: learning.gate, klCoef: 0, maxActionTokens };
      return updateNetwork(firstOf(learning), batch, facts, context);
    },
  ],
  [
    'the scores of a verifier',
    verified,
    ({ learning, trajectories }) => appraised(learning, withoutBeliefs(trajectories)),
  ],
  [
    'the steps of a verifier',
    verified,
    ({ learning, trajectories }) =>
      learnToVerify(learning.verifier as Verifier, trajectories, { ...learning, iteration: 0 }),
  ],
  ['the pre-flight', {}, ({ learning }) => measureIteration(learning)],
];

it.each(works)('%s without room leave no tensor and no block behind', async (_, settings, work) => {
  const run = await startRun(settings);
  const { trainState: learning } = run.session;
  const { heap } = tf.backend() as SimdBackend;
  const { trajectories } = await collectRollouts(learning.team, { policies: agentPolicies(learning), iteration: 0 });
  if (learning.verifier) await appraised(learning, trajectories);
  const batch = buildRows(trajectories, [...learning.team.protocol.roles.keys()], learning.team.tokens);
  await work({ learning, trajectories, batch }); // the first call creates constants that are kept
  learning.rooms?.dispose();
  for (const roomBytes of [0, 1, 4, 16, 64].map((kib) => 1024 * kib)) {
    const free = fill(heap, roomBytes);
    const { numTensors } = tf.memory();
    const { usedBytes } = heap;
    try {
      await expect(work({ learning, trajectories, batch })).rejects.toThrow(/the memory of the CPU engine/);
      learning.rooms?.dispose();
      expect(tf.memory().numTensors).toBe(numTensors);
      expect(heap.usedBytes).toBeLessThanOrEqual(usedBytes);
    } finally {
      free();
    }
  }
});

/** Allocates all of the memory except `roomBytes`. Returns a function that frees the allocated memory. */
function fill(heap: Heap, roomBytes: number): () => void {
  const spared = roomBytes > 0 ? heap.allocate(roomBytes) : null;
  const taken: number[] = [];
  for (let bytes = 2 ** 29; bytes >= 16; bytes /= 2) {
    for (;;) {
      try {
        taken.push(heap.allocate(bytes));
      } catch {
        break;
      }
    }
  }
  if (spared !== null) heap.free(spared);
  return () => taken.forEach((address) => heap.free(address));
}
