// The readers of run archives: of the zip, of the files in it, and of their content after the checksum is corrected.
import { createHash } from 'node:crypto';
import { zipSync } from 'fflate';
import { readRunArchive } from '../../src/formats/runArchive.ts';
import type { KeptBranch } from '../../src/records/stored/keptBranch.ts';
import type { RunLabel } from '../../src/records/stored/runLabel.ts';
import {
  archivedRun,
  branchEntry,
  checkpointEntry,
  isEntryName,
  iterationEntry,
  keptOf,
  labelEntry,
  runEntry,
  wholeRun,
  worldEntry,
} from '../../src/storage/archive/archivedRun.ts';
import { readRecord, writeRecord } from '../../src/storage/archive/recordBytes.ts';
import * as sample from '../../src/storage/testing/sampleRecords.ts';
import { asBranch } from '../../src/storage/validate.ts';
import { mutateBytes } from './mutate.ts';
import { world } from './ownWorlds.ts';
import { bytes, record, type Reader } from './reader.ts';

const stored = [1, 2].map((at) => sample.iteration(at));
const [trajectory] = stored.flatMap(({ trajectories }) => trajectories);
const side = { seats: [], hidden: [0], trajectory };
const branch = {
  runId: sample.id,
  number: 1,
  name: 'other',
  changes: ['a word'],
  left: side,
  right: side,
} as unknown as KeptBranch;
/** The label of a run. */
export const label: RunLabel = {
  runId: sample.id,
  name: 'the one that talks',
  notes: 'They agree.\nMostly.',
  tags: ['talk', 'short'],
  isPinned: true,
};
const entries = [
  runEntry(sample.run()),
  checkpointEntry(sample.checkpoint(3)),
  ...stored.map((one) => iterationEntry(one.metrics.iteration, keptOf(one))),
  branchEntry(branch),
  labelEntry(label),
  worldEntry(world),
];
const files = Object.fromEntries(entries.map((entry) => [entry.name, entry.bytes]));
const zips = [zipSync(files, { level: 0 }), zipSync(files, { level: 9 })];
const readZip = (zip: Uint8Array) => wholeRun(archivedRun(readRunArchive(zip, isEntryName)));

/** Mark and checksum of a record's file. */
const [markBytes, headBytes] = [8, 40];

/** The file of a record with this body and a valid checksum. */
function sealed(body: Uint8Array): Uint8Array {
  const mark = (entries[0] as { bytes: Uint8Array }).bytes.subarray(0, markBytes);
  return Buffer.concat([mark, createHash('sha256').update(body).digest(), body]);
}

const isKept = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const kept = Object.fromEntries(entries.map((entry) => [entry.name, readRecord(entry.bytes, entry.name)]));

export const archives: readonly Reader<unknown>[] = [
  bytes('run archives', zips, readZip),
  {
    ...bytes(
      'records of an archive',
      entries.map((entry) => entry.bytes),
      (file) => readRecord(file, 'record'),
    ),
    damage: (file: Uint8Array, _, draws) => sealed(mutateBytes(file.subarray(headBytes), draws)),
  },
  record('runs of an archive', [kept], (run) => {
    const named = isKept(run) ? Object.entries(run).filter(([name]) => isEntryName(name)) : [];
    return wholeRun(archivedRun(new Map(named.map(([name, one]) => [name, writable(one)]))));
  }),
  record('stored changed dialogues', [branch], (one) => asBranch(one, 'changed dialogue')),
];

/** Encodes a value. A value that MessagePack cannot encode cannot occur in a file, so the file is empty then. */
function writable(one: unknown): Uint8Array {
  try {
    return writeRecord(one);
  } catch {
    return new Uint8Array(0);
  }
}
