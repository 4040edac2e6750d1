// Reads the config.json of an imported model. The model is accepted only if model/network/llama.ts supports all
// computations of the model. Keys and defaults follow transformers' configuration classes, versions 4 and 5.
import * as v from 'valibot';
import { FormatError } from '../../base/errors.ts';
import { quoted } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import type { FamilyFacts } from '../../config/families/facts.ts';
import { families } from '../../config/families/registry.ts';
import type { LocalAttention, ModelShape, RopeScaling } from '../../config/sizes.ts';
import { mostTokens, refuseShape } from './shape.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1e6));
const positive = v.pipe(v.number(), v.finite(), v.gtValue(0));
const ropeEntries = {
  rope_theta: v.nullish(positive),
  rope_type: v.nullish(v.string()),
  type: v.nullish(v.string()),
  factor: v.nullish(positive),
  low_freq_factor: v.nullish(positive),
  high_freq_factor: v.nullish(positive),
  original_max_position_embeddings: v.nullish(positive),
};
const rope = v.looseObject({
  ...ropeEntries,
  // Families with local attention state the angles of each kind of layer separately.
  full_attention: v.nullish(v.looseObject(ropeEntries)),
  sliding_attention: v.nullish(v.looseObject(ropeEntries)),
});
const ids = v.union([v.pipe(v.number(), v.integer()), v.array(v.pipe(v.number(), v.integer()))]);

const familyFile = v.looseObject({
  architectures: v.nullish(v.array(v.string()), []),
  model_type: v.nullish(v.string(), ''),
});

const configFile = v.looseObject({
  vocab_size: v.pipe(count, v.maxValue(mostTokens)),
  hidden_size: count,
  intermediate_size: count,
  num_hidden_layers: v.pipe(count, v.maxValue(256)),
  num_attention_heads: count,
  num_key_value_heads: v.nullish(count),
  head_dim: v.nullish(count),
  max_position_embeddings: v.nullish(count, 2048),
  rms_norm_eps: v.nullish(positive, 1e-6),
  rope_theta: v.nullish(positive),
  rope_parameters: v.nullish(rope),
  rope_scaling: v.nullish(rope),
  hidden_act: v.nullish(v.string()),
  hidden_activation: v.nullish(v.string()),
  attention_bias: v.nullish(v.boolean(), false),
  mlp_bias: v.nullish(v.boolean(), false),
  tie_word_embeddings: v.nullish(v.boolean()),
  sliding_window: v.nullish(count),
  use_sliding_window: v.nullish(v.boolean()),
  sliding_window_pattern: v.nullish(count),
  _sliding_window_pattern: v.nullish(count),
  layer_types: v.nullish(v.array(v.string())),
  rope_local_base_freq: v.nullish(positive),
  query_pre_attn_scalar: v.nullish(positive),
  attn_logit_softcapping: v.nullish(v.number()),
  final_logit_softcapping: v.nullish(v.number()),
  use_bidirectional_attention: v.nullish(v.boolean()),
  eos_token_id: v.nullish(ids),
});

/** The ids in generation_config.json of the tokens that end a text. */
export const generationFile = v.looseObject({ eos_token_id: v.nullish(ids) });

export const idList = (given: v.InferOutput<typeof ids> | null | undefined): number[] => [given ?? []].flat();

/**
 * Checks a JSON file against its schema. Throws FormatError if the file does not match the schema; the message contains
 * the key.
 */
export function formed<S extends v.GenericSchema>(form: S, json: unknown, name: string): v.InferOutput<S> {
  const parsed = v.safeParse(form, json);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const got = issue.received === 'undefined' ? spoken`nothing` : quoted(issue.input);
  throw new FormatError(
    spoken`${name}: ${v.getDotPath(issue) ?? spoken`the whole`}: expected ${wanted(issue)}, got ${got}.`,
  );
}

const wanted = ({ type, expected, requirement }: v.BaseIssue<unknown>) =>
  type === 'integer'
    ? spoken`a whole number`
    : type.endsWith('_value')
      ? `${expected ?? ''}`
      : quoted(expected ?? requirement);

export interface ReadConfig {
  shape: ModelShape;
  family: FamilyFacts;
  endIds: number[];
  promisedPositions: number;
}

/**
 * The shape of a model and the tokens that end a text according to its config.json. If attention is limited to a
 * window, the shape has no more positions than this window, so that attention reaches all previous tokens. Throws
 * FormatError if the model is not supported.
 */
