// An external model in a folder, a zip or a GGUF file, for `cothink info`, `import` and `serve`.
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError, FormatError, StorageError } from '../../src/base/errors.ts';
import { isGguf } from '../../src/formats/gguf/model.ts';
import { heldFile, type GivenFile } from '../../src/formats/givenFile.ts';
import type { ModelShape } from '../../src/config/sizes.ts';
import { familyOf } from '../../src/config/families/registry.ts';
import { cardOf } from '../../src/formats/llama/modelCard.ts';
import { holdsModel, modelFiles } from '../../src/formats/llama/modelFiles.ts';
import { ggufAmong } from '../../src/formats/llama/readLlama.ts';
import { holdsEntry } from '../../src/formats/zip.ts';
import type { ForeignModel } from '../../src/records/stored/foreignModel.ts';
import { sizeWords } from '../../src/records/stored/modelCard.ts';
import type { CommandArguments } from '../command.ts';
import { interrupted } from '../exit.ts';
import { filesUnder, readBytes, readRange, replacing, writeSynced } from '../files.ts';
import { print } from '../print.ts';
import { holdsRun } from '../runFolder.ts';
import { readModel } from './readModel.ts';

/** Files that contain only weights, by their usual suffixes. */
const isAlone = /\.(?:ggml|safetensors|bin|pth?|ckpt|onnx)$/i;

/**
 * The files of the model at a path; null if the path contains no model or contains a run. Throws FormatError if there
 * are weights without the other files of the model.
 */
export async function modelAt(place: string): Promise<GivenFile[] | null> {
  const found = await stat(place).catch(() => null);
  if (!found || (await holdsRun(place))) return null;
  if (found.isFile() && path.basename(place) === 'config.json') return modelAt(path.dirname(place));
  if (found.isFile()) {
    if (isGguf(place)) return [await fileAt(place, path.basename(place))];
    if (isAlone.test(place))
      throw new FormatError(
        `${place}: this is only one of several files of a model; pass its .gguf file, or the folder with config.json, tokenizer.json and model.safetensors.`,
      );
    if (!/\.zip$/i.test(place)) return null;
    const bytes = await readBytes(place);
    return holdsEntry(bytes, (name) => holdsModel([name])) ? [heldFile(place, bytes)] : null;
  }
  const names = await filesUnder(place);
  if (!holdsModel(names)) {
    const [gguf, other] = names.filter(isGguf);
    if (gguf !== undefined && other === undefined) return [await fileAt(path.join(place, gguf), gguf)];
    const weights = names.find((name) => isAlone.test(name));
    if (weights === undefined) return null;
    throw new FormatError(
      `${path.join(place, 'config.json')}: this file is missing next to ${path.basename(weights)}; save the complete model with model.save_pretrained(…).`,
    );
  }
  return Promise.all(names.map((name) => fileAt(path.join(place, name), name)));
}

/** A file of a model on the disk, with its name among the model's files. */
const fileAt = async (file: string, name: string): Promise<GivenFile> => ({
  ...{ name, size: (await stat(file)).size },
  bytes: () => readBytes(file),
  range: (from, to) => readRange(file, from, to),
});

/** The label of a model, which is the name of its file or folder. */
export function labelOf(place: string): string {
  const whole = path.resolve(place);
  const own = path.basename(whole) === 'config.json' ? path.dirname(whole) : whole;
  return path.basename(own).replace(/\.(?:zip|gguf)$/i, '');
}

/** Describes a model, after reading it completely. */
export async function modelInfo(files: readonly GivenFile[], given: CommandArguments): Promise<number> {
  const [place = ''] = given.rest;
  const card = cardOf(await readModel(files, labelOf(place)), labelOf(place));
  const { name, label, shape, types, tokens, endings, hasTemplate, tensors, promisedPositions: promised } = card;
  print(given, card, [
    `${label}: ${familyOf(shape).className} (${name})`,
    `  ${sizeWords(card)}, as ${types.join(' and ')}`,
    `  up to ${shape.maxPositions} positions${promised ? ` (the window of its attention; its files state ${promised})` : ''}, rotary base ${shape.ropeTheta}${scalingWords(shape)}, head ${shape.isTied ? 'tied to the embeddings' : 'with its own weights'}`,
    `  ${tokens} tokens; ${endings.length > 0 ? `a text ends with ${endings.join(' or ')}` : 'no token ends a text'}; ${hasTemplate ? 'a chat template' : 'no chat template'}`,
    ...tensors.map(
      (one) => `  ${one.name} [${one.shape.join(', ')}]: ${one.mean.toExponential(1)} ± ${one.std.toExponential(1)}`,
    ),
  ]);
  return 0;
}

/** The scaling as text, such as ` × 8 as in Llama 3`; empty if there is none. */
const scalingWords = ({ ropeScaling: scaling }: ModelShape) =>
  scaling ? ` × ${scaling.factor}${scaling.kind === 'llama3' ? ' as in Llama 3' : ''}` : '';

/** Bytes copied at a time. */
const pieceBytes = 2 ** 24;

async function* piecesOf({ size, range }: GivenFile, goOn: () => void): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += pieceBytes) {
    goOn();
    yield range(at, Math.min(size, at + pieceBytes));
  }
}

/** Name, size and SHA-256 of each of the model's files, so that a user can find the same files again. */
export async function filesTold(files: readonly GivenFile[]): Promise<NonNullable<ForeignModel['files']>> {
  const gguf = ggufAmong(files);
  const told = [];
  for (const file of gguf ? [gguf] : files.filter(({ name }) => /\.(?:zip|safetensors)$/i.test(name))) {
    const digest = createHash('sha256');
    for await (const piece of piecesOf(file, () => undefined)) digest.update(piece);
    told.push({ name: path.basename(file.name), bytes: file.size, sha256: digest.digest('hex') });
  }
  return told;
}

/**
 * Reads a model completely, then copies its files into a folder. If a signal ends the copying, the incomplete folder is
 * removed.
 */
export async function importModel(given: CommandArguments, files: readonly GivenFile[]): Promise<number> {
  const [place = ''] = given.rest;
  const card = cardOf(await readModel(files, labelOf(place)), labelOf(place));
  const folder = given.text('out') ?? path.join('models', card.label);
  if ((await stat(folder).catch(() => null)) !== null)
    throw new ConfigError(`--out: ${folder} already exists; choose another folder.`);
  const gguf = ggufAmong(files);
  const own = gguf ? new Map([[path.basename(gguf.name), gguf]]) : await modelFiles(files);
  const stop = interrupted(() => undefined);
  const goOn = () => {
    if (stop.code > 0)
      throw new StorageError('import: a signal interrupted the import, so no part of the model was stored.');
  };
  try {
    await replacing(folder, async (part) => {
      for (const [name, file] of own) await writeSynced(path.join(part, name), piecesOf(file, goOn));
      goOn();
    });
  } catch (error) {
    if (stop.code > 0) return stop.code;
    throw error;
  } finally {
    stop.forget();
  }
  print(given, { folder, name: card.name, label: card.label, parameters: card.parameters }, [
    `${card.label} (${sizeWords(card)}) is in ${folder}; cothink serve ${folder} serves it.`,
  ]);
  return 0;
}
