// Unpacks a run archive into a folder.
import path from 'node:path';
import { ConfigError } from '../../../base/errors.ts';
import { fileNameOf } from '../../../config/runName.ts';
import { holdsEntry } from '../../../formats/zip.ts';
import { archivedRun, isModelEntry, wholeRun } from '../../../storage/archive/archivedRun.ts';
import { runEntryName } from '../../../storage/archive/runEntryName.ts';
import type { CommandArguments } from '../../../../cli/command.ts';
import { readBytes, writeFolder } from '../../../../cli/files.ts';
import { print } from '../../../../cli/print.ts';
import { archiveAt, holdsRun } from '../../../../cli/runFolder.ts';
import type { Reader } from '../../../../cli/stored/carrier.ts';
import { carriedModel, noteModel } from '../../../../cli/stored/modelNote.ts';

async function unpack(place: string, given: CommandArguments): Promise<number> {
  const entries = await archiveAt(place);
  const { run, checkpoints } = await wholeRun(archivedRun(entries));
  const folder = given.text('out') ?? path.join('runs', fileNameOf(run.name));
  if (await holdsRun(folder)) throw new ConfigError(`--out: ${folder} already contains a run; choose another folder.`);
  const carried = await carriedModel(entries, run);
  const own = new Map([...entries].filter(([name]) => !isModelEntry(name)));
  for (const { name, content } of carried?.files ?? []) own.set(`model/${name}`, content);
  await writeFolder(folder, own);
  if (carried) await noteModel(folder, { name: carried.name, place: path.join(folder, 'model', carried.place) });
  const at = checkpoints.map(({ iteration }) => iteration);
  print(given, { folder, name: run.name, checkpoints: at }, [
    `${run.name} is in ${folder}; cothink train --resume --out ${folder} continues it.`,
  ]);
  return 0;
}

export const reader: Reader = {
  takes: async (place) => /\.zip$/i.test(place) && holdsEntry(await readBytes(place), (name) => name === runEntryName),
  read: unpack,
};
