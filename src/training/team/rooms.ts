// Rooms for the decoding of a team.
import { hasTurnAdapters } from '../../config/protocolFacts.ts';
import { DecodingStates } from '../../model/decoding/decodingStates.ts';
import type { Team } from './team.ts';

/** Rooms as large as the team needs them, which keep so many bytes at most; the caller disposes them. */
export function roomsOf({ config, agentsOf }: Pick<Team, 'config' | 'agentsOf'>, mostBytes?: number): DecodingStates {
  return new DecodingStates(config.run.capture, hasTurnAdapters(config.agents) ? agentsOf.length : 0, mostBytes);
}
