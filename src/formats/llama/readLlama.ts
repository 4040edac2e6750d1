// Reads an external model: a GGUF file, or the files of a folder.
import { isGguf, readGguf } from '../gguf/model.ts';
import type { GivenFile } from '../givenFile.ts';
import { readFolder } from './folder.ts';
import type { LlamaModel } from './llamaModel.ts';

/**
 * Reads the model from its files; if there is no config.json, a GGUF file among them is read. Throws FormatError; the
 * message contains the name of the file.
 */
export async function readLlama(given: readonly GivenFile[]): Promise<LlamaModel> {
  const file = ggufAmong(given);
  return file ? readGguf(file) : readFolder(given);
}

/** The only GGUF file, which is the model; undefined if the files are those of a folder. */
export function ggufAmong(given: readonly GivenFile[]): GivenFile | undefined {
  if (given.some(({ name }) => /(?:^|\/)config\.json$/.test(name))) return undefined;
  const [file, other] = given.filter(({ name }) => isGguf(name));
  return other ? undefined : file;
}
