// The path to the large model on which the agents of a stored run are based. Checkpoints contain the name of such a
// model but not the model. A note with the path is stored next to the run's records. The note also contains the model's
// name, so that a replaced file is detected.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { ConfigError, FormatError, MissingModelError } from '../../src/base/errors.ts';
import { parameterCount } from '../../src/config/sizes.ts';
import { heldFile, type GivenFile } from '../../src/formats/givenFile.ts';
import { digestOf, givenOf } from '../../src/formats/llama/llamaModel.ts';
import { ggufAmong, readLlama } from '../../src/formats/llama/readLlama.ts';
import type { Checkpoint, RunRecord } from '../../src/records/stored/checkpoint.ts';
import { fileWords, introduceModel, missingBase } from '../../src/records/stored/foreignModel.ts';
import type { CommandArguments } from '../command.ts';
import { modelEntries, modelIn } from '../../src/storage/archive/archivedRun.ts';
import { writeWhole } from '../files.ts';
import type { Along } from '../runFolder.ts';
import { filesTold, labelOf, modelAt } from './model.ts';
import { readModel } from './readModel.ts';

const note = v.object({ name: v.string(), path: v.string() });
type Note = v.InferOutput<typeof note>;

/** The note is in the folder of the run; for an archive, it is a file next to the archive. */
const noteOf = async (place: string) =>
  (await stat(place).catch(() => null))?.isDirectory() ? path.join(place, 'model.json') : `${place}.model.json`;

/** The path to a run's model, from --model or from the note; undefined if neither contains a path. */
const placeOf = async (run: string, given: CommandArguments | undefined): Promise<string | undefined> =>
  given?.text('model') ?? (await readNote(await noteOf(run)))?.path;

/** Writes the note with the path to a run's model. */
export async function noteModel(run: string, { name, place }: { name: string; place: string }): Promise<void> {
  const text = JSON.stringify({ name, path: path.resolve(place) }, null, 2);
  await writeWhole(await noteOf(run), new TextEncoder().encode(`${text}\n`));
}

/**
 * Makes the model of a stored run available if its checkpoints do not contain it. If --model is given, the model is
 * read from that path, and the path is stored in the note; otherwise the model is read from the path in the note.
 * Throws MissingModelError with the name of the required file and the path where it was expected.
 */
export async function readyModel(place: string, checkpoint: Checkpoint, given?: CommandArguments): Promise<void> {
  const missing = missingBase(checkpoint);
  if (!missing) return;
  const { name, foreign } = missing;
  const found = await placeOf(place, given);
  const refused = (why: string) =>
    new MissingModelError(
      `${place} is based on ${fileWords(name, foreign)}, but ${why}; pass the file of this model with --model FILE.`,
    );
  if (found === undefined) throw refused('the path to its file is unknown');
  const files = await modelAt(found);
  if (!files) throw refused(`there is no model at ${found}`);
  const model = await readModel(files, labelOf(found));
  const own = `model-${digestOf(model)}`;
  if (own !== name) throw refused(`${found} contains another model (${own})`);
  introduceModel(name, givenOf(model, labelOf(found), await filesTold(files)).foreign ?? foreign, model.matrices);
  if (given?.has('model') === true) await noteModel(place, { name, place: found });
}

/**
 * The GGUF file of the model on which a stored run is based, after verification. Throws FormatError if the model is not
 * a GGUF file, and MissingModelError if no model is given.
 */
export async function ggufOf(
  { place, checkpoint }: { place: string; checkpoint: Checkpoint },
  given: CommandArguments,
): Promise<GivenFile> {
  const name = checkpoint.config.agents.start;
  const found = await placeOf(place, given);
  if (found === undefined)
    throw new MissingModelError(
      `${place}: the export needs the tokenizer of the GGUF file from which the run started; pass that file with --model FILE.gguf.`,
    );
  const gguf = ggufAmong((await modelAt(found)) ?? []);
  if (!gguf)
    throw new FormatError(
      `--model: ${found} is not a GGUF file; export with --as merged, and convert the result with llama.cpp’s convert_hf_to_gguf.py.`,
    );
  // If the checkpoint does not contain the model, `readyModel` has already read and verified it.
  const own = checkpoint.base ? `model-${digestOf(await readLlama([gguf]))}` : name;
  if (own !== name)
    throw new FormatError(`--model: ${found} contains another model (${own}); pass the file of ${name}.`);
  return gguf;
}

