// Reads an imported model from the files that Hugging Face's transformers writes.
import * as v from 'valibot';
import { FormatError } from '../../base/errors.ts';
import { quoted, shortened } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { readUtf8 } from '../../base/utf8.ts';
import type { FamilyFacts } from '../../config/families/facts.ts';
import { ownFamily } from '../../config/families/registry.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { parameterNames } from '../../records/parameters.ts';
import { tokenizerOf } from '../../text/tokenizer.ts';
import { withWholeGains } from '../gains.ts';
import type { GivenFile } from '../givenFile.ts';
import { readSafetensorsTable } from '../safetensors.ts';
import { refuseBroken } from '../../text/boundedTemplate.ts';
import { formed, generationFile, idList, readLlamaConfig } from './llamaConfig.ts';
import type { LlamaModel } from './llamaModel.ts';
import { indexName, jsonOf, modelFiles } from './modelFiles.ts';
import { placedInOrder, readMatrices, toldOf, type PlacedMatrix } from './weights.ts';

const indexFile = v.looseObject({ weight_map: v.record(v.string(), v.string()) });
const tokenText = v.union([v.string(), v.looseObject({ content: v.string() })]);
const templates = v.union([v.string(), v.array(v.looseObject({ name: v.string(), template: v.string() }))]);
const tokenizerConfigFile = v.looseObject({
  bos_token: v.nullish(tokenText),
  eos_token: v.nullish(tokenText),
  pad_token: v.nullish(tokenText),
  unk_token: v.nullish(tokenText),
  chat_template: v.nullish(templates),
});

/**
 * Reads the files of a model. Throws FormatError if a file is missing, damaged or not supported; the message contains
 * the name of the file.
 */
export async function readFolder(given: readonly GivenFile[]): Promise<LlamaModel> {
  const files = await modelFiles(given);
  const configJson = await jsonOf(files, 'config.json');
  const { shape, family, endIds, promisedPositions } = readLlamaConfig(configJson);
  const tokenizer = await tokenizerIn(files, shape, family);
  const config = formed(
    tokenizerConfigFile,
    (await jsonOf(files, 'tokenizer_config.json')) ?? {},
    'tokenizer_config.json',
  );
  const generation = formed(
    generationFile,
    (await jsonOf(files, 'generation_config.json')) ?? {},
    'generation_config.json',
  );
  const special = Object.fromEntries(
    (['bos_token', 'eos_token', 'pad_token', 'unk_token'] as const).flatMap((key) => {
      const token = config[key];
      return token ? [[key, typeof token === 'string' ? token : token.content]] : [];
    }),
  );
  const [, named] = (['bos_token', 'eos_token'] as const).map((key) => idNamed(special[key], key, tokenizer));
  const found = await tensorsIn(files);
  const matrices = withWholeGains(await readMatrices(ownOf(found, shape)), family);
  const licence = await licenceIn(given);
  return {
    ...{ shape, promisedPositions, matrices, tokenizer, special },
    family: (configJson as { model_type?: string }).model_type ?? ownFamily.name,
    ...(licence !== undefined && { licence }),
    types: [...new Set(found.map(({ format }) => format))],
    chatTemplate: await templateIn(files, config.chat_template),
    endIds: [...new Set([...endIds, ...idList(generation.eos_token_id), ...(named ?? [])])],
  };
}

