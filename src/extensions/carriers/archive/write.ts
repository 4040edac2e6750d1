// Writes the whole run as a file that the page can open.
import { stat } from 'node:fs/promises';
import { ConfigError } from '../../../base/errors.ts';
import { readBytes, writeWhole } from '../../../../cli/files.ts';
import { packFolder } from '../../../../cli/runFolder.ts';
import type { Write } from '../../../../cli/stored/carrier.ts';
import { modelAlong } from '../../../../cli/stored/modelNote.ts';

export const write: Write = async ({ place, checkpoint }, given, file) => {
  const isFolder = (await stat(place)).isDirectory();
  const along = given.has('with-model') ? await modelAlong(place, checkpoint, given) : undefined;
  if (along && !isFolder)
    throw new ConfigError(`--with-model: ${place} is an archive; unpack it with cothink import first.`);
  if (isFolder) return packFolder(place, file, along);
  await writeWhole(file, await readBytes(place));
};
