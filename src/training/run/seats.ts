// Forms teams of agents from stored checkpoints. If all agents come from one checkpoint, measurements show the
// abilities of the team in this checkpoint. If the agents come from several runs, measurements show whether agents
// understand the messages of other runs (zero-shot coordination, Hu et al. 2003.02979). The checkpoint of the first
// agent determines the world, the level, the rounds, the problems and the draws.
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { hasTurnAdapters, protocolLabels } from '../../config/protocols/registry.ts';
import type { Config } from '../../config/schema.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import type { Beside, Evaluation } from '../../records/metrics.ts';
import type { Policy } from '../../records/policy.ts';
import { influenceAppraisers } from '../collect/influencePass.ts';
import type { Appraiser, TeamRequest } from '../collect/collect.ts';
import { evaluateTeam, measureAtLowTemperature } from '../evaluation/evaluate.ts';
import { measureAnswers } from '../evaluation/manyAnswers.ts';
import { Gate, yieldToMessages } from '../team/gate.ts';
import { assembleTeam, teamAt, type Team } from '../team/team.ts';
import { verifierInRollout } from '../verifier/trainedVerifier.ts';
import { spokenShape } from '../../model/decoding/continuation.ts';
import { decodingPolicy } from '../../model/decoding/decoder.ts';
import { agentPolicies } from '../collect/agentPolicies.ts';
import type { ModelShape } from '../../config/sizes.ts';
import type { Network } from '../team/network.ts';
import { disposeTrainState, restoreTrainState, type TrainState } from './trainState.ts';

/** The checkpoint whose weights an agent uses. */
export interface Seat {
  checkpoint: Checkpoint;
  /** The name of the run in error messages. */
  name: string;
}

/** The weights of an uploaded network. */
export type SeatedNetwork = Pick<Network, 'tree' | 'shape'>;

/** The loaded agents of a team. */
export interface Seated {
  team: Team;
  /** The policy of each agent. */
  policies: Policy[];
  /** The network of each agent in the first round, which computes the probabilities of given tokens. */
  networks: SeatedNetwork[];
  /** The policy and the network of the frozen base, without adapters; absent if the first agent has no adapter. */
  base?: { policy: Policy; network: SeatedNetwork };
  /** The verifier that scores answers; absent if the run of the first agent trains no verifier. */
  judge?: NonNullable<TeamRequest['judge']>;
  /** The appraisers that inspect dialogues before rewards are assigned. */
  appraisers: readonly Appraiser[];
  /** Frees all tensors that were uploaded. */
  dispose: () => void;
}

/**
 * Uploads the networks of the agents. Several agents may come from the same checkpoint. Throws ConfigError if the
 * agents cannot talk to each other.
 */
export function seatTogether(seats: readonly Seat[]): Seated {
  const team = hostOf(seats);
  const states = new Map<Checkpoint, TrainState>();
  const dispose = () => {
    for (const state of states.values()) disposeTrainState(state);
  };
  try {
    const voices = seats.map(({ checkpoint }, agent) => {
      const state = states.get(checkpoint) ?? restoreTrainState(checkpoint, new Gate());
      states.set(checkpoint, state);
      return voiceOf(agent, { state, host: team, iteration: checkpoint.iteration });
    });
    const host = states.get((seats[0] as Seat).checkpoint) as TrainState;
    const { judge, appraisers = [] } = verifierInRollout(host.verifier, { team, gate: new Gate() });
    // Influence is measured only if all agents come from one checkpoint, because the networks of one team are needed to
    // compute it.
    const own = states.size === 1 ? influenceAppraisers({ ...host, team }) : [];
    const shape = spokenShape(host.team.shape);
    return {
      team,
      policies: voices.map(({ policy }) => policy),
      networks: voices.map(({ network }) => network),
      ...(host.base && { base: { policy: decodingPolicy(host.base, shape), network: { tree: host.base, shape } } }),
      ...(judge && { judge }),
      appraisers: [...appraisers, ...own],
      dispose,
    };
  } catch (error) {
    dispose();
    throw error;
  }
}

