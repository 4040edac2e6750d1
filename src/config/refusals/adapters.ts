// What adapters of low rank ask for.
import { agentCount } from '../agentCount.ts';
import type { Config } from '../schema.ts';
import { parameterCount, sizes } from '../sizes.ts';
import { hasTurnAdapters, mostTurnAdapters } from '../turnAdapters.ts';

/** Bytes of the networks with their adapters merged in, at most: half of what the CPU path can hold. */
const mostMergedBytes = 2 ** 29;

/** Refuses a rank that the network is too narrow for, and more adapters of single turns than there is room for. */
export function refuseImpossibleAdapters({ agents }: Config, refuse: (message: string) => never): void {
  const { hiddenSize } = sizes[agents.size];
  if (agents.parameters === 'lora' && agents.loraRank > hiddenSize) {
    refuse(
      `agents.loraRank: a matrix of a ${agents.size} network has ${hiddenSize} directions, not ${agents.loraRank}; use agents.loraRank = ${hiddenSize}.`,
    );
  }
  const mergedBytes = 4 * parameterCount({ ...sizes[agents.size], vocabSize: 0, maxPositions: 0 });
  const most = Math.floor(mostMergedBytes / mergedBytes);
  const asked = mostTurnAdapters(agents);
  if (!hasTurnAdapters(agents) || asked <= most) return;
  const rounds = Math.floor(most / agentCount(agents));
  refuse(
    `agents.adapterPer: ${asked} turns with an adapter each, merged into as many ${agents.size} networks, are more than fit (${most}); use agents.adapterPer = role or agents.roundLimit = ${rounds}.`,
  );
}
