// `cothink export` and `cothink import`: what is taken away of a stored run, in the files that the page writes, and a run
// archive unpacked into a folder.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../src/base/errors.ts';
import { fileNameOf } from '../../src/config/runName.ts';
import { dialogueFile } from '../../src/formats/dialogues/dialogueFile.ts';
import { metricsCsv } from '../../src/formats/numbers/metricsTable.ts';
import { writePreferences } from '../../src/formats/preferences.ts';
import { writeRunFile } from '../../src/formats/runFile.ts';
import { tensorBoardFile } from '../../src/formats/numbers/tensorBoard.ts';
import { verifierZip } from '../../src/formats/verifierZip.ts';
import { isOneFile, takenModel, type TakenAs } from '../../src/formats/merged/takenModel.ts';
import { turnsZip, weightsZip } from '../../src/formats/weightsZip.ts';
import { historyOf } from '../../src/records/stored/checkpoint.ts';
import { inspectLogName } from '../../src/records/logName.ts';
import type { TrajectoryFile } from '../../src/records/trajectory.ts';
import { archivedRun, isModelEntry, wholeRun } from '../../src/storage/archive/archivedRun.ts';
import { adaptersTakenAway, agentTakenAway, verifierTakenAway } from '../../src/training/history/takenAway.ts';
import { minePreferences } from '../../src/training/imitation/minePreferences.ts';
import type { Session } from '../../src/training/run/session.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import type { CommandArguments } from '../command.ts';
import { withoutPairs } from '../elsewhere/examples.ts';
import { exportFor, trainerNames } from '../elsewhere/exportFor.ts';
import { readyWorld } from '../engine.ts';
import { readBytes, replacing, writeFolder, writePieces, writeSynced, writeWhole } from '../files.ts';
import { print } from '../print.ts';
import { archiveAt, holdsRun, packFolder } from '../runFolder.ts';
import { importModel, modelAt } from './model.ts';
import { carriedModel, ggufOf, modelAlong, noteModel } from './modelNote.ts';
import { inSession, openStored, readyFor, type Stored } from './openStored.ts';

type Write = (stored: Stored, given: CommandArguments, file: string) => Promise<void>;

interface Kind {
  write: Write;
  /** How its file ends, behind the name of the run; or how it is called. */
  ending?: string;
  name?: (run: Stored['run']) => string;
}

/** How each kind is written, and how its file is called. */
const kinds = {
  archive: {
    ending: '.zip',
    write: (stored: Stored, given: CommandArguments, file: string) => packed(stored, given, file),
  },
  weights: {
    ending: '-weights.zip',
    write: (stored, given, file) =>
      ofSession(stored, given, async (session) => writeWhole(file, await agentZip(session, given, stored))),
  },
  adapter: {
    ending: '-adapter.zip',
    write: (stored, given, file) => taken(stored, given, { file, as: () => Promise.resolve({ as: 'adapter' }) }),
  },
  merged: {
    ending: '-merged.zip',
    write: (stored, given, file) =>
      taken(stored, given, { file, as: () => Promise.resolve({ as: 'merged', type: typeOf(given, ['F16', 'F32']) }) }),
  },
  gguf: {
    ending: '.gguf',
    write: (stored, given, file) =>
      taken(stored, given, {
        file,
        as: async () => ({ as: 'gguf', type: typeOf(given, ['F16', 'Q8_0']), file: await ggufOf(stored, given) }),
      }),
  },
  verifier: {
    ending: '-verifier.zip',
    write: (stored, given, file) =>
      ofSession(stored, given, async (session) => writeWhole(file, verifierZip(await verifierTakenAway(session)))),
  },
  trajectories: { ending: '.jsonl', write: dialogues('jsonl') },
  parquet: { ending: '.parquet', write: dialogues('parquet') },
  inspect: { name: inspectLogName, write: dialogues('inspect') },
  preferences: { ending: '-pairs.jsonl', write: preferences },
  metrics: {
    ending: '.csv',
    write: async ({ archived }, _, file) => writeWhole(file, metricsCsv((await numbersOf(archived)).rows)),
  },
  // TensorBoard reads the files that have its word in their names.
  events: {
    ending: '.tfevents',
    write: async ({ archived, run }, _, file) =>
      writeWhole(file, tensorBoardFile({ createdMs: run.createdMs, ...(await numbersOf(archived)) }).bytes),
  },
  run: {
    ending: '.yaml',
    write: async ({ archived, run }, _, file) =>
      writeWhole(file, writeRunFile({ name: run.name, ...historyOf(run), ...worldOf(await archived.world()) })),
  },
} satisfies Record<string, Kind>;

export const exportKinds = Object.keys(kinds) as (keyof typeof kinds)[];

