// Makes the policies that sample the messages of a team's agents. A policy is the agent's network with decoding caches,
// which may be reused after the dialogues.
import type { ModelShape } from '../../config/sizes.ts';
import { decodingPolicy } from '../../model/decoding/decoder.ts';
import type { DecodingStates } from '../../model/decoding/decodingStates.ts';
import { turnPolicy } from '../../model/decoding/turnPolicy.ts';
import type { Policy } from '../../records/policy.ts';
import { decodingMemory } from '../rows/memory.ts';
import type { Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';

interface Speaking {
  team: Team;
  networks: readonly Network[];
  rooms?: DecodingStates;
}

/** The policies of all agents, in the order of the agents. */
export function agentPolicies({ team, networks, rooms }: Speaking): Policy[] {
  const policyOf = (n: number) => {
    const network = networks[n] as Network;
    return decodingPolicy(network.tree, team.shapes[n] as ModelShape, rooms, decodingMemory(team, network));
  };
  return team.networkOf.map((ofRounds) => {
    const [first, ...others] = [...new Set(ofRounds)].map(policyOf) as [Policy, ...Policy[]];
    return others.length > 0 ? turnPolicy([first, ...others]) : first;
  });
}
