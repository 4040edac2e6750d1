// Reads an imported model, which is either a GGUF file or the files of a folder.
import { isGguf, readGguf } from '../gguf/model.ts';
import type { GivenFile } from '../givenFile.ts';
import { readFolder } from './folder.ts';
import type { LlamaModel } from './llamaModel.ts';

/**
 * Reads the model from its files; if no file is a config.json, the GGUF file among the files is read. Throws
 * FormatError if the model cannot be read; the message contains the name of the file.
 */
export async function readLlama(given: readonly GivenFile[]): Promise<LlamaModel> {
  const file = ggufAmong(given);
  return file ? readGguf(file) : readFolder(given);
}

/** The GGUF file that contains the model; undefined if the model is a folder. */
export function ggufAmong(given: readonly GivenFile[]): GivenFile | undefined {
  if (given.some(({ name }) => /(?:^|\/)config\.json$/.test(name))) return undefined;
  const [file, other] = given.filter(({ name }) => isGguf(name));
  return other ? undefined : file;
}