export function readLlamaConfig(json: unknown): ReadConfig {
  const { architectures, model_type: type } = formed(familyFile, json, 'config.json');
  const family =
    architectures.length > 0
      ? architectures.flatMap((name) => families.find(({ className }) => className === name) ?? [])[0]
      : families.find(({ name }) => name === type);
  if (!family)
    throw new FormatError(
      spoken`config.json: expected a model of the family ${families.map(({ className }) => className).join(', ')}, got ${quoted(architectures[0] ?? (type || undefined))}; no other family is supported here, so choose one of these.`,
    );
  const given = formed(configFile, json, 'config.json');
  const { network } = family;
  refuseUnlike(given, network);
  const heads = given.num_attention_heads;
  const headSize = given.head_dim ?? family.headSize ?? given.hidden_size / heads;
  const angles = given.rope_parameters?.full_attention ?? given.rope_parameters;
  const scaling = scalingOf(given);
  const local = family.local && localOf(given, family.local);
  const queryScalar = family.queryScalar && (given.query_pre_attn_scalar ?? family.queryScalar);
  const shape: ModelShape = {
    vocabSize: given.vocab_size,
    hiddenSize: given.hidden_size,
    intermediateSize: given.intermediate_size,
    numLayers: given.num_hidden_layers,
    numHeads: heads,
    numKvHeads: given.num_key_value_heads ?? heads,
    headSize,
    ropeTheta: angles?.rope_theta ?? given.rope_theta ?? family.ropeTheta ?? 10_000,
    normEps: given.rms_norm_eps,
    isTied: given.tie_word_embeddings ?? family.isTied ?? false,
    maxPositions: Math.min(given.max_position_embeddings, windowOf(given, family)),
    ...network,
    ...(queryScalar !== undefined && queryScalar !== headSize && { queryScalar }),
    ...(local && { local }),
    ...(scaling && { ropeScaling: scaling }),
  };
  refuseShape(shape, { file: 'config.json', headSize: 'head_dim', numKvHeads: 'num_key_value_heads' });
  return { shape, family, endIds: idList(given.eos_token_id), promisedPositions: given.max_position_embeddings };
}

const unlike = (key: string, expected: string, got: unknown) =>
  new FormatError(
    spoken`config.json: ${key}: expected ${expected}, got ${quoted(got)}; this value is not supported here.`,
  );

/** The number of tokens that a token attends to, including itself; Infinity if attention has no window. */
function windowOf(given: v.InferOutput<typeof configFile>, { window }: FamilyFacts): number {
  if (window === undefined || (window === 'asked' && given.use_sliding_window !== true)) return Infinity;
  const usual = typeof window === 'number' ? window : Infinity;
  return given.sliding_window === undefined ? usual : (given.sliding_window ?? Infinity);
}

/**
 * The local attention of a family that has it. config.json contains the kind of each layer or, in older files, the
 * period of the layers that see all positions. Undefined if all layers see all positions.
 */
function localOf(given: v.InferOutput<typeof configFile>, usual: LocalAttention): LocalAttention | undefined {
  const kinds = given.layer_types;
  const stated = given.sliding_window_pattern ?? given._sliding_window_pattern ?? usual.period;
  const first = kinds?.indexOf('full_attention') ?? -1;
  const period = !kinds ? stated : first < 0 ? given.num_hidden_layers + 1 : first + 1;
  const layers = Array.from({ length: given.num_hidden_layers }, (_, layer) =>
    (layer + 1) % period === 0 ? 'full_attention' : 'sliding_attention',
  );
  if (kinds && kinds.join() !== layers.join())
    throw unlike(
      'layer_types',
      spoken`“full_attention” for every ${period}th of ${layers.length} layers, and “sliding_attention” for all others`,
      kinds,
    );
  const angles = given.rope_parameters?.sliding_attention;
  const scaling = angles?.rope_type ?? 'default';
  if (scaling !== 'default') throw unlike('rope_parameters.sliding_attention.rope_type', '"default"', scaling);
  if (period === 1) return undefined;
  const window = given.sliding_window === undefined ? usual.window : given.sliding_window;
  if (window === null) throw unlike('sliding_window', spoken`a whole number`, window);
  return { window, ropeTheta: angles?.rope_theta ?? given.rope_local_base_freq ?? usual.ropeTheta, period };
}

/** The RoPE scaling, which versions 4 and 5 of transformers store under different keys; null if there is none. */
function scalingOf(given: v.InferOutput<typeof configFile>): RopeScaling | null {
  for (const key of ['rope_parameters', 'rope_scaling'] as const) {
    const found = given[key]?.full_attention ?? given[key] ?? {};
    const kind = found.rope_type ?? found.type ?? 'default';
    if (kind === 'default') continue;
    if (kind !== 'linear' && kind !== 'llama3') throw unlike(key, spoken`default, linear or llama3`, kind);
    const number = (name: keyof typeof found): number => {
      const value = found[name];
      if (typeof value !== 'number') throw unlike(`${key}.${name}`, spoken`a number`, value);
      return value;
    };
    if (kind === 'linear') return { kind, factor: number('factor') };
    const [low, high] = [number('low_freq_factor'), number('high_freq_factor')];
    if (low >= high) throw unlike(`${key}.high_freq_factor`, spoken`more than ${low}`, high);
    return {
      ...{ kind, factor: number('factor'), lowFrequencyFactor: low, highFrequencyFactor: high },
      originalPositions: number('original_max_position_embeddings'),
    };
  }
  return null;
}

/** Throws FormatError for settings that require an unsupported computation. */
function refuseUnlike(given: v.InferOutput<typeof configFile>, { attentionBias, gelu }: FamilyFacts['network']): void {
  const [key, activation] = gelu
    ? (['hidden_activation', 'gelu_pytorch_tanh'] as const)
    : (['hidden_act', 'silu'] as const);
  if ((given[key] ?? activation) !== activation) throw unlike(key, quoted(activation), given[key]);
  for (const cap of ['attn_logit_softcapping', 'final_logit_softcapping'] as const)
    if ((given[cap] ?? null) !== null) throw unlike(cap, 'null', given[cap]);
  if (given.use_bidirectional_attention) throw unlike('use_bidirectional_attention', 'false', true);
  // Both settings must be false, except in families whose projections always have biases.
  for (const bias of ['attention_bias', 'mlp_bias'] as const)
    if (given[bias] && !attentionBias) throw unlike(bias, 'false', true);
}
