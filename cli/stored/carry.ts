// `cothink export` exports a stored run in the file formats that the page writes. `cothink import` imports a file; the
// first format that recognises the file reads it.
import { stat } from 'node:fs/promises';
import { ConfigError } from '../../src/base/errors.ts';
import { fileNameOf } from '../../src/config/runName.ts';
import { carrierFacts, type CarrierFacts } from '../../src/records/carrierFacts.ts';
import type { CommandArguments } from '../command.ts';
import { exportFor } from '../elsewhere/exportFor.ts';
import { trainerFacts } from '../elsewhere/trainers.ts';
import { print } from '../print.ts';
import { loadWrite, readerOf } from './carriers.ts';
import { checkpointIn, openStored } from './openStored.ts';

export async function exportRun(given: CommandArguments): Promise<number> {
  const kind = given.oneOf(
    'as',
    carrierFacts.map(({ name }) => name),
  );
  const asked = given.oneOf(
    'for',
    trainerFacts.map(({ name }) => name),
  );
  const trainer = trainerFacts.find(({ name }) => name === asked);
  if (trainer && given.has('as'))
    throw new ConfigError('--for: this option already determines the format of the export; leave out --as.');
  const [place = ''] = given.rest;
  const stored = await openStored(place, checkpointIn(given));
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
  const [place = ''] = given.rest;
  return (await readerOf(place)).read(place, given);
}
