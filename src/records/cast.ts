// Determines the members of a team: the role of each agent, and which hidden texts of a problem the agent sees.
// Protocols, and the lanes of a dialogue on the page, are derived from this list.
import type { Role } from '../config/names.ts';
import type { Sight } from '../config/protocols/facts.ts';
import { chosenProtocol } from '../config/protocols/registry.ts';
import type { Config } from '../config/schema.ts';
import type { HiddenText, WorldForm } from '../config/worlds/form.ts';
import { formIn } from '../config/worlds/registry.ts';

export interface Member {
  role: Role;
  /** The hidden texts of a problem that the agent sees, and the hidden texts that it does not see. */
  sees: readonly HiddenText[];
  seesNot: readonly HiddenText[];
}

const sights: Record<Sight, (agent: number, agents: number) => boolean> = {
  first: (agent) => agent === 0,
  half: (agent) => agent % 2 === 0,
  otherHalf: (agent) => agent % 2 === 1,
  last: (agent, agents) => agent === agents - 1,
  allButLast: (agent, agents) => agent < agents - 1,
  all: () => true,
  nobody: () => false,
};

/** The members of the team that these settings determine, by agent. */
export const castOf = ({ agents, world }: Pick<Config, 'agents' | 'world'>): Member[] => castIn(agents, formIn(world));

/**
 * The members of a team in a world, by agent. If the team has a leader, the leader is the last agent. If only half of
 * the agents see the hidden texts, the leader does not see them.
 */
export function castIn(
  agents: Pick<Config['agents'], 'protocol' | 'own' | 'count' | 'informed'>,
  { hidden }: Pick<WorldForm, 'hidden'>,
): Member[] {
  const { protocol, count, informed } = agents;
  const { roles: rolesOf, sees: usual, isSightFixed } = chosenProtocol(agents);
  const roles = rolesOf(count);
  const isUsual = informed === 'usual' || isSightFixed;
  return roles.map((role, agent) => {
    const isLeader = role === 'summariser' && informed === 'half';
    const isSeen = ({ name, usual: ofWorld }: HiddenText) => {
      if (typeof usual !== 'string') return usual[agent] === 'all' || usual[agent]?.includes(name) === true;
      return !isLeader && sights[isUsual ? (ofWorld?.[protocol] ?? usual) : informed](agent, roles.length);
    };
    return { role, sees: hidden.filter(isSeen), seesNot: hidden.filter((text) => !isSeen(text)) };
  });
}
