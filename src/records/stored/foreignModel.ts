// A foreign model that a run's agents use, without its weights: its shape and its own tokens. A run's settings name it
// by a hash of everything that determines its outputs; code that loads it, or reads a checkpoint that contains it,
// registers it here, and from then on it is known by that name.
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
  /** `maxPositions`: the context length that it was trained with. */
  shape: shapeSchema,
  /** Text of its tokenizer.json, byte for byte. */
  tokenizerJson: v.string(),
  /** Its own special tokens that correspond to `<bos>`, `<eot>` and `<finish>`; many models have no `<bos>`. */
  names: v.object({ bos: v.nullable(v.string()), endOfTurn: v.string(), finish: v.string() }),
  /**
   * Text of the tokenizer.json that agents use: the same ids, with those three under our names
   * (text/foreignVocabulary.ts).
   */
  agentsJson: v.string(),
  /**
   * Its own chat format: Jinja, and the texts of the special tokens that it uses. Absent: it has none, or was stored
   * without.
   */
  chat: v.exactOptional(v.object({ template: v.string(), special: v.record(v.string(), v.string()) })),
  /** Its files, so that the visitor can be asked for them; absent: it was stored without. */
  files: v.exactOptional(v.array(v.object({ name: v.string(), bytes: whole, sha256: v.exactOptional(v.string()) }))),
});
export type ForeignModel = v.InferOutput<typeof foreignSchema>;
export type OwnNames = ForeignModel['names'];

const known = new Map<string, ForeignModel>();
const weights = new Map<string, readonly StoredMatrix[]>();

/**
 * Registers the model by its name, and its weights if they are given: those of a large model are held once, and no
 * checkpoint contains them. Equal names mean equal models, so the first one is kept.
 */
export function introduceModel(name: string, model: ForeignModel, matrices?: readonly StoredMatrix[]): void {
  if (!known.has(name)) known.set(name, model);
  if (matrices && !weights.has(name)) weights.set(name, matrices);
}

/** The largest model that a checkpoint includes: as float32, 16 million parameters. */
const mostCarriedBytes = 2 ** 26;

/** Whether checkpoints only name a model and do not include its weights. */
export const isHeldByName = ({ shape }: Pick<ForeignModel, 'shape'>): boolean =>
  4 * parameterCount(shape) > mostCarriedBytes;

/** The weights of a loaded model, in the format of its file, in the order of `parameterNames(shape)`. */
export const heldWeights = (name: string): readonly StoredMatrix[] | undefined => weights.get(name);

/** Removes all registered models and weights, as in a worker that has just started; for tests. */
export function forgetModels(): void {
  known.clear();
  weights.clear();
}

/** A model that a checkpoint only names and whose weights are not loaded; null if nothing is missing. */
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

/** The model that all agents of these settings use; undefined if their weights are our own. */
export const foreignOf = ({ agents: { parameters, start } }: Pick<Config, 'agents'>): ForeignModel | undefined =>
  parameters === 'lora' ? foreignNamed(start) : undefined;
