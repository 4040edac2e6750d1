// What adapters of low rank ask for: a network that is wide enough, and room for as many as there are turns.
import type { Settings } from '../../base/errors.ts';
import { agentCount } from '../agentCount.ts';
import type { Config } from '../schema.ts';
import { parameterCount, sizes } from '../sizes.ts';
import { hasTurnAdapters, mostTurnAdapters } from '../turnAdapters.ts';
import type { Rule } from './rule.ts';

/** Bytes of the networks with their adapters merged in, at most: half of what the CPU path can hold. */
const mostMergedBytes = 2 ** 29;

/** Adapters of single turns at most, each merged into a network of its own. */
function mostAdapters({ size }: Config['agents']): number {
  const mergedBytes = 4 * parameterCount({ ...sizes[size], vocabSize: 0, maxPositions: 0 });
  return Math.floor(mostMergedBytes / mergedBytes);
}

export const adapterRules: readonly Rule[] = [
  {
    when: ({ agents }) => agents.parameters === 'lora' && agents.loraRank > sizes[agents.size].hiddenSize,
    path: 'agents.loraRank',
    says: ({ agents }) =>
      `a matrix of a ${agents.size} network has ${sizes[agents.size].hiddenSize} directions, not ${agents.loraRank}`,
    remedies: ({ agents }) => [{ 'agents.loraRank': sizes[agents.size].hiddenSize }],
  },
  {
    when: ({ agents }) => hasTurnAdapters(agents) && mostTurnAdapters(agents) > mostAdapters(agents),
    path: 'agents.adapterPer',
    says: ({ agents }) =>
      `${mostTurnAdapters(agents)} turns with an adapter each, merged into as many ${agents.size} networks, are more than fit (${mostAdapters(agents)})`,
    remedies: ({ agents }): Settings[] => {
      const rounds = Math.floor(mostAdapters(agents) / agentCount(agents));
      return [{ 'agents.adapterPer': 'role' }, ...(rounds > 0 ? [{ 'agents.roundLimit': rounds }] : [])];
    },
  },
];
