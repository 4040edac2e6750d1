// Everything fixed about a run once its configuration is: world, protocol, vocabulary, shape, and
// which network speaks for which agent.
import type { Config } from '../config/schema.ts';
import { sizes, type ModelShape } from '../config/sizes.ts';
import type { Problem } from '../records/problem.ts';
import { protocols } from '../rollout/protocols/registry.ts';
import type { Protocol } from '../rollout/protocol.ts';
import { rolloutSettings, type RolloutSettings } from '../rollout/settings.ts';
import type { ViewTokens } from '../rollout/view.ts';
import { worlds } from '../tasks/registry.ts';
import type { World } from '../tasks/world.ts';
import { loadTokenizer, specialIds, type Tokenizer } from '../text/tokenizer.ts';

export interface Team {
  config: Config;
  world: World;
  protocol: Protocol;
  settings: RolloutSettings;
  tokens: ViewTokens;
  tokenizer: Tokenizer;
  shape: ModelShape;
  /** Network of each agent. */
  networkOf: number[];
  /** Agents of each network. */
  agentsOf: number[][];
  /** Sampled tokens of one row at most. */
  maxActionTokens: number;
  prompt: (problem: Problem, agent: number) => number[];
}

/** Reads a configuration into a team; makes no tensors. */
export function assembleTeam(config: Config): Team {
  const world = worlds[config.world.name];
  const protocol = protocols[config.agents.protocol];
  const settings = rolloutSettings(config, world);
  const tokenizer = loadTokenizer();
  const { windows, roundLimit } = settings;
  const round = protocol.round.flat().reduce((sum, agent) => {
    const role = protocol.roles[agent] as keyof typeof windows;
    return sum + windows[role] + 2; // header, and an end for a cut turn
  }, 0);
  const longest = world.limits(config.world.level, config.agents.protocol).promptWindow + roundLimit * round;
  const isShared = config.agents.parameters === 'shared';
  const networkOf = protocol.roles.map((_, agent) => (isShared ? 0 : agent));
  return {
    config,
    world,
    protocol,
    settings,
    tokenizer,
    tokens: {
      endOfTurn: specialIds.eot,
      finish: specialIds.finish,
      headers: {
        metaThinking: tokenizer.encode(protocol.headers.metaThinking),
        reasoning: tokenizer.encode(protocol.headers.reasoning),
      },
    },
    shape: { ...sizes[config.agents.size], vocabSize: tokenizer.vocabSize, maxPositions: Math.ceil(longest / 16) * 16 },
    networkOf,
    agentsOf: isShared ? [protocol.roles.map((_, agent) => agent)] : protocol.roles.map((_, agent) => [agent]),
    maxActionTokens: roundLimit * Math.max(...Object.values(windows)),
    prompt: (problem, agent) =>
      tokenizer.encode(world.view(problem, protocol.roles[agent] as never, config.agents.protocol)),
  };
}