/**
 * Measures the accuracy of a team of these agents, and the additional values that `beside` requests. All tensors that
 * were uploaded for the measurement are freed. Throws ConfigError if the agents cannot talk to each other.
 */
export async function evaluateSeats(
  seats: readonly Seat[],
  beside: Exclude<Beside, 'everywhere'> = 'answers',
): Promise<Evaluation> {
  const { team, policies, judge, dispose } = seatTogether(seats);
  try {
    const how = { policies, onTurn: yieldToMessages, ...(judge && { judge }) };
    const { iteration } = (seats[0] as Seat).checkpoint;
    const evaluation = await evaluateTeam(team, { ...how, iteration, withMasked: true });
    if (beside === 'answers') return { ...evaluation, answers: await measureAnswers(team, how) };
    if (beside === null) return evaluation;
    return { ...evaluation, atLowTemperature: await measureAtLowTemperature(team, how) };
  } finally {
    dispose();
  }
}

/** The policy and the network of an agent in the new team, from the run from which the agent comes. */
function voiceOf(
  agent: number,
  { state, host, iteration }: { state: TrainState; host: Team; iteration: number },
): { policy: Policy; network: SeatedNetwork } {
  const { networkOf, agentsOf, shapes } = teamAt(state.team, iteration);
  const { maxPositions } = host.shape;
  const team = { ...host, networkOf, agentsOf, shapes: shapes.map((shape) => ({ ...shape, maxPositions })) };
  const n = networkOf[agent]?.[0] as number;
  return {
    policy: agentPolicies({ ...state, team })[agent] as Policy,
    network: { tree: (state.networks[n] as Network).tree, shape: team.shapes[n] as ModelShape },
  };
}

/**
 * The settings and sizes of the team that the agents form. Throws ConfigError if the agents cannot talk to each other.
 */
function hostOf(seats: readonly Seat[]): Team {
  const [first, second] = seats;
  if (!first) throw new ConfigError(spoken`cross-play: expected one stored agent for each role, got none.`);
  const { config } = first.checkpoint;
  const others = (second ?? first).checkpoint.config.agents;
  const own = seats.map(({ checkpoint }) => assembleTeam(checkpoint.config));
  // Size and vocabulary can differ only between the first agent and all other agents, so one setting for the size and
  // one for the vocabulary describe all other agents.
  const { otherSize, otherVocabulary } = others;
  const host = assembleTeam({ ...config, agents: { ...config.agents, otherSize, otherVocabulary } });
  if (seats.length !== host.protocol.roles.length) {
    throw new ConfigError(
      spoken`cross-play: the protocol ${talkOf(config)} has ${host.protocol.roles.length} agents, but ${seats.length} were chosen.`,
    );
  }
  for (const [agent, { name, checkpoint }] of seats.entries()) {
    const team = own[agent] as Team;
    const refuse = (why: string) =>
      new ConfigError(spoken`cross-play: agent ${agent + 1} of ${name} cannot talk here: ${why}.`);
    if (talkOf(checkpoint.config) !== talkOf(config) || team.protocol.roles.join() !== host.protocol.roles.join())
      throw refuse(
        spoken`the agent was trained in the protocol “${talkOf(checkpoint.config)}”, but the other agents use “${talkOf(config)}”`,
      );
    if (team.tokenizers[agent] !== host.tokenizers[agent])
      throw refuse(
        spoken`the agent uses the vocabulary of ${team.world.label}, but the other agents use the vocabulary of ${host.world.label}`,
      );
    const [rounds, asked] = [team.settings.roundLimit, host.settings.roundLimit];
    if (hasTurnAdapters(checkpoint.config.agents) && rounds < asked)
      throw refuse(spoken`the agent has adapters for ${rounds} rounds only, but up to ${asked} rounds may be needed`);
  }
  return host;
}

/** The name of the protocol by which the agents of a run talk. */
const talkOf = ({ agents }: Config) => protocolLabels[agents.protocol];