export async function exportRun(given: CommandArguments): Promise<number> {
  const kind = given.oneOf('as', exportKinds) ?? 'archive';
  const trainer = given.oneOf('for', trainerNames);
  if (trainer && given.has('as')) throw new ConfigError('--for: writes a folder of its own; leave --as out.');
  const [place = ''] = given.rest;
  const stored = await openStored(place, given.whole('at'));
  if (trainer) return exportFor(trainer, stored, given);
  const { ending = '', name = ({ name: own }) => `${fileNameOf(own)}${ending}`, write }: Kind = kinds[kind];
  const file = given.text('out') ?? name(stored.run);
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
  if (await holdsRun(folder)) throw new ConfigError(`--out: ${folder} holds a run already; name another folder.`);
  const carried = await carriedModel(entries, run);
  const own = new Map([...entries].filter(([name]) => !isModelEntry(name)));
  for (const { name, content } of carried?.files ?? []) own.set(`model/${name}`, content);
  await writeFolder(folder, own);
  if (carried) await noteModel(folder, { name: carried.name, place: path.join(folder, 'model', carried.place) });
  const at = checkpoints.map(({ iteration }) => iteration);
  print(given, { folder, name: run.name, checkpoints: at }, [
    `${run.name} is in ${folder}; cothink train --resume --out ${folder} goes on with it.`,
  ]);
  return 0;
}

async function packed({ place, checkpoint }: Stored, given: CommandArguments, file: string): Promise<void> {
  const isFolder = (await stat(place)).isDirectory();
  const along = given.has('with-model') ? await modelAlong(place, checkpoint, given) : undefined;
  if (along && !isFolder)
    throw new ConfigError(`--with-model: ${place} is an archive; unpack it by cothink import first.`);
  if (isFolder) return packFolder(place, file, along);
  await writeWhole(file, await readBytes(place));
}

async function ofSession(
  stored: Stored,
  given: CommandArguments,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  await readyFor(stored, given);
  await inSession(stored, work);
}

async function agentZip(session: Session, given: CommandArguments, { archived }: Stored): Promise<Uint8Array> {
  const agent = given.whole('agent') ?? 0;
  const { source, models, isByTurn } = await agentTakenAway(session, agent, given.has('optimiser'));
  const content = (await archived.world())?.content;
  const whole = { ...source, ...(content?.kind === 'module' && { module: content.source }) };
  return isByTurn ? turnsZip(whole, models) : weightsZip({ ...whole, ...models[0] });
}

/** Writes an agent that stands on a model of somebody else, in pieces. */
async function taken(
  stored: Stored,
  given: CommandArguments,
  { file, as }: { file: string; as: () => Promise<TakenAs> },
): Promise<void> {
  await ofSession(stored, given, async (session) => {
    const wanted = await as();
    const agent = await adaptersTakenAway(session, given.whole('agent') ?? 0);
    if (wanted.as === 'gguf' && !isOneFile(agent, wanted) && !/\.zip$/i.test(file))
      throw new ConfigError(
        `--out: this agent has an adapter for each of ${agent.turns.length} turns, so its models are a zip; give --out FILE.zip.`,
      );
    await replacing(file, (part) => writeSynced(part, takenModel(agent, wanted)));
  });
}

/** How many bits a number keeps; the first where none is named. */
const typeOf = <T extends string>(given: CommandArguments, known: readonly [T, ...T[]]): T =>
  given.oneOf('type', known) ?? known[0];

const worldOf = (world: Awaited<ReturnType<Stored['archived']['world']>>) => (world ? { world } : {});

/** One iteration is written at a time. */
function dialogues(as: TrajectoryFile): Write {
  return async ({ archived, run }, _, name) => {
    const file = await dialogueFile(as, run);
    await writePieces(name, async (take) => {
      for (const at of archived.iterations) take(file.add(at, await archived.trajectories(at)));
      take(file.end());
    });
  };
}

async function preferences(stored: Stored, given: CommandArguments, file: string): Promise<void> {
  const { config } = stored.run;
  const by = given.oneOf('by', ['reward', 'verifier']) ?? 'reward';
  if (by === 'verifier' && !config.verifier.isTrained)
    throw new ConfigError('--by: this run trains no verifier to compare dialogues; take those by reward.');
  await readyWorld(config.world, await stored.archived.world());
  const team = assembleTeam(config);
  const encoder = new TextEncoder();
  await writePieces(file, async (take) => {
    let count = 0;
    for (const at of stored.archived.iterations) {
      const pairs = minePreferences(team, await stored.archived.trajectories(at), { minGap: 1e-6, by });
      count += pairs.length;
      take(encoder.encode(writePreferences(pairs)));
    }
    if (count === 0) throw new ConfigError(`--as preferences: ${withoutPairs(config)}.`);
  });
}

/** The metrics of each iteration and the evaluations after it, in their order. */
async function numbersOf(archived: Stored['archived']) {
  const kept = await Promise.all(archived.iterations.map((at) => archived.iteration(at)));
  return {
    rows: kept.flatMap(({ metrics }) => metrics ?? []),
    evaluations: kept.flatMap(({ evaluation }) => evaluation ?? []),
  };
}