/**
 * The model on which a stored run is based, ready to be added to the run's archive. Throws MissingModelError if the
 * model is unavailable, and ConfigError if the run is not based on a model.
 */
export async function modelAlong(place: string, checkpoint: Checkpoint, given: CommandArguments): Promise<Along> {
  const { foreign, config } = checkpoint;
  if (!foreign)
    throw new ConfigError(`--with-model: ${place} is not based on an external model; leave out --with-model.`);
  const found = await placeOf(place, given);
  const files = found === undefined ? null : await modelAt(found);
  if (found === undefined || !files)
    throw new MissingModelError(
      `--with-model: ${place} is based on ${fileWords(config.agents.start, foreign)}, but that file was not found; pass it with --model FILE.`,
    );
  const model = await readModel(files, labelOf(found));
  const own = `model-${digestOf(model)}`;
  if (own !== config.agents.start)
    throw new ConfigError(
      `--model: ${found} contains another model (${own}); pass the file of ${config.agents.start}.`,
    );
  const told = await filesTold(files);
  const wanted = told.map(({ name }) => files.find((file) => path.basename(file.name) === name) as GivenFile);
  const bytes = told.reduce((sum, file) => sum + file.bytes, 0);
  const { family, licence } = model;
  const card = {
    ...{ name: own, label: foreign.label, family, parameters: parameterCount(model.shape), bytes, keptMs: 0 },
    ...(licence !== undefined && { licence }),
    files: told.map(({ sha256 = '', ...file }) => ({ ...file, sha256 })),
  };
  return {
    bytes,
    entries: () =>
      modelEntries(
        card,
        wanted.map((file) => () => file.bytes()),
      ),
  };
}

/** Reads the model included in an archive; null if there is none. Throws FormatError and StorageError. */
export async function carriedModel(entries: ReadonlyMap<string, Uint8Array>, run: RunRecord) {
  const found = modelIn(entries, run);
  if (!found) return null;
  const { card, files } = found;
  // The name comes from somebody else's file, so it is replaced if it could lead to another folder.
  const named = files.map(({ name, content }, i) => ({
    name: /^[\w-][\w. -]*$/.test(name) ? name : `${i}${path.extname(name).replaceAll(/[^.\w]/g, '')}`,
    content,
  }));
  const own = `model-${digestOf(await readLlama(named.map(({ name, content }) => heldFile(name, content))))}`;
  if (own !== card.name)
    throw new FormatError(
      `the model of the archive: expected ${card.name}, got another model (${own}); save the archive again.`,
    );
  return { name: card.name, files: named, place: named.length === 1 ? (named[0]?.name ?? '') : '' };
}

/** The external model on which a run is based, and its noted path; the model is not read. */
export async function baseNote(place: string, checkpoint: Checkpoint) {
  const missing = missingBase(checkpoint);
  if (!missing) return null;
  const { name, foreign } = missing;
  const noted = (await readNote(await noteOf(place)))?.path ?? null;
  const isThere = noted !== null && (await stat(noted).catch(() => null)) !== null;
  return {
    name,
    label: foreign.label,
    files: foreign.files ?? [],
    path: noted,
    isThere,
    words: fileWords(name, foreign),
  };
}

async function readNote(file: string): Promise<Note | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = null;
  }
  const parsed = v.safeParse(note, json);
  if (!parsed.success) throw new ConfigError(`${file}: expected {"name": "model-…", "path": "…"}, got something else.`);
  return parsed.output;
}
