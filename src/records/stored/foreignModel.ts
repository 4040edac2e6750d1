// An imported model that the agents of a run use, described by its shape and its tokens, but without its weights. The
// settings of a run refer to the model by a name, which contains a hash of everything that determines the outputs of
// the model. Code that loads the model, or a checkpoint with it, registers the model here. From then on, the model can
// be found by its name.
import * as v from 'valibot';
import { spoken } from '../../base/spoken.ts';
import type { Config } from '../../config/schema.ts';
import { parameterCount, type ModelShape } from '../../config/sizes.ts';
import { whole } from '../problem.ts';
import type { StoredMatrix } from './storedMatrix.ts';

const size = v.pipe(whole, v.minValue(1));
const positive = v.pipe(v.number(), v.finite(), v.gtValue(0));
const fact = v.exactOptional(v.literal(true));

const shapeSchema = v.object({
  ...{ vocabSize: size, hiddenSize: size, intermediateSize: size, numLayers: size, numHeads: size, numKvHeads: size },
  ...{ headSize: size, ropeTheta: positive, normEps: positive, isTied: v.boolean(), maxPositions: size },
  ...{ attentionBias: fact, qkNorm: fact, gelu: fact, outputNorms: fact, scaledEmbeddings: fact },
  queryScalar: v.exactOptional(positive),
  local: v.exactOptional(v.object({ window: size, ropeTheta: positive, period: size })),
  ropeScaling: v.exactOptional(
    v.variant('kind', [
      v.object({ kind: v.literal('linear'), factor: positive }),
      v.object({
        ...{ kind: v.literal('llama3'), factor: positive, originalPositions: positive },
        ...{ lowFrequencyFactor: positive, highFrequencyFactor: positive },
      }),
    ]),
  ),
}) satisfies v.GenericSchema<unknown, ModelShape>;

export const foreignSchema = v.object({
  /** The model's name. */
  label: v.string(),
  /** The shape of the model. `maxPositions` is the maximum length of a context that the model supports. */
  shape: shapeSchema,
  /** The text of the model's tokenizer.json, unchanged. */
  tokenizerJson: v.string(),
  /** The special tokens of the model that are used as `<bos>`, `<eot>` and `<finish>`. Many models have no `<bos>`. */
  names: v.object({ bos: v.nullable(v.string()), endOfTurn: v.string(), finish: v.string() }),
  /**
   * The text of the tokenizer.json that agents use. This is the model's own tokenizer, except that the three special
   * tokens have our names (text/foreignVocabulary.ts).
   */
  agentsJson: v.string(),
  /**
   * The model's own chat format: the Jinja template, and the texts of the special tokens that it uses. Absent if the
   * model has no chat format, or was stored without it.
   */
  chat: v.exactOptional(v.object({ template: v.string(), special: v.record(v.string(), v.string()) })),
  /**
   * Describes the files of the model, so that the page can ask the visitor for these files; absent if the model was
   * stored without this description.
   */
  files: v.exactOptional(v.array(v.object({ name: v.string(), bytes: whole, sha256: v.exactOptional(v.string()) }))),
});
export type ForeignModel = v.InferOutput<typeof foreignSchema>;
export type OwnNames = ForeignModel['names'];

const known = new Map<string, ForeignModel>();
const weights = new Map<string, readonly StoredMatrix[]>();

/**
 * Registers a model by its name, together with its weights, if weights are passed. A large model is kept in memory only
 * once, and checkpoints contain only its name. Models with the same name are equal, so if the name is already
 * registered, nothing changes.
 */
export function introduceModel(name: string, model: ForeignModel, matrices?: readonly StoredMatrix[]): void {
  if (!known.has(name)) known.set(name, model);
  if (matrices && !weights.has(name)) weights.set(name, matrices);
}

/** The size in bytes of the largest model whose weights are stored in checkpoints: 16 million parameters in float32. */
const mostCarriedBytes = 2 ** 26;

/** Whether checkpoints contain only the name of the model, because its weights are too large. */
export const isHeldByName = ({ shape }: Pick<ForeignModel, 'shape'>): boolean =>
  4 * parameterCount(shape) > mostCarriedBytes;

/**
 * The weights of a registered model, in the format of its file and in the order of `parameterNames(shape)`; undefined
 * if the weights are not loaded.
 */
export const heldWeights = (name: string): readonly StoredMatrix[] | undefined => weights.get(name);

/** Removes all registered models and weights, as in a worker that has just started; for tests. */
export function forgetModels(): void {
  known.clear();
  weights.clear();
}

/**
 * The model to which a checkpoint refers only by name, if the weights of this model are not loaded; null if no weights
 * are missing.
 */
export function missingBase({ base, foreign, config }: Standing): { name: string; foreign: ForeignModel } | null {
  const name = config.agents.start;
  return base || !foreign || heldWeights(name) ? null : { name, foreign };
}

interface Standing {
  base?: unknown;
  foreign?: ForeignModel | undefined;
  config: { agents: Pick<Config['agents'], 'start'> };
}

/** Describes a model for a visitor who has to provide the file of the model: its name, its size, and its hashes. */
export function fileWords(name: string, { label, shape, files = [] }: ForeignModel): string {
  const millions = (parameterCount(shape) / 1e6).toFixed(1);
  const told = files.map(({ name: file, bytes, sha256 }) =>
    sha256 === undefined ? spoken`${file}, ${bytes} bytes` : spoken`${file}, ${bytes} bytes, SHA-256 ${sha256}`,
  );
  return told.length > 0
    ? spoken`${label} (${name}, ${millions} million parameters; ${told.join('; ')})`
    : spoken`${label} (${name}, ${millions} million parameters)`;
}

/** The registered model with this name. */
export const foreignNamed = (name: string): ForeignModel | undefined => known.get(name);

/** The imported model that all agents use with these settings; undefined if the agents use one of our own networks. */
export const foreignOf = ({ agents: { parameters, start } }: Pick<Config, 'agents'>): ForeignModel | undefined =>
  parameters === 'lora' ? foreignNamed(start) : undefined;
