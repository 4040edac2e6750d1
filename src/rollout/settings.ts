// Derives the settings of a rollout from the configuration. If a limit is 0 in the configuration, the limit of the
// world's level is used.
import type { Config } from '../config/schema.ts';
import type { ProtocolName } from '../config/protocols/facts.ts';
import type { FinishMoment } from '../config/names.ts';
import { roles, type Role } from '../records/ids.ts';
import { protocolOf, type Protocol } from '../records/protocol.ts';
import { wider } from '../tasks/mixture.ts';
import type { WorldLimits, World } from '../tasks/world.ts';

export interface RolloutSettings {
  protocolName: ProtocolName;
  roundLimit: number;
  /** The maximum number of tokens in a turn, by role. */
  windows: Record<Role, number>;
  /** The maximum number of tokens in the world's answer; absent if the world does not answer. */
  observationWindow?: number;
  temperature: number;
  finishEnds: FinishMoment;
  stopWhenTruncated: boolean;
  /**
   * The lowest mean verifier score at which an agreed answer stops the dialogue; if this score is absent or 0, every
   * agreed answer stops the dialogue.
   */
  agreedScore?: number;
}

/** The levels of the world from which problems are drawn. */
export const drawnLevels = ({ world: { level, easier } }: Config): number[] =>
  easier > 0 ? Array.from({ length: level }, (_, below) => level - below) : [level];

/** Limits that are large enough for all levels from which problems are drawn. */
export function limitsOf(config: Config, world: World, protocol: Protocol): WorldLimits {
  return drawnLevels(config)
    .map((level) => world.limits(level, protocol))
    .reduce(wider);
}

/**
 * The rollout settings of a configuration. If `protocol` is passed, it is used instead of the protocol in the
 * configuration.
 */
export function rolloutSettings(
  config: Config,
  world: World,
  protocol: Protocol = protocolOf(config.agents, world),
): RolloutSettings {
  const { agents } = config;
  const limits = limitsOf(config, world, protocol);
  const windowOf = (role: Role) =>
    (role === 'metaThinking' ? agents.metaWindow : agents.reasonWindow) ||
    (limits.windows[protocol.roles.indexOf(role)] ?? 0);
  return {
    protocolName: agents.protocol,
    roundLimit: protocol.isOneRound ? 1 : agents.roundLimit || limits.roundLimit,
    windows: Object.fromEntries(roles.map((role) => [role, windowOf(role)])) as Record<Role, number>,
    ...(limits.observationWindow !== undefined && { observationWindow: limits.observationWindow }),
    temperature: agents.temperature,
    finishEnds: agents.finishEnds,
    stopWhenTruncated: agents.stopWhenTruncated,
    agreedScore: config.verifier.consensus,
  };
}
