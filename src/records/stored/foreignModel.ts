// A foreign model that a run's agents use, described by its shape and its own tokens, but without its weights. A run's
// settings refer to it by a hash of everything that determines its outputs. Code that loads the model, or reads a
// checkpoint with it, registers it here. After that, the model can be found by that name.
import * as v from 'valibot';
import { spoken } from '../../base/spoken.ts';
import type { Config } from '../../config/schema.ts';
import { parameterCount, type ModelShape } from '../../config/sizes.ts';
import { whole } from '../problem.ts';
import type { StoredMatrix } from './storedMatrix.ts';

const size = v.pipe(whole, v.minValue(1));
const positive = v.pipe(v.number(), v.finite(), v.gtValue(0));

const shapeSchema = v.object({
  ...{ vocabSize: size, hiddenSize: size, intermediateSize: size, numLayers: size, numHeads: size, numKvHeads: size },
  ...{ headSize: size, ropeTheta: positive, normEps: positive, isTied: v.boolean(), maxPositions: size },
  ...{ attentionBias: v.exactOptional(v.literal(true)), qkNorm: v.exactOptional(v.literal(true)) },
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
  /** `maxPositions` is the context length with which the model was trained. */
  shape: shapeSchema,
  /** The text of the model's tokenizer.json, byte for byte. */
  tokenizerJson: v.string(),
  /** The model's own special tokens that correspond to `<bos>`, `<eot>` and `<finish>`; many models have no `<bos>`. */
  names: v.object({ bos: v.nullable(v.string()), endOfTurn: v.string(), finish: v.string() }),
  /**
   * The text of the tokenizer.json that agents use. Its ids are the model's own, but the three special tokens have our
   * names (text/foreignVocabulary.ts).
   */
  agentsJson: v.string(),
  /**
   * The model's own chat format: the Jinja template, and the texts of the special tokens that it uses. Absent if the
   * model has no chat format, or was stored without it.
   */
  chat: v.exactOptional(v.object({ template: v.string(), special: v.record(v.string(), v.string()) })),
  /** The model's files, so that the visitor can be asked for them; absent if it was stored without them. */
  files: v.exactOptional(v.array(v.object({ name: v.string(), bytes: whole, sha256: v.exactOptional(v.string()) }))),
});
export type ForeignModel = v.InferOutput<typeof foreignSchema>;
export type OwnNames = ForeignModel['names'];

const known = new Map<string, ForeignModel>();
const weights = new Map<string, readonly StoredMatrix[]>();

/**
 * Registers a model by its name, together with its weights if they are passed. The weights of a large model are in
 * memory only once, and no checkpoint contains them. Models with the same name are equal, so the first one is kept.
 */
export function introduceModel(name: string, model: ForeignModel, matrices?: readonly StoredMatrix[]): void {
  if (!known.has(name)) known.set(name, model);
  if (matrices && !weights.has(name)) weights.set(name, matrices);
}

/** The size of the largest model that a checkpoint includes, in bytes: 16 million parameters as float32. */
const mostCarriedBytes = 2 ** 26;

/** Whether checkpoints contain only the name of a model and not its weights. */
export const isHeldByName = ({ shape }: Pick<ForeignModel, 'shape'>): boolean =>
  4 * parameterCount(shape) > mostCarriedBytes;

/** The weights of a loaded model, in the format of its file, in the order of `parameterNames(shape)`. */
export const heldWeights = (name: string): readonly StoredMatrix[] | undefined => weights.get(name);

/** Removes all registered models and weights, as in a worker that has just started; for tests. */
export function forgetModels(): void {
  known.clear();
  weights.clear();
}

/**
 * The model that a checkpoint contains only by name, if the model's weights are not loaded; null if nothing is missing.
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

/** Describes a model to a visitor who has to provide its file: its name, its size, and its hashes. */
export function fileWords(name: string, { label, shape, files = [] }: ForeignModel): string {
  const millions = (parameterCount(shape) / 1e6).toFixed(1);
  const told = files.map(({ name: file, bytes, sha256 }) =>
    sha256 === undefined ? spoken`${file}, ${bytes} bytes` : spoken`${file}, ${bytes} bytes, SHA-256 ${sha256}`,
  );
  return told.length > 0
    ? spoken`${label} (${name}, ${millions} million parameters; ${told.join('; ')})`
    : spoken`${label} (${name}, ${millions} million parameters)`;
}

/** A registered model by its name. */
export const foreignNamed = (name: string): ForeignModel | undefined => known.get(name);

/** The foreign model that all agents of these settings use; undefined if they use our own networks. */
export const foreignOf = ({ agents: { parameters, start } }: Pick<Config, 'agents'>): ForeignModel | undefined =>
  parameters === 'lora' ? foreignNamed(start) : undefined;
