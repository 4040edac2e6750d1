// Weights of a model in the place of a warm start: taken as they are, where they have the size and the tokens of the agent
// that begins with them.
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { sizeNames } from '../../config/names.ts';
import { refusalError } from '../../config/refusals/rule.ts';
import type { Config } from '../../config/schema.ts';
import { parameterCount, sizes, type ModelShape } from '../../config/sizes.ts';
import { startNameOf } from '../../config/warmStarts.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import type { GivenModel } from '../../records/stored/modelCard.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { Team } from '../team/team.ts';

export type LoadModel = (name: string) => GivenModel | undefined;

/**
 * A copy of the weights that a network begins with; null where it begins with the warm start. Throws ConfigError for a model
 * that is not at hand, or of another size or other tokens.
 */
export function givenWeights(
  n: number,
  { team, loadModel }: { team: Team; loadModel?: LoadModel | undefined },
): NamedArray[] | null {
  const { agents } = team.config;
  const [agent = 0] = team.agentsOf[n] ?? [];
  const { name, path } = startNameOf(agents, agent);
  if (name === 'warmStart') return null;
  const model = loadModel?.(name);
  if (!model)
    throw new ConfigError(spoken`${path}: ${name} is not at hand; open the file or the run that it came from, or take the warm start.`); // prettier-ignore
  refuseUnlike(model, { agents, path, shape: team.shapes[n] as ModelShape, tokenizer: team.tokenizers[agent] as Tokenizer }); // prettier-ignore
  return model.weights.map((array) => ({ ...array, values: array.values.slice() }));
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
  if (JSON.stringify(tokenizer) !== JSON.stringify(asked.tokenizer.json))
    throw refusalError({
      ...{ path, remedies: [giveUp] },
      says: spoken`${label} reads other tokens than the agents here do; take a model that was trained in a world of the same words`,
    });
  if (sizeOf(shape) === sizeOf(asked.shape)) return;
  const size = sizeNames.find((name) => sizeOf({ ...shape, ...sizes[name] }) === sizeOf(shape));
  const setting =
    path === 'agents.otherStart' && asked.agents.otherSize !== 'same' ? 'agents.otherSize' : 'agents.size';
  throw refusalError({
    path,
    remedies: [...(size ? [{ [setting]: size }] : []), giveUp],
    says: spoken`${label} has ${parameterCount(shape)} parameters, and the network of the agent ${parameterCount(asked.shape)}`,
  });
}

/** All that must be alike; how long a context may be follows from the settings. */
const sizeOf = (shape: ModelShape): string =>
  JSON.stringify(Object.entries({ ...shape, maxPositions: 0 }).sort(([a], [b]) => (a < b ? -1 : 1)));
