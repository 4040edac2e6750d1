// What is told of an agent, or of the verifier, when its weights are taken away: everything that its files say beside the
// numbers.
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { hasTurnAdapters } from '../../config/protocolFacts.ts';
import type { Role } from '../../records/ids.ts';
import type { NamedArray, NetworkState } from '../../records/stored/checkpoint.ts';
import { adaptersByProjection } from '../../model/network/adapter.ts';
import { heardRoles } from '../../text/chatTemplate.ts';
import { teamAt } from '../team/team.ts';
import type { Session } from '../run/session.ts';

/**
 * `isByTurn`: it has a network for each turn, in the order of `models`, with the state of their optimisers where that is
 * asked for. Throws ConfigError for an unknown agent.
 */
export async function agentTakenAway(session: Session, agent: number, hasOptimiser = false) {
  const { team } = session.trainState;
  const { protocol } = team;
  const weights = await session.agentWeights(agent);
  const adapters = await session.agentAdapters(agent);
  const alpha = session.config.agents.loraAlpha;
  const speaking = [...new Set(teamAt(team, session.run.iteration).networkOf[agent])];
  const { networks } = hasOptimiser ? await session.checkpoint() : { networks: [] };
  const modelOf = (own: NamedArray[], i: number) => {
    const pairs = adapters?.pairs[i];
    const network = networks[speaking[i] ?? 0];
    return {
      weights: own,
      ...(adapters && pairs && { adapter: { pairs, alpha, base: adapters.base } }),
      ...(network && { optimiser: optimiserOf(network, adapters ? shape : null) }),
    };
  };
  const shape = team.shapes[team.networkOf[agent]?.[0] ?? 0] ?? team.shape;
  const models = [modelOf(weights[0], 0), ...weights.slice(1).map((own, i) => modelOf(own, i + 1))] as const;
  const source = {
    // How long texts may be for a model of somebody else is its own affair.
    shape: team.foreign?.shape ?? shape,
    role: protocol.roles[agent] as Role,
    heard: heardRoles(protocol, agent),
    sees: protocol.sees[agent] ?? [],
    world: team.world,
    tokenizerJson: team.foreign?.tokenizerJson ?? JSON.stringify((team.tokenizers[agent] ?? team.tokenizer).json),
    ...(team.foreign && { names: team.foreign.names }),
    runName: session.run.name,
    config: session.config,
  };
  return { source, models, isByTurn: hasTurnAdapters(session.config.agents) };
}

/** What the optimiser keeps. `adapted`: the shape of the network whose adapters learn; null where it learns itself. */
function optimiserOf({ weights, critic, m, v, updates }: NetworkState, adapted: ModelShape | null) {
  const moments = (values: readonly Float32Array[]) => {
    const arrays = [...weights, ...critic].map((array, i) => ({ ...array, values: values[i] ?? array.values }));
    if (!adapted) return { pairs: [], arrays };
    return { pairs: adaptersByProjection(arrays, adapted), arrays: arrays.slice(weights.length) };
  };
  return { first: moments(m), second: moments(v), updates };
}

/** Throws ConfigError where the run trains no verifier. */
export async function verifierTakenAway(session: Session) {
  const { verifier } = await session.checkpoint();
  if (!verifier)
    throw new ConfigError(
      spoken`verifier: this run trains none to take away; start one with verifier.isTrained = true.`,
    );
  const { shape, tokenizer, protocol } = session.trainState.team;
  return {
    ...{ shape, network: verifier.network, config: session.config, hasSteps: protocol.hasSteps },
    example: tokenizer.decode(verifier.answers.at(-1)?.tokens ?? []),
    ...{ tokenizerJson: JSON.stringify(tokenizer.json), runName: session.run.name },
  };
}
