// Runs workload C: whole iterations of the default preset from the shipped warm start, as in a session.
import * as tf from '@tensorflow/tfjs-core';
import { presetConfig } from '../../src/config/presets.ts';
import { parameterCount } from '../../src/config/sizes.ts';
import { uploadTree } from '../../src/model/network/parameters.ts';
import { runId } from '../../src/records/ids.ts';
import { Gate } from '../../src/training/team/gate.ts';
import { runIteration } from '../../src/training/run/iteration.ts';
import type { TrainState } from '../../src/training/run/trainState.ts';
import { uploadNetwork } from '../../src/training/team/network.ts';
import { startingCheckpoint } from '../../src/training/run/start.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { deviceSpeed } from '../gpu/floor.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { loadShipped } from '../shared/shippedWeights.ts';
import type { Engine } from './contract.ts';

/** Opens an engine that runs one whole iteration per call. */
export async function openIteration(backend: string): Promise<Engine> {
  const adapter = await startBackend(backend, { ours: true });
  const config = presetConfig('default');
  const checkpoint = await startingCheckpoint({
    config,
    runId: runId('bench'),
    backend,
    loadShipped,
  });
  const team = assembleTeam(config);
  const learning: TrainState = {
    team,
    networks: checkpoint.networks.map((state) => uploadNetwork(state, team.shape)),
    references: checkpoint.reference.map((arrays) => uploadTree(arrays, team.shape)),
    klCoef: checkpoint.klCoef,
    gate: new Gate(),
  };
  let iteration = 0;
  return {
    backend: tf.getBackend(),
    adapter,
    parameters: parameterCount(team.shape),
    note: backend === 'wasm' ? 'our ops composed of stock ops' : undefined,
    speed: await deviceSpeed(),
    step: async () => {
      const { sampledTokens } = await runIteration(learning, iteration++, () => Promise.resolve());
      return { loss: Number.NaN, submitMs: null, tokens: sampledTokens };
    },
  };
}
