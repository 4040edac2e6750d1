// What is told of an agent, or of the verifier, when its weights are taken away: everything that its files say beside the
// numbers.
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { hasTurnAdapters } from '../../config/protocolFacts.ts';
import type { Role } from '../../records/ids.ts';
import type { ChatMessage } from '../../records/stored/modelCard.ts';
import type { NamedArray, NetworkState } from '../../records/stored/checkpoint.ts';
import { adaptersByProjection } from '../../model/network/adapter.ts';
import { heardRoles } from '../../text/chatTemplate.ts';
import { plainTemplate } from '../../text/chat.ts';
import { isHeard } from '../../rollout/view.ts';
import { teamAt, type Team } from '../team/team.ts';
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
    ...chatOf(team, agent),
    runName: session.run.name,
    config: session.config,
  };
  return { source, models, isByTurn: hasTurnAdapters(session.config.agents) };
}

/** Where agents talk in words: the template that they talk through, and a chat that one may read. */
function chatOf(
  { world, config, protocol, tokens, foreign }: Team,
  agent: number,
): { chat?: { template: string; messages: ChatMessage[] } } {
  const [problem] = world.heldOut(config.world.level, 1);
  if (!tokens.inWords || !world.inWords || !problem) return {};
  const heard = [...protocol.roles.entries()]
    .filter(([other]) => isHeard(other, agent, tokens))
    .map(([other, role]) => ({ role, agent: other, isOwn: false, text: world.example?.plan ?? '' }));
  const speaker = { agent, role: protocol.roles[agent] as Role, sees: protocol.sees[agent] ?? [], heard };
  return {
    chat: { template: foreign?.chat?.template ?? plainTemplate, messages: world.inWords.chat(problem, speaker) },
  };
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
