// How long an iteration takes and how much memory it needs, measured without changing the run.
import * as tf from '@tensorflow/tfjs-core';
import type { Trajectory } from '../records/trajectory.ts';
import { collectRollouts } from './collect.ts';
import { agentPolicies, type Learning } from './iteration.ts';
import { disposeNetwork, downloadNetwork, freshState, uploadNetwork, type Network } from './network.ts';
import { buildRows } from './rows.ts';
import { withSetting } from '../config/parse.ts';
import { assembleTeam } from './team.ts';
import { updateNetwork } from './update.ts';

export interface IterationCost {
  iterationMs: number;
  /** Tensors of the run and of the largest microbatch. */
  memoryBytes: number;
  /** One dialogue of the trial. */
  example: Trajectory;
}

/** Share of an iteration that is tried. */
const trialShare = 1 / 8;

/** Tries part of an iteration on a copy of the first network and scales it up. */
export async function measureIteration(learning: Learning): Promise<IterationCost> {
  const { config } = learning.team;
  const { problemsPerIteration, updateEpochs, numMinibatches } = config.learning;
  const problems = Math.max(1, Math.round(problemsPerIteration * trialShare));
  const trialConfig = withSetting(
    withSetting(withSetting(config, 'learning.numMinibatches', 1), 'learning.updateEpochs', 1),
    'learning.problemsPerIteration',
    problems,
  );
  const team = assembleTeam(trialConfig);
  const trial = { ...learning, team };
  const { weights } = await downloadNetwork(learning.networks[0] as Network);
  const copy = uploadNetwork(freshState(weights, team.shape, false), team.shape);
  try {
    await collectRollouts(team, { policies: agentPolicies(trial), iteration: 0 });
    const started = performance.now();
    const { trajectories } = await collectRollouts(team, { policies: agentPolicies(trial), iteration: 0 });
    const collected = performance.now();
    const batch = buildRows(trajectories, [...team.protocol.roles.keys()], team.tokens);
    const none = new Float32Array(0);
    const facts = { advantages: new Float32Array(batch.ids.length), returns: none, oldValues: none, refLogprobs: none };
    const context = { config: trialConfig, iteration: 0, gate: learning.gate, klCoef: 0, maxActionTokens: 1 };
    await updateNetwork(copy, batch, facts, context);
    const before = performance.now();
    await updateNetwork(copy, batch, facts, context);
    const updateMs = performance.now() - before;
    const scale = problemsPerIteration / problems;
    return {
      // Decoding costs little more for more rows; an update grows with them.
      iterationMs: (collected - started) * Math.max(1, scale / 2) + updateMs * scale * updateEpochs,
      memoryBytes: tf.memory().numBytes + activationBytes(learning, batch.length, numMinibatches),
      example: trajectories[0] as Trajectory,
    };
  } finally {
    disposeNetwork(copy);
  }
}

/** What a forward pass keeps for its gradient, for the largest microbatch. */
function activationBytes({ team }: Learning, length: number, minibatches: number): number {
  const { shape, config } = team;
  const trajectories = (config.learning.problemsPerIteration * config.learning.groupSize) / minibatches;
  const tokens = Math.min(3072, trajectories * team.networkOf.length * length);
  const perLayer = 10 * shape.hiddenSize + 4 * shape.intermediateSize + 2 * shape.numHeads * length;
  return 4 * tokens * (shape.numLayers * perLayer + 4 * shape.vocabSize + 2 * shape.hiddenSize);
}
