// What an iteration works on, to and from a checkpoint.
import { disposeTree, downloadTree, uploadTree, type ParameterTree } from '../model/parameters.ts';
import { checkpointFormat, type Checkpoint, type RunRecord } from '../records/checkpoint.ts';
import type { Gate } from './gate.ts';
import type { Learning } from './iteration.ts';
import { disposeNetwork, downloadNetwork, uploadNetwork, type Network } from './network.ts';
import { assembleTeam } from './team.ts';

/** Uploads the networks of a checkpoint; the caller frees them by `disposeLearning`. */
export function restoreLearning(checkpoint: Checkpoint, gate: Gate): Learning {
  const team = assembleTeam(checkpoint.config);
  return {
    team,
    networks: checkpoint.networks.map((state): Network => uploadNetwork(state, team.shape)),
    references: checkpoint.reference.map((arrays): ParameterTree => uploadTree(arrays, team.shape)),
    klCoef: checkpoint.klCoef,
    gate,
  };
}

/** Everything needed to go on from here; only between iterations. */
export async function captureCheckpoint(
  { team, networks, references, klCoef }: Learning,
  run: RunRecord,
  sampledTokens: number,
): Promise<Checkpoint> {
  return {
    format: checkpointFormat,
    runId: run.id,
    iteration: run.iteration,
    config: team.config,
    backend: run.backend,
    networks: await Promise.all(networks.map(downloadNetwork)),
    reference: await Promise.all(references.map(downloadTree)),
    klCoef,
    sampledTokens,
  };
}

/** Frees all tensors. */
export function disposeLearning({ networks, references }: Learning): void {
  for (const network of networks) disposeNetwork(network);
  for (const reference of references) disposeTree(reference);
}
