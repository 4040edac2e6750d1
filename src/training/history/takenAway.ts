// What is told of an agent, or of the verifier, when its weights are taken away: everything that its files say beside the
// numbers.
import { ConfigError } from '../../base/errors.ts';
import { hasTurnAdapters } from '../../config/protocolFacts.ts';
import type { Role } from '../../records/ids.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import { heardRoles } from '../../text/chatTemplate.ts';
import type { Session } from '../run/session.ts';

/** `isByTurn`: it has a network for each turn, in the order of `models`. Throws ConfigError for an unknown agent. */
export async function agentTakenAway(session: Session, agent: number) {
  const { team } = session.trainState;
  const { protocol } = team;
  const weights = await session.agentWeights(agent);
  const adapters = await session.agentAdapters(agent);
  const alpha = session.config.agents.loraAlpha;
  const modelOf = (own: NamedArray[], i: number) => {
    const pairs = adapters?.pairs[i];
    return { weights: own, ...(adapters && pairs && { adapter: { pairs, alpha, base: adapters.base } }) };
  };
  const models = [modelOf(weights[0], 0), ...weights.slice(1).map((own, i) => modelOf(own, i + 1))] as const;
  const source = {
    shape: team.shapes[team.networkOf[agent]?.[0] ?? 0] ?? team.shape,
    role: protocol.roles[agent] as Role,
    heard: heardRoles(protocol, agent),
    sees: protocol.sees[agent] ?? [],
    world: team.world,
    tokenizerJson: JSON.stringify((team.tokenizers[agent] ?? team.tokenizer).json),
    runName: session.run.name,
    config: session.config,
  };
  return { source, models, isByTurn: hasTurnAdapters(session.config.agents) };
}

/** Throws ConfigError where the run trains no verifier. */
export async function verifierTakenAway(session: Session) {
  const { verifier } = await session.checkpoint();
  if (!verifier)
    throw new ConfigError('verifier: this run trains none to take away; start one with verifier.isTrained = true.');
  const { shape, tokenizer, protocol } = session.trainState.team;
  return {
    ...{ shape, network: verifier.network, config: session.config, hasSteps: protocol.hasSteps },
    example: tokenizer.decode(verifier.answers.at(-1)?.tokens ?? []),
    ...{ tokenizerJson: JSON.stringify(tokenizer.json), runName: session.run.name },
  };
}
