// Computes the first state of a run from its history. For a fork, the parent run is replayed up to the fork. The replay
// is reported as a preparation, and its data are not stored. Changes of settings that were made after the first
// iteration are listed in the run's record as planned changes.
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { withChanges } from '../../config/liveChange.ts';
import { forkName, runName } from '../../config/runName.ts';
import type { Config } from '../../config/schema.ts';
import { imitatesChats } from '../../config/warmStarts.ts';
import { checkpointFormat, type Checkpoint, type RunRecord, weightsDigest } from '../../records/stored/checkpoint.ts';
import type { TrainerEvent } from '../../records/events.ts';
import { importKind, type Fork, type FileImport, type RunHistory, type RunPlan } from '../../records/stored/history.ts';
import { runId, type RunId } from '../../records/ids.ts';
import type { Evaluation } from '../../records/metrics.ts';
import type { ChatFile } from '../../records/stored/chatFile.ts';
import type { PreferenceText } from '../../records/stored/preference.ts';
import { forkCheckpoint, forkedRun } from '../run/fork.ts';
import type { Gate } from '../team/gate.ts';
import { refuseWithoutChats } from '../imitation/wantedChats.ts';
import { expectPairs, learnsFromImports } from '../imitation/importedPairs.ts';
import { memoryStore } from '../run/memoryStore.ts';
import { heldChanges } from '../run/revival.ts';
import { Session } from '../run/session.ts';
import type { World } from '../../tasks/world.ts';
import { assembleTeam } from '../team/team.ts';

/** Looks up imported files by their digests. */
export interface ImportSource {
  /** The pairs of the file with this digest; undefined if the file has not been imported. */
  pairsOf: (digest: string) => PreferenceText[] | undefined;
  /** The chats of the file with this digest; undefined if the file has not been imported. */
  chatsOf: (digest: string) => ChatFile | undefined;
  /** Returns those imports whose file is available. */
  atHand: (imports: readonly FileImport[]) => FileImport[];
}

/** The contents of the files with which a run starts. */
interface GivenFiles {
  pairs?: PreferenceText[];
  chats?: ChatFile;
}

export interface ReplayParts {
  backend: string;
  createdMs: number;
  files: ImportSource;
  /** The gate that can interrupt the preparation. */
  gate: Gate | null;
  emit: (event: TrainerEvent) => void;
  /** Creates the checkpoint of iteration 0 for a configuration. */
  start: (config: Config, id: RunId, given: GivenFiles) => Promise<Checkpoint>;
  /** Receives the record of a run that is not a fork, before its warm start is trained. */
  onBegun?: ((run: RunRecord) => void) | undefined;
  /**
   * Returns the world for the settings of a replayed parent run, like the function of the same name in `ProgressParts`.
   */
  worldOf?: (config: Config) => World;
  /** Makes a name unique among the names of stored runs, if necessary. */
  unique: (name: string) => Promise<string>;
}

export interface Beginning {
  run: RunRecord;
  checkpoint: Checkpoint;
  /** The parent's last evaluation, if it was made in the iteration of the fork; otherwise null. */
  evaluation: Evaluation | null;
  /** A message about differences between the replayed parent run and its record. */
  note: string;
}

/**
 * Computes the first state of a run from its history. Throws ConfigError if the history is not possible. If the gate is
 * aborted, the error with which it was aborted is thrown.
 */
export async function beginning(history: RunHistory, parts: ReplayParts): Promise<Beginning> {
  withChanges(history.config, history.changes);
  const imports = usable(history, parts.files);
  if (history.fork) {
    const begun = await forkAgain(history.fork, parts);
    return { ...begun, run: { ...begun.run, ...planned({ changes: history.changes, imports }) } };
  }
  const { preset, config } = history;
  const name = await parts.unique(runName(config));
  const id = idOf(name, parts.createdMs);
  const isPairs = (one: FileImport) => importKind(one) === 'pairs';
  const given = imports.findLast((one) => isPairs(one) && one.iteration === 0);
  // Chats are always imitated before the first iteration.
  const chats = imports.findLast((one) => !isPairs(one));
  const file = chats && parts.files.chatsOf(chats.digest);
  refuseWithoutChats(config, file, history.imports.findLast((one) => !isPairs(one))?.name);
  const begun = [given, chats].filter((one) => one !== undefined);
  const later = imports.filter((one) => isPairs(one) && one.iteration > 0);
  const run: RunRecord = {
    format: checkpointFormat,
    ...{ id, name, preset, config, begun: config, changes: [] },
    ...(begun.length > 0 && { imports: begun }),
    ...planned({ changes: history.changes, imports: later }),
    backend: parts.backend,
    createdMs: parts.createdMs,
    iteration: 0,
    isDone: false,
  };
  parts.onBegun?.(run);
  const pairs = given && parts.files.pairsOf(given.digest);
  const checkpoint = await parts.start(config, id, { ...(pairs && { pairs }), ...(file && { chats: file }) });
  return { run, checkpoint, evaluation: null, note: '' };
}