/** Facts from the front matter of the model card (README.md), if the model has a model card. */
async function licenceIn(given: readonly GivenFile[]): Promise<string | undefined> {
  const readme = given.find(({ name }) => /(?:^|\/)README\.md$/i.test(name));
  if (!readme) return undefined;
  const text = new TextDecoder().decode(await readme.range(0, Math.min(readme.size, 2 ** 16)));
  const [, front = ''] = /^---\r?\n([\s\S]*?)\n---/.exec(text) ?? [];
  return /^license:[ \t]*["']?([\w.+-]{1,100})/m.exec(front)?.[1];
}

async function tokenizerIn(
  files: ReadonlyMap<string, GivenFile>,
  { vocabSize }: ModelShape,
  { absentTokens }: FamilyFacts,
): Promise<object> {
  const json = await jsonOf(files, 'tokenizer.json');
  if (json === undefined)
    throw new FormatError(
      spoken`tokenizer.json: this file is missing next to config.json; write it with AutoTokenizer.from_pretrained(…).save_pretrained(…).`,
    );
  if (typeof json !== 'object' || json === null)
    throw new FormatError(spoken`tokenizer.json: expected an object, got ${quoted(json)}.`);
  const known = absentTokens ? without(json, absentTokens, vocabSize) : json;
  const { largestId } = tokenizerOf(known);
  if (largestId < vocabSize) return known;
  throw new FormatError(
    spoken`tokenizer.json: expected ids below ${vocabSize}, the vocabulary size in config.json, got ${largestId}; does the file belong to another model?`,
  );
}

/** A tokenizer.json without those of these special tokens for which there is no embedding. */
function without(json: object, tokens: readonly string[], vocabSize: number): object {
  const { added_tokens: added } = json as { added_tokens?: unknown };
  if (!Array.isArray(added)) return json;
  const isKnown = ({ id, content }: { id: number; content: string }) => id < vocabSize || !tokens.includes(content);
  return { ...json, added_tokens: (added as { id: number; content: string }[]).filter(isKnown) };
}

/**
 * A list with the id of `token`, which tokenizer_config.json contains under `key`; the list is empty if the key is
 * absent.
 */
function idNamed(token: string | undefined, key: string, tokenizer: object): number[] {
  if (token === undefined) return [];
  try {
    return [tokenizerOf(tokenizer).id(token)];
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new FormatError(
      spoken`tokenizer_config.json: ${key}: expected a token of tokenizer.json, got ${quoted(token)}; use one of its tokens, or write both files with tokenizer.save_pretrained(…).`,
    );
  }
}

async function templateIn(
  files: ReadonlyMap<string, GivenFile>,
  given: v.InferOutput<typeof templates> | null | undefined,
): Promise<string | null> {
  const name = 'chat_template.jinja';
  const file = files.get(name);
  const template = file ? readUtf8(await file.bytes(), name) : chosen(given);
  if (template !== null) refuseBroken(template, file ? name : 'tokenizer_config.json: chat_template');
  return template;
}

function chosen(given: v.InferOutput<typeof templates> | null | undefined): string | null {
  if (!given || typeof given === 'string') return given ?? null;
  return (given.find(({ name }) => name === 'default') ?? given[0])?.template ?? null;
}

/** The names and positions of all arrays in the weight files, each array once. */
async function tensorsIn(files: ReadonlyMap<string, GivenFile>): Promise<PlacedMatrix[]> {
  const index = await jsonOf(files, indexName);
  const places = index === undefined ? null : formed(indexFile, index, indexName).weight_map;
  const names = places
    ? [...new Set(Object.values(places))]
    : [...files.keys()].filter((name) => name.endsWith('.safetensors'));
  if (names.length === 0)
    throw new FormatError(
      spoken`model.safetensors: this file is missing next to config.json; write it with model.save_pretrained(…), because older formats cannot be read.`,
    );
  const tensors = new Map<string, PlacedMatrix>();
  for (const name of names) {
    const file = files.get(name);
    if (!file)
      throw new FormatError(
        spoken`${shortened(name)}: ${indexName} lists this file, but the file is missing; add the file.`,
      );
    for (const tensor of await toldOf(name, () => readSafetensorsTable(file))) {
      if (tensors.has(tensor.name))
        throw new FormatError(
          spoken`${name}: ${shortened(tensor.name)} occurs in two files; leave out one of these files.`,
        );
      tensors.set(tensor.name, { ...tensor, file });
    }
  }
  for (const [name, file] of Object.entries(places ?? {}))
    if (!tensors.has(name))
      throw new FormatError(
        spoken`${file}: according to ${indexName}, this file should contain ${shortened(name)}, which is missing.`,
      );
  return [...tensors.values()];
}

/**
 * The weights in the order of `parameterNames(shape)`. Arrays that can be computed from other arrays are left out: the
 * RoPE frequencies in older files, and a tied head.
 */
function ownOf(tensors: readonly PlacedMatrix[], shape: ModelShape): PlacedMatrix[] {
  const own = plainlyNamed(tensors).filter(
    ({ name }) => !name.endsWith('.rotary_emb.inv_freq') && !(shape.isTied && name === 'lm_head.weight'),
  );
  const names = new Set(own.map(({ name }) => name));
  const missing = parameterNames(shape).find(({ name }) => !names.has(name));
  if (missing)
    throw new FormatError(
      spoken`the weights: ${missing.name}: this array of the shape [${missing.shape.join(', ')}] is missing; the files contain ${quoted(tensors.map(({ name }) => name).slice(0, 2))} and so on, ${tensors.length} arrays in total; write the files with model.save_pretrained(…).`,
    );
  return placedInOrder(own, shape);
}

/** torch.compile and DistributedDataParallel add these prefixes to the names of parameters. */
const wrapping = /(?<=^|\.)(?:_orig_mod|module)\./g;

/**
 * The tensors with the names that they have in a LlamaForCausalLM. In the file, the names may have prefixes of a
 * wrapper, or the prefix `model.` may be missing.
 */
function plainlyNamed(tensors: readonly PlacedMatrix[]): PlacedMatrix[] {
  const bare = tensors.map((tensor) => ({ ...tensor, name: tensor.name.replaceAll(wrapping, '') }));
  const isBody = !bare.some(({ name }) => name.startsWith('model.'));
  const named = bare.map((tensor) =>
    isBody && tensor.name !== 'lm_head.weight' ? { ...tensor, name: `model.${tensor.name}` } : tensor,
  );
  const seen = new Set<string>();
  for (const { name } of named) {
    if (seen.has(name))
      throw new FormatError(
        spoken`the weights: ${shortened(name)} occurs under two names; leave out one of these names.`,
      );
    seen.add(name);
  }
  return named;
}
