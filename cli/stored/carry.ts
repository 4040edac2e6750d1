// `cothink export` and `cothink import`: the first exports a stored run in the file formats that the page writes, the
// second unpacks a run archive into a folder.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../src/base/errors.ts';
import { fileNameOf } from '../../src/config/runName.ts';
import { archivedRun, isModelEntry, wholeRun } from '../../src/storage/archive/archivedRun.ts';
import type { CommandArguments } from '../command.ts';
import { exportFor, trainerNames } from '../elsewhere/exportFor.ts';
import { writeFolder } from '../files.ts';
import { print } from '../print.ts';
import { archiveAt, holdsRun } from '../runFolder.ts';
import type { CarrierFacts } from './carrier.ts';
import { carrierFacts, loadWrite } from './carriers.ts';
import { importModel, modelAt } from './model.ts';
import { carriedModel, noteModel } from './modelNote.ts';
import { openStored } from './openStored.ts';

export async function exportRun(given: CommandArguments): Promise<number> {
  const kind = given.oneOf(
    'as',
    carrierFacts.map(({ name }) => name),
  );
  const trainer = given.oneOf('for', trainerNames);
  if (trainer && given.has('as')) throw new ConfigError('--for: writes its own kind of folder; leave --as out.');
  const [place = ''] = given.rest;
  const stored = await openStored(place, given.whole('at'));
  if (trainer) return exportFor(trainer, stored, given);
  const facts = (carrierFacts.find(({ name }) => name === kind) ?? carrierFacts[0]) as CarrierFacts;
  const { ending = '', fileName = ({ name }) => `${fileNameOf(name)}${ending}` } = facts;
  const file = given.text('out') ?? fileName(stored.run);
  const write = await loadWrite(facts);
  await write(stored, given, file);
  const { size } = await stat(file);
  print(given, { file, bytes: size }, [`${file}, ${size} bytes`]);
  return 0;
}

export async function importRun(given: CommandArguments): Promise<number> {
  const [file = ''] = given.rest;
  const model = await modelAt(file);
  if (model) return importModel(given, model);
  const entries = await archiveAt(file);
  const { run, checkpoints } = await wholeRun(archivedRun(entries));
  const folder = given.text('out') ?? path.join('runs', fileNameOf(run.name));
  if (await holdsRun(folder)) throw new ConfigError(`--out: ${folder} already contains a run; name another folder.`);
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
