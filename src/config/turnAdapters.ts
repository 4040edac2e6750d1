// Adapters that change with the turns of an agent: where there are such, and how many at most.
import { agentCount } from './agentCount.ts';
import type { ProtocolName } from './names.ts';
import type { Config } from './schema.ts';

type Team = Config['agents'];

/** Whether each turn of a role has an adapter of its own. */
export const hasTurnAdapters = ({ parameters, adapterPer }: Team): boolean =>
  parameters === 'lora' && adapterPer === 'turn';

/** Rounds at most where the level decides; of the others everybody speaks once. */
const roundsOfLevels: Partial<Record<ProtocolName, number>> = { reMA: 7, debate: 2, summary: 1 };

/** Turns of an agent at most, at any level. */
export function mostRounds({ protocol, roundLimit }: Pick<Team, 'protocol' | 'roundLimit'>): number {
  const ofLevels = roundsOfLevels[protocol];
  return ofLevels === undefined ? 1 : roundLimit || ofLevels;
}

/** Adapters of a team at most, one for each turn of a role. */
export const mostTurnAdapters = (team: Team): number => agentCount(team) * mostRounds(team);
