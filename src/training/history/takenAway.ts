// Collects the data for the exported files of an agent or a verifier: its weights, and facts about it.
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { hasTurnAdapters } from '../../config/protocols/registry.ts';
import type { ChatMessage } from '../../records/stored/modelCard.ts';
import type { Role } from '../../records/ids.ts';
import { heldWeights } from '../../records/stored/foreignModel.ts';
import { asStoredMatrix } from '../../records/stored/storedMatrix.ts';
import type { NamedArray, NetworkState } from '../../records/stored/checkpoint.ts';
import { adaptersByProjection } from '../../model/network/adapter.ts';
import { heardRoles } from '../../text/chatTemplate.ts';
import { plainTemplate } from '../../text/chat.ts';
import { isHeard } from '../../rollout/view.ts';
import { promptsAround, speakerAt } from '../../tasks/inWords/worldInWords.ts';
import { teamAt, type Team } from '../team/team.ts';
import type { Session } from '../run/session.ts';

/**
 * The contents of an agent's files. `models` contains the agent's networks, and with `hasOptimiser` also the state of
 * their optimisers. If `isByTurn` is true, there is one network for each turn, in order. Throws ConfigError if there is
 * no such agent, or if the agent's model is too large for these files.
 */
export async function agentTakenAway(session: Session, agent: number, hasOptimiser = false) {
  const { team, isBaseHeld } = session.trainState;
  if (isBaseHeld)
    throw new ConfigError(
      spoken`weights: this run uses ${team.foreign?.label ?? ''}, which is too large for this format; save the adapter, or the merged model as safetensors or GGUF.`,
    );
  const weights = await session.agentWeights(agent);
  const adapters = await session.agentAdapters(agent);
  const alpha = session.config.agents.loraAlpha;
  const speaking = [...new Set(teamAt(team, session.run.iteration).networkOf[agent])];
  const { networks } = hasOptimiser ? await session.checkpoint() : { networks: [] };
  const shape = team.shapes[team.networkOf[agent]?.[0] ?? 0] ?? team.shape;
  const modelOf = (own: NamedArray[], i: number) => {
    const pairs = adapters?.pairs[i];
    const network = networks[speaking[i] ?? 0];
    return {
      weights: own,
      ...(adapters?.base && pairs && { adapter: { pairs, alpha, base: adapters.base } }),
      ...(network && { optimiser: optimiserOf(network, adapters ? shape : null) }),
    };
  };
  const models = [modelOf(weights[0], 0), ...weights.slice(1).map((own, i) => modelOf(own, i + 1))] as const;
  const source = {
    ...toldOf(session, agent),
    heard: heardRoles(team.protocol, agent),
    sees: team.protocol.sees[agent] ?? [],
    world: team.world,
    ...(team.foreign && { names: team.foreign.names }),
    config: session.config,
  };
  return { source, models, isByTurn: hasTurnAdapters(session.config.agents) };
}

/** The facts that the files of an agent contain in every format. */
function toldOf({ trainState: { team }, run }: Session, agent: number) {
  const shape = team.shapes[team.networkOf[agent]?.[0] ?? 0] ?? team.shape;
  return {
    // For a third-party model, the shape of the model itself is used, because it contains the model's own maximum text
    // length.
    shape: team.foreign?.shape ?? shape,
    role: team.protocol.roles[agent] as Role,
    tokenizerJson: team.foreign?.tokenizerJson ?? JSON.stringify((team.tokenizers[agent] ?? team.tokenizer).json),
    runName: run.name,
    ...chatOf(team, agent),
  };
}

/**
 * The files of an agent that is based on a third-party model: the adapters (one set per turn, if they differ between
 * turns) and the frozen weights of the model's file, which are not copied. Throws ConfigError if there is no such
 * agent, or if the run uses no third-party model.
 */
export async function adaptersTakenAway(session: Session, agent: number) {
  const { trainState, config } = session;
  const { team } = trainState;
  const { start, loraAlpha: alpha, temperature } = config.agents;
  if (!team.foreign)
    throw new ConfigError(spoken`adapter: this run uses no external model; save the weights of the run instead.`);
  if (!team.protocol.roles[agent])
    throw new ConfigError(spoken`agent: expected 0 to ${team.networkOf.length - 1}, got ${agent}.`);
  const adapters = await session.agentAdapters(agent);
  return {
    ...toldOf(session, agent),
    base: { label: team.foreign.label, name: start },
    matrices: heldWeights(start) ?? adapters?.base?.map(asStoredMatrix) ?? [],
    turns: adapters?.pairs ?? [],
    ...{ alpha, temperature, names: team.foreign.names },
  };
}

/** The agent's chat template and an example of a chat that the agent may read, if agents talk in plain words. */
function chatOf(
  { world, config, protocol, tokens, foreign }: Team,
  agent: number,
): { chat?: { template: string; messages: ChatMessage[] } } {
  const [problem] = world.heldOut(config.world.level, 1);
  if (!tokens.inWords || !world.inWords || !problem) return {};
  const heard = [...protocol.roles.entries()]
    .filter(([other]) => isHeard(other, agent, tokens))
    .map(([other, role]) => ({ role, agent: other, isOwn: false, text: world.example?.plan ?? '' }));
  const speaker = { ...speakerAt(protocol, agent), heard };
  const chat = world.inWords.chat(problem, speaker, promptsAround(config, world));
  return {
    chat: { template: foreign?.chat?.template ?? plainTemplate, messages: chat },
  };
}

/**
 * The moments and the step count of the optimiser. `adapted` is the shape of the network whose adapters are trained, or
 * null if all weights are trained.
 */
function optimiserOf({ weights, critic, m, v, updates }: NetworkState, adapted: ModelShape | null) {
  const moments = (values: readonly Float32Array[]) => {
    const arrays = [...weights, ...critic].map((array, i) => ({ ...array, values: values[i] ?? array.values }));
    if (!adapted) return { pairs: [], arrays };
    return { pairs: adaptersByProjection(arrays, adapted), arrays: arrays.slice(weights.length) };
  };
  return { first: moments(m), second: moments(v), updates };
}

/** The contents of a verifier's files. Throws ConfigError if the run trains no verifier. */
export async function verifierTakenAway(session: Session) {
  const { verifier } = await session.checkpoint();
  if (!verifier)
    throw new ConfigError(
      spoken`verifier: no verifier is trained in this run, so there is none to export; start a run with verifier.isTrained = true.`,
    );
  const { shape, tokenizer, protocol } = session.trainState.team;
  return {
    ...{ shape, network: verifier.network, config: session.config, hasSteps: protocol.hasSteps },
    example: tokenizer.decode(verifier.answers.at(-1)?.tokens ?? []),
    ...{ tokenizerJson: JSON.stringify(tokenizer.json), runName: session.run.name },
  };
}
