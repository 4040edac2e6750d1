// config.json of a model that somebody else made: its shape, if it is a LlamaForCausalLM whose arithmetic is that of
// model/network/llama.ts. Keys and what stands for an absent one follow transformers' LlamaConfig, versions 4 and 5.
import * as v from 'valibot';
import { FormatError } from '../../base/errors.ts';
import { quoted } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { parameterCount, type ModelShape } from '../../config/sizes.ts';

const family = 'LlamaForCausalLM';

/** As float32 they are 256 MB. The CPU engine has 1 GB, and training keeps the weights more than once. */
export const mostParameters = 64e6;

const count = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1e6));
const positive = v.pipe(v.number(), v.finite(), v.gtValue(0));
const rope = v.looseObject({
  rope_theta: v.nullish(positive),
  rope_type: v.nullish(v.string()),
  type: v.nullish(v.string()),
});
const ids = v.union([v.pipe(v.number(), v.integer()), v.array(v.pipe(v.number(), v.integer()))]);

const familyFile = v.looseObject({
  architectures: v.nullish(v.array(v.string()), []),
  model_type: v.nullish(v.string(), ''),
});

const configFile = v.looseObject({
  // The largest that models are published with; each token is an object in memory.
  vocab_size: v.pipe(count, v.maxValue(2 ** 18)),
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
  hidden_act: v.nullish(v.string(), 'silu'),
  attention_bias: v.nullish(v.boolean(), false),
  mlp_bias: v.nullish(v.boolean(), false),
  tie_word_embeddings: v.nullish(v.boolean(), false),
  eos_token_id: v.nullish(ids),
});

/** Ids of tokens that end a text, in generation_config.json. */
export const generationFile = v.looseObject({ eos_token_id: v.nullish(ids) });

export const idList = (given: v.InferOutput<typeof ids> | null | undefined): number[] => [given ?? []].flat();

/** Checks a file of JSON by its form. Throws FormatError with the key. */
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

/** The shape of a model and the tokens that its config.json ends a text with. Throws FormatError. */
export function readLlamaConfig(json: unknown): { shape: ModelShape; endIds: number[] } {
  const { architectures, model_type: type } = formed(familyFile, json, 'config.json');
  const isOurs = architectures.length > 0 ? architectures.includes(family) : type === 'llama';
  if (!isOurs)
    throw new FormatError(
      spoken`config.json: expected a model of the family ${family}, got ${quoted(architectures[0] ?? (type || undefined))}; no other is computed here, so choose a Llama.`,
    );
  const given = formed(configFile, json, 'config.json');
  refuseUnlike(given);
  const heads = given.num_attention_heads;
  const shape: ModelShape = {
    vocabSize: given.vocab_size,
    hiddenSize: given.hidden_size,
    intermediateSize: given.intermediate_size,
    numLayers: given.num_hidden_layers,
    numHeads: heads,
    numKvHeads: given.num_key_value_heads ?? heads,
    headSize: given.head_dim ?? given.hidden_size / heads,
    ropeTheta: given.rope_parameters?.rope_theta ?? given.rope_theta ?? 10_000,
    normEps: given.rms_norm_eps,
    isTied: given.tie_word_embeddings,
    maxPositions: given.max_position_embeddings,
  };
  refuseShape(shape);
  return { shape, endIds: idList(given.eos_token_id) };
}

/** What would be computed otherwise than here. */
function refuseUnlike(given: v.InferOutput<typeof configFile>): void {
  const refuse = (key: string, expected: string, got: unknown) =>
    new FormatError(
      spoken`config.json: ${key}: expected ${expected}, got ${quoted(got)}; nothing here computes with it.`,
    );
  for (const key of ['rope_parameters', 'rope_scaling'] as const) {
    const { rope_type: kind, type } = given[key] ?? {};
    if ((kind ?? type ?? 'default') !== 'default') throw refuse(key, spoken`positions as they are`, kind ?? type);
  }
  if (given.hidden_act !== 'silu') throw refuse('hidden_act', '"silu"', given.hidden_act);
  for (const key of ['attention_bias', 'mlp_bias'] as const) if (given[key]) throw refuse(key, 'false', true);
}

function refuseShape(shape: ModelShape): void {
  const { headSize, numHeads, numKvHeads } = shape;
  if (!Number.isInteger(headSize) || headSize % 2 === 1)
    throw new FormatError(spoken`config.json: head_dim: expected an even whole number, got ${headSize}.`);
  if (numHeads % numKvHeads !== 0)
    throw new FormatError(
      spoken`config.json: num_key_value_heads: expected a divisor of ${numHeads} heads, got ${numKvHeads}.`,
    );
  const parameters = parameterCount(shape);
  if (parameters > mostParameters)
    throw new FormatError(
      spoken`config.json: expected at most ${mostParameters / 1e6} million parameters, got ${Math.ceil(parameters / 1e6)}: training keeps float32 weights more than once, and a tab has about 1 GB for them; take a smaller model.`,
    );
}
