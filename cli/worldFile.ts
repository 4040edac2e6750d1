// A world of the user's own in a file: the text of a JavaScript module, a data set, or a world file. `cothink import`
// writes a world file from a data set, so that its vocabulary need not be learned again.
import path from 'node:path';
import { ConfigError, FormatError, SandboxError } from '../src/base/errors.ts';
import { promptBounds, type ImportReport } from '../src/config/worlds/imported.ts';
import type { OwnWorld } from '../src/config/worlds/own.ts';
import { worldNames, type WorldName } from '../src/config/worlds/registry.ts';
import { readDataset } from '../src/formats/datasets/dataset.ts';
import { readWorldFile } from '../src/formats/worldFile.ts';
import { worldFromRows } from '../src/tasks/custom/imported/worldFromRows.ts';
import { checkWorld, openWorld } from '../src/tasks/registry.ts';
import type { CommandArguments } from './command.ts';
import { readBytes, readText } from './files.ts';

const modules = /\.m?js$/i;
const datasets = /\.(jsonl|ndjson|json|parquet|csv|tsv)$/i;
const worldFiles = /\.world$/i;
/** The usual maximum size of the vocabulary that is learned from a data set, as on the page. */
const usualVocabulary = 1024;

/** Whether a path is that of a data set, judged by its ending. */
export const isDataset = (place: string): boolean => datasets.test(place);

/**
 * Reads a data set, and makes a world from it. A prompt has at most `prompt` tokens. Throws FormatError if the file
 * cannot be read.
 */
export async function readData(place: string, prompt: number = promptBounds.usual): Promise<ImportReport> {
  const file = new Blob([await readBytes(place)]);
  return inFile(place, async () =>
    worldFromRows(await readDataset(file, { contextSigns: prompt }), path.basename(place), {
      vocabulary: usualVocabulary,
      prompt,
    }),
  );
}

/**
 * Opens the world in a file, so that settings can refer to it. Throws ConfigError, FormatError or SandboxError, with
 * the path, if the file contains no world that can be used.
 */
export async function openWorldFile(place: string): Promise<OwnWorld> {
  if ((worldNames as readonly string[]).includes(place))
    throw new ConfigError(
      `--world: ${place} is a built-in world; choose it with --set world.name=${place}, and use --world for a file.`,
    );
  const world = await worldIn(place);
  await openWorld(world);
  return world;
}

/** The world that `--world` names; null if the option is absent. Throws the same errors as `worldCalled`. */
export async function worldAt(given: CommandArguments): Promise<WorldName | OwnWorld | null> {
  const place = given.text('world');
  return place === undefined ? null : worldCalled(place);
}

/**
 * The built-in world of this name, or the world of the user's own in a file, which is opened. Throws ConfigError for an
 * unknown name, and the same errors as `openWorldFile`.
 */
export async function worldCalled(place: string): Promise<WorldName | OwnWorld> {
  // No built-in world has a dot or a slash in its name, and every file that can be opened has an ending.
  if (/[./]/.test(place)) return openWorldFile(place);
  const found = worldNames.find((one) => one === place);
  if (found) return found;
  throw new ConfigError(`--world: expected one of ${worldNames.join(', ')}, got ${JSON.stringify(place)}.`);
}

async function worldIn(place: string): Promise<OwnWorld> {
  if (modules.test(place)) {
    const source = await readText(place);
    return inFile(place, () => checkWorld({ kind: 'module', source }));
  }
  if (worldFiles.test(place)) {
    const text = await readText(place);
    return inFile(place, async () => {
      const { label, content } = readWorldFile(text);
      const { form } = await checkWorld(content);
      return { content, form: { ...form, label } };
    });
  }
  if (!isDataset(place))
    throw new ConfigError(
      `${place}: expected a file with the ending .js (a world as a module), .world, or .jsonl, .json, .csv or .parquet (a data set).`,
    );
  const { world, fault } = await readData(place);
  if (!world) throw new FormatError(`${place}: ${fault}`);
  return world;
}

/** Runs a task, and adds the path of the file to the message of a named error. */
async function inFile<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`${place}: ${error.message}`, error.refusal);
    if (error instanceof FormatError) throw new FormatError(`${place}: ${error.message}`);
    if (error instanceof SandboxError) throw new SandboxError(`${place}: ${error.message}`);
    throw error;
  }
}
