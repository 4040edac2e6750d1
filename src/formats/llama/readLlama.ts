// Reads a model that somebody else made: a GGUF file, or the files of a folder.
import { isGguf, readGguf } from '../gguf/model.ts';
import type { GivenFile } from '../givenFile.ts';
import { readFolder } from './folder.ts';
import type { LlamaModel } from './llamaModel.ts';

/** A model's own files, or a GGUF file among them where no config.json is. Throws FormatError, which names the file. */
export async function readLlama(given: readonly GivenFile[]): Promise<LlamaModel> {
  const file = ggufAmong(given);
  return file ? readGguf(file) : readFolder(given);
}

/** The one GGUF file that is the model; undefined where the files are a folder's. */
export function ggufAmong(given: readonly GivenFile[]): GivenFile | undefined {
  if (given.some(({ name }) => /(?:^|\/)config\.json$/.test(name))) return undefined;
  const [file, other] = given.filter(({ name }) => isGguf(name));
  return other ? undefined : file;
}
