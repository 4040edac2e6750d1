// Starts a network with the weights of a given model instead of a warm start. The model must have the size and the
// vocabulary of the agent.
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { sizeNames } from '../../config/names.ts';
import { refusalError } from '../../config/refusals/rule.ts';
import type { Config } from '../../config/schema.ts';
import { parameterCount, sizes, type ModelShape } from '../../config/sizes.ts';
import { startNameOf } from '../../config/warmStarts.ts';
import { memoryBytes } from '../../engine/memory.ts';
import { adapterNames } from '../../model/network/adapter.ts';
import { foreignNamed, type ForeignModel } from '../../records/stored/foreignModel.ts';
import type { GivenModel } from '../../records/stored/modelCard.ts';
import type { StoredMatrix } from '../../records/stored/storedMatrix.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { Team } from '../team/team.ts';

/** The share of the memory that weights may take. The remaining memory is for dialogues and gradients. */
const mostShare = 0.6;

export type LoadModel = (name: string) => GivenModel | undefined;

/**
 * The initial weights of a network, taken from the model; null if the network begins with the warm start. Throws
 * ConfigError for a model that is not loaded, or that has another size or another vocabulary.
 */
export function givenWeights(
  n: number,
  { team, loadModel }: { team: Team; loadModel?: LoadModel | undefined },
): readonly StoredMatrix[] | null {
  const { agents } = team.config;
  const [agent = 0] = team.agentsOf[n] ?? [];
  const { name, path } = startNameOf(agents, agent);
  if (name === 'warmStart') return null;
  const model = loadModel?.(name);
  if (!model)
    throw new ConfigError(
      spoken`${path}: the weights ${name} are not available; open the file or the run that contains these weights, or use the warm start.`,
    );
  if (team.foreign) refuseTooShort(team, team.foreign);
  else
    refuseUnlike(model, {
      agents,
      path,
      shape: team.shapes[n] as ModelShape,
      tokenizer: team.tokenizers[agent] as Tokenizer,
    });
  if (agents.parameters === 'lora') refuseAdapters(team, model.label);
  return model.matrices;
}

interface Asked {
  agents: Config['agents'];
  path: 'agents.start' | 'agents.otherStart';
  shape: ModelShape;
  tokenizer: Tokenizer;
}

function refuseUnlike({ label, shape, tokenizer }: GivenModel, asked: Asked): void {
  const { path } = asked;
  const giveUp = { [path]: 'warmStart' };
  if (path === 'agents.start' && foreignNamed(asked.agents.start))
    throw refusalError({
      ...{ path, remedies: [{ 'agents.parameters': 'lora' }, giveUp] },
      says: spoken`${label} and these agents use different tokens, so this model can be trained with adapters only`,
    });
  if (JSON.stringify(tokenizer) !== JSON.stringify(asked.tokenizer.json))
    throw refusalError({
      ...{ path, remedies: [giveUp] },
      says: spoken`${label} and these agents use different tokens; choose a model that was trained in a world with the same words`,
    });
  if (sizeOf(shape) === sizeOf(asked.shape)) return;
  const size = sizeNames.find((name) => sizeOf({ ...shape, ...sizes[name] }) === sizeOf(shape));
  const setting =
    path === 'agents.otherStart' && asked.agents.otherSize !== 'same' ? 'agents.otherSize' : 'agents.size';
  throw refusalError({
    path,
    remedies: [...(size ? [{ [setting]: size }] : []), giveUp],
    says: spoken`${label} has ${parameterCount(shape)} parameters, but the network of the agent has ${parameterCount(asked.shape)}`,
  });
}

/**
 * Throws ConfigError if the adapters have a higher rank than the model's matrices, or if they do not fit in memory
 * together with their base.
 */
function refuseAdapters({ config, shape, shapes }: Team, label: string): void {
  const { loraRank, adapterPer } = config.agents;
  if (loraRank > shape.hiddenSize)
    throw refusalError({
      ...{ path: 'agents.loraRank', remedies: [{ 'agents.loraRank': shape.hiddenSize }] },
      says: spoken`a matrix of ${label} has ${shape.hiddenSize} directions, so the rank cannot be ${loraRank}`,
    });
  const ofAdapter = adapterNames(shape, loraRank).reduce(
    (sum, { shape: [rows = 0, columns = 0] }) => sum + rows * columns,
    0,
  );
  // The bytes of the base are counted once. The bytes of the adapters include both moments of the optimiser.
  const bytes = 4 * (parameterCount(shape) + 3 * shapes.length * ofAdapter);
  if (bytes <= mostShare * memoryBytes()) return;
  throw refusalError({
    path: 'agents.start',
    remedies: adapterPer === 'turn' ? [{ 'agents.adapterPer': 'role' }] : [{ 'agents.start': 'warmStart' }],
    says: spoken`${label} with ${shapes.length} adapters needs ${Math.ceil(bytes / 2 ** 20)} MiB, but this engine has only ${Math.floor((mostShare * memoryBytes()) / 2 ** 20)} MiB for weights; use fewer agents, or a smaller model`,
  });
}

/** Throws ConfigError if a dialogue may be longer than the longest text that the model supports. */
function refuseTooShort(
  { shape, longestContext, tokens, settings: { roundLimit } }: Team,
  { label }: ForeignModel,
): void {
  if (longestContext <= shape.maxPositions) return;
  const rounds = Math.floor((roundLimit * shape.maxPositions) / longestContext);
  throw refusalError({
    path: 'agents.start',
    remedies: [
      rounds > 0 ? { 'agents.roundLimit': rounds } : { 'agents.start': 'warmStart' },
      ...(tokens.inWords ? [{ 'agents.inWords': false }] : []),
    ],
    says: spoken`${label} was made for texts of ${shape.maxPositions} tokens, but a dialogue may have ${longestContext}; use fewer rounds or smaller windows`,
  });
}

/**
 * A text that contains all sizes that two models must have in common. The maximum length of a context is not included,
 * because it depends on the settings.
 */
const sizeOf = (shape: ModelShape): string =>
  JSON.stringify(Object.entries({ ...shape, maxPositions: 0 }).sort(([a], [b]) => (a < b ? -1 : 1)));
