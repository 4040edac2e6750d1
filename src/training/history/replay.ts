// Computes the first state of a run from its history. For a fork, the parent run is replayed up to the fork. The replay
// is reported as a preparation, and its data are not stored. Changes of settings that were made after the first
// iteration are listed in the run's record as planned changes.
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { withChanges } from '../../config/liveChange.ts';
import { forkName, runName } from '../../config/runName.ts';
import type { Config } from '../../config/schema.ts';
import { checkpointFormat, type Checkpoint, type RunRecord, weightsDigest } from '../../records/stored/checkpoint.ts';
import type { TrainerEvent } from '../../records/events.ts';
import type { Fork, PairImport, RunHistory, RunPlan } from '../../records/stored/history.ts';
import { runId, type RunId } from '../../records/ids.ts';
import type { Evaluation } from '../../records/metrics.ts';
import type { PreferenceText } from '../../records/stored/preference.ts';
import { forkCheckpoint, forkedRun } from '../run/fork.ts';
import type { Gate } from '../team/gate.ts';
import { expectPairs, learnsFromImports } from '../imitation/importedPairs.ts';
import { memoryStore } from '../run/memoryStore.ts';
import { heldChanges } from '../run/revival.ts';
import { Session } from '../run/session.ts';
import type { World } from '../../tasks/world.ts';
import { assembleTeam } from '../team/team.ts';

/** Looks up imported preference pairs by the digest of their file. */
export interface PairSource {
  /** The pairs of the file with this digest; undefined if the file has not been imported. */
  pairsOf: (digest: string) => PreferenceText[] | undefined;
  /** Returns those imports whose file is available. */
  atHand: (imports: readonly PairImport[]) => PairImport[];
}

export interface ReplayParts {
  backend: string;
  createdMs: number;
  files: PairSource;
  /** The gate that can interrupt the preparation. */
  gate: Gate | null;
  emit: (event: TrainerEvent) => void;
  /** Creates the checkpoint of iteration 0 for a configuration. */
  start: (config: Config, id: RunId, pairs: PreferenceText[] | undefined) => Promise<Checkpoint>;
  /** Receives the record of a run that is not a fork, before its warm start is trained. */
  onBegun?: ((run: RunRecord) => void) | undefined;
  /** Returns the world for the settings of a replayed parent run, as in `ProgressParts`. */
  worldOf?: (config: Config) => World;
  /** Changes a name, if necessary, so that no stored run has it. */
  unique: (name: string) => Promise<string>;
}

export interface Beginning {
  run: RunRecord;
  checkpoint: Checkpoint;
  /** The parent's last evaluation, if it was made in the iteration of the fork; otherwise null. */
  evaluation: Evaluation | null;
  /** Reports differences between the replayed parent and its record. */
  note: string;
}

/**
 * Computes the first state of a run from its history. Throws ConfigError for an impossible history. If the gate is
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
  const given = imports.findLast(({ iteration }) => iteration === 0);
  const later = imports.filter(({ iteration }) => iteration > 0);
  const run: RunRecord = {
    format: checkpointFormat,
    ...{ id, name, preset, config, begun: config, changes: [] },
    ...(given && { imports: [given] }),
    ...planned({ changes: history.changes, imports: later }),
    backend: parts.backend,
    createdMs: parts.createdMs,
    iteration: 0,
    isDone: false,
  };
  parts.onBegun?.(run);
  const checkpoint = await parts.start(config, id, given && parts.files.pairsOf(given.digest));
  const { imports: _, ...without } = run;
  return { run: checkpoint.pairs ? run : without, checkpoint, evaluation: null, note: '' };
}

/**
 * The imports that are available and from which the run learns. Throws FormatError if a pair does not fit the run's
 * team.
 */
function usable({ config, imports }: RunHistory, files: PairSource): PairImport[] {
  const team = assembleTeam(config);
  const found = learnsFromImports(team) ? files.atHand(imports) : [];
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

/** Trains the parent of a fork up to the point of the fork. */
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
 * Splits a stored run's history into the part that the newest checkpoint contains, and the rest, which is replayed from
 * there.
 */
export function resumedHistory(
  stored: RunRecord,
  checkpoint: Checkpoint,
  files: PairSource,
): Pick<RunRecord, 'changes' | 'imports' | 'plan'> {
  const changes = [...stored.changes, ...(stored.plan?.changes ?? [])];
  const held = heldChanges(changes, checkpoint);
  const end = changes.findLastIndex((change) => held.includes(change)) + 1;
  const isHeld = ({ iteration }: PairImport) => iteration <= checkpoint.iteration;
  const imports = [...(stored.imports ?? []), ...(stored.plan?.imports ?? [])];
  const later = files.atHand(imports.filter((one) => !isHeld(one)));
  return {
    changes: changes.slice(0, end),
    ...(imports.some(isHeld) && { imports: imports.filter(isHeld) }),
    ...planned({ changes: changes.slice(end), imports: later }),
  };
}
