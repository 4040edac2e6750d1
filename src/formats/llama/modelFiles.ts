// The files of a model in the layout of Hugging Face, from any source: a folder, a zip, or single files. Files that do
// not belong to the model are not read. Nothing is written to disk, so a malicious file name cannot do harm.
import { FormatError } from '../../base/errors.ts';
import { shortened } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { readUtf8 } from '../../base/utf8.ts';
import { readLooseJson } from '../looseJson.ts';
import { heldFile, type GivenFile } from '../givenFile.ts';
import { unzipped } from '../zip.ts';

/**
 * The maximum size in bytes of all files of a model together. The size is enough for the maximum number of parameters
 * (shape.ts) in float32, and for all other files.
 */
const mostBytes = 2.5e9;
/** The maximum size of a zip in bytes. The limit is smaller because a zip is completely unpacked in memory. */
const mostZipBytes = 1e9;
/** Maximum number of bytes of a text file. The files of the largest tokenizers have a few tens of megabytes. */
const mostTextBytes = 40e6;

export const indexName = 'model.safetensors.index.json';
const isWeights = (name: string) => name.endsWith('.safetensors');

const texts = [
  'config.json',
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'chat_template.jinja',
  indexName,
];
/** Files with the state of an optimiser, which training programs store next to the weights. */
const isOfOptimiser = (name: string) => name.startsWith('optimizer.');
const isOfModel = (name: string) => texts.includes(name) || (isWeights(name) && !isOfOptimiser(name));

/**
 * The weight files that belong to the model, chosen by the rules of transformers: the single file if there is one,
 * otherwise the files that an index lists, otherwise the numbered shards. Training programs may also store adapters and
 * other weights in the same folder.
 */
function withoutOthers(names: readonly string[]): string[] {
  const kept = (isOwn: (name: string) => boolean) => names.filter((name) => !isWeights(name) || isOwn(name));
  if (names.includes('model.safetensors'))
    return kept((name) => name === 'model.safetensors').filter((name) => name !== indexName);
  if (names.includes(indexName)) return [...names];
  const isShard = (name: string) => /^model-\d+-of-\d+\.safetensors$/.test(name);
  return kept(names.some(isShard) ? isShard : (name) => !/^(?:adapter_|consolidated)/.test(name));
}

const folderOf = (name: string) => name.slice(0, name.lastIndexOf('/') + 1);
const isZip = ({ name }: GivenFile) => /\.zip$/i.test(name);

/** Whether these file names include a config.json, so that they may be a model. */
export const holdsModel = (names: readonly string[]): boolean =>
  names.some((name) => name.slice(folderOf(name).length) === 'config.json');

/** The files of one model, by their names in its folder. Throws FormatError if there is no model, or more than one. */
export async function modelFiles(given: readonly GivenFile[]): Promise<Map<string, GivenFile>> {
  const [zip] = given;
  const files = given.length === 1 && zip && isZip(zip) ? await inZip(zip) : given;
  const configs = files.filter(({ name }) => holdsModel([name]));
  const depth = ({ name }: GivenFile) => name.split('/').length;
  const least = Math.min(...configs.map(depth));
  const [config, other] = configs.filter((one) => depth(one) === least);
  if (!config)
    throw new FormatError(spoken`the model: config.json is not among the chosen files; choose the whole folder.`);
  const folder = folderOf(config.name);
  if (other)
    throw new FormatError(
      spoken`the model: expected one model, got several (${shortened(`${folder}, ${folderOf(other.name)}`)}); unpack the models and choose the folder of one model.`,
    );
  const here = files
    .map((file) => ({ ...file, name: file.name.slice(folder.length), isHere: folderOf(file.name) === folder }))
    .filter(({ name, isHere }) => isHere && isOfModel(name));
  const named = new Set(withoutOthers(here.map(({ name }) => name)));
  const own = here.filter(({ name }) => named.has(name));
  for (const { name, size } of own)
    if (texts.includes(name) && size > mostTextBytes)
      throw new FormatError(spoken`${name}: expected at most ${mostTextBytes / 1e6} MB, got ${Math.ceil(size / 1e6)}.`);
  refuseAbove(own.reduce((sum, { size }) => sum + size, 0));
  return new Map(own.map((file) => [file.name, file]));
}

function refuseAbove(bytes: number): void {
  if (bytes > mostBytes)
    throw new FormatError(
      spoken`the model: expected files of at most ${mostBytes / 1e6} MB in total, got ${Math.ceil(bytes / 1e6)}; this is the limit for a tab, so use a smaller model.`,
    );
}

function refuseZipAbove(bytes: number): void {
  if (bytes > mostZipBytes)
    throw new FormatError(
      spoken`the model: expected a zip of at most ${mostZipBytes / 1e6} MB, both packed and unpacked, got ${Math.ceil(bytes / 1e6)}; unpack the zip and choose the folder.`,
    );
}

async function inZip(zip: GivenFile): Promise<GivenFile[]> {
  refuseZipAbove(zip.size);
  const bytes = await zip.bytes();
  let total = 0;
  const files = unzipped(bytes, ({ name, originalSize }) => {
    if (!isOfModel(name.slice(folderOf(name).length))) return false;
    refuseZipAbove((total += originalSize));
    return true;
  });
  return [...files].map(([name, content]) => heldFile(name, content));
}

/**
 * The content of a JSON file of a model; undefined if the model has no such file. Throws FormatError if the file is not
 * valid JSON.
 */
export async function jsonOf(files: ReadonlyMap<string, GivenFile>, name: string): Promise<unknown> {
  const file = files.get(name);
  if (!file) return undefined;
  try {
    return readLooseJson(readUtf8(await file.bytes(), name));
  } catch (cause) {
    if (cause instanceof FormatError) throw cause;
    throw new FormatError(spoken`${name}: expected JSON, got something else (${shortened((cause as Error).message)}).`);
  }
}
