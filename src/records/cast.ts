// Who is in a team: the role of each agent, and whether it sees the house rule. The rollout makes protocols of it, and
// the page its lanes.
import type { Role } from '../config/names.ts';
import { protocolFacts, type ProtocolFacts } from '../config/protocolFacts.ts';
import type { Config } from '../config/schema.ts';

export interface Member {
  role: Role;
  /** Sees the hidden part of the problem. */
  seesRule: boolean;
}

const sights: Record<ProtocolFacts['sees'], (agent: number, agents: number) => boolean> = {
  first: (agent) => agent === 0,
  half: (agent) => agent % 2 === 0,
  last: (agent, agents) => agent === agents - 1,
  allButLast: (agent, agents) => agent < agents - 1,
  all: () => true,
  nobody: () => false,
};

/** The members of a team, by agent. A leader is the last of its team, and never one of a half. */
export function castOf({
  protocol,
  count,
  informed,
}: Pick<Config['agents'], 'protocol' | 'count' | 'informed'>): Member[] {
  const { roles: rolesOf, sees: usual, isSightFixed } = protocolFacts[protocol];
  const roles = rolesOf(count);
  const sees = sights[informed === 'usual' || isSightFixed ? usual : informed];
  return roles.map((role, agent) => {
    const isLeader = role === 'summariser' && informed === 'half';
    return { role, seesRule: !isLeader && sees(agent, roles.length) };
  });
}
