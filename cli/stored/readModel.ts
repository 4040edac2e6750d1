// Reads the files of a model, and shows the progress on a terminal. While the files are read, a signal ends the program
// as usual, because nothing is written before the whole model has been read.
import type { LlamaModel } from '../../src/formats/llama/llamaModel.ts';
import { readLlama } from '../../src/formats/llama/readLlama.ts';
import { toldFiles, type GivenFile } from '../../src/formats/givenFile.ts';
import { openReporter, type Reporter } from '../report.ts';
import { writeError } from '../terminal.ts';

/** Maximum number of steps in which the progress bar is updated. */
const steps = 100;

/** Reads a model and shows the progress. Throws FormatError with the name of the file in the message. */
export async function readModel(
  files: readonly GivenFile[],
  label: string,
  { progress }: Pick<Reporter, 'progress'> = openReporter(),
): Promise<LlamaModel> {
  let step = -1;
  const tell = (read: number, all: number) => {
    const share = read / Math.max(1, all);
    if (Math.floor(share * steps) === step) return;
    step = Math.floor(share * steps);
    progress(`reading ${label}, ${mebibytes(read)} of ${mebibytes(all)} MiB`, share);
  };
  try {
    return await readLlama(toldFiles(files, tell));
  } finally {
    writeError(''); // takes the bar away
  }
}

const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(bytes < 2 ** 23 ? 1 : 0);