/**
 * The available imports on which the run is trained. Throws FormatError if a pair cannot be used with the run's team.
 */
function usable({ config, imports }: RunHistory, files: ImportSource): FileImport[] {
  const team = assembleTeam(config);
  const isUsed = { pairs: learnsFromImports(team), chats: imitatesChats(config) };
  const found = files.atHand(imports).filter((one) => isUsed[importKind(one)]);
  for (const { digest } of found) expectPairs(files.pairsOf(digest) ?? [], team);
  return found;
}

const planned = (plan: RunPlan): Pick<RunRecord, 'plan'> =>
  plan.changes.length + plan.imports.length > 0 ? { plan } : {};

export const idOf = (name: string, createdMs: number): RunId =>
  runId(`${createdMs.toString(36)}-${name.replaceAll(/[^a-z0-9]+/gi, '-')}`);

async function forkAgain(fork: Fork, parts: ReplayParts): Promise<Beginning> {
  const { left, parent, evaluation } = await parentAt(fork, parts);
  const { mode, settings } = fork;
  const way = { mode, ...(settings && { settings }) };
  const name = await parts.unique(forkName(parent.name, way));
  const digest = weightsDigest(left);
  const checkpoint = forkCheckpoint(left, { ...way, runId: idOf(name, parts.createdMs) });
  const run = forkedRun(parent, checkpoint, { name, createdMs: parts.createdMs, ...way, digest });
  const isSame = fork.digest === undefined || fork.digest === digest;
  const note = isSame
    ? ''
    : `The weights of ${parent.name} after iteration ${fork.iteration} are not the ones on record, as is to be expected on another device. The fork goes on from those made here.`;
  return { run, checkpoint, evaluation, note };
}

/** Trains the parent of a fork up to the iteration of the fork. */
async function parentAt({ iteration, parent: history }: Fork, parts: ReplayParts) {
  const begun = await beginning(history, { ...parts, onBegun: undefined, unique: (name) => Promise.resolve(name) });
  let failure: Error | null = null;
  let evaluation: Evaluation | null = null;
  const session: Session = new Session({
    run: begun.run,
    checkpoint: begun.checkpoint,
    store: memoryStore({ keepsIterations: false }),
    emit: (event) => {
      const fault = parts.gate?.fault;
      if (fault) session.gate.break(fault);
      if (event.kind === 'failed') failure = new ConfigError(event.message);
      if (event.kind === 'evaluation') evaluation = event.evaluation;
      if (event.kind !== 'iteration') return;
      const label = `${begun.run.name}, which this run goes on from`;
      parts.emit({ kind: 'progress', label, share: event.metrics.iteration / iteration, loss: null });
    },
    now: () => performance.now(),
    pairsOf: parts.files.pairsOf,
    ...(parts.worldOf && { worldOf: parts.worldOf }),
  });
  try {
    await session.train(iteration - begun.run.iteration);
    parts.gate?.throwFault();
    if (failure) throw failure as Error;
    const left = await session.leave();
    if (left.iteration === iteration) return { left, parent: session.run, evaluation: at(evaluation, iteration) };
    throw new ConfigError(
      spoken`fork.iteration: expected at most ${left.iteration}, the last iteration of the parent run, got ${iteration}.`,
    );
  } finally {
    await session.dispose();
  }
}

const at = (evaluation: Evaluation | null, iteration: number) =>
  evaluation?.iteration === iteration ? evaluation : null;

/**
 * Splits a stored run's history into the part up to the newest checkpoint, and the rest, which is replayed from this
 * checkpoint.
 */
export function resumedHistory(
  stored: RunRecord,
  checkpoint: Checkpoint,
  files: ImportSource,
): Pick<RunRecord, 'changes' | 'imports' | 'plan'> {
  const changes = [...stored.changes, ...(stored.plan?.changes ?? [])];
  const held = heldChanges(changes, checkpoint);
  const end = changes.findLastIndex((change) => held.includes(change)) + 1;
  const isHeld = ({ iteration }: FileImport) => iteration <= checkpoint.iteration;
  const imports = [...(stored.imports ?? []), ...(stored.plan?.imports ?? [])];
  const later = files.atHand(imports.filter((one) => !isHeld(one)));
  return {
    changes: changes.slice(0, end),
    ...(imports.some(isHeld) && { imports: imports.filter(isHeld) }),
    ...planned({ changes: changes.slice(end), imports: later }),
  };
}
