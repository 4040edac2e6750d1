// `cothink train`: one run in a folder, from its beginning or from its newest checkpoint. The numbers are those of the page
// on the same backend: it is the same session.
import path from 'node:path';
import { ConfigError, FormatError, type ErrorName, type StorageError } from '../../src/base/errors.ts';
import { difference } from '../../src/config/parse.ts';
import { fileNameOf, runName } from '../../src/config/runName.ts';
import type { Config } from '../../src/config/schema.ts';
import { historyOf, type Checkpoint, type RunRecord } from '../../src/records/stored/checkpoint.ts';
import type { TrainerEvent } from '../../src/records/events.ts';
import type { Evaluation } from '../../src/records/metrics.ts';
import type { ArchivedRun } from '../../src/storage/archive/archivedRun.ts';
import { beginning, goneOn } from '../../src/training/history/replay.ts';
import { refuseWithoutRoom } from '../../src/training/rows/memory.ts';
import { Session } from '../../src/training/run/session.ts';
import { startingCheckpoint } from '../../src/training/run/start.ts';
import { askedFor, type Asked } from './asked.ts';
import type { Given } from '../command.ts';
import { loadShipped, readyWorld, startEngine } from '../engine.ts';
import { exitCodeOf, interrupted, lineOf } from '../exit.ts';
import { liveElsewhere } from './elsewhere.ts';
import { lockFolder } from './folderLock.ts';
import { openPairs, type Pairs } from './pairs.ts';
import { openReporter, writeError, type Reporter } from '../report.ts';
import { holdsRun, openRun, packFolder, RunFolder } from '../runFolder.ts';
import { trainSeeds } from './seeds.ts';

/** Answers the exit code. */
export async function train(given: Given): Promise<number> {
  const seeds = given.whole('seeds', 1);
  return seeds === undefined ? trainOne(given) : trainSeeds(given, seeds);
}

/** A run that is ready to be trained. */
interface Ready {
  run: RunRecord;
  checkpoint: Checkpoint;
  store: RunFolder;
  note: string;
}

async function trainOne(given: Given): Promise<number> {
  const reporter = openReporter(given.has('json') || undefined);
  const asked = await askedFor(given);
  const folder = given.text('out') ?? path.join('runs', runName(asked.history.config));
  const lock = await lockFolder(folder, reporter.say);
  try {
    return await trainIn(folder, { given, asked, reporter });
  } finally {
    await lock.release();
  }
}

/** What is asked for, of a folder that no other process trains in. */
interface Task {
  given: Given;
  asked: Asked;
  reporter: Reporter;
}

async function trainIn(folder: string, { given, asked, reporter }: Task): Promise<number> {
  const pairs = await openPairs(given.all('pairs'));
  const there = (await holdsRun(folder)) ? await openRun(folder) : null;
  if (there && !given.has('resume'))
    throw new ConfigError(`--out: ${folder} holds a run; add --resume to go on with it, or name another folder.`);
  const run = (await there?.run()) ?? null;
  if (run) refuseOtherSettings(given, asked.history.config, run);
  // One that was killed before it had stored anything to go on from is begun anew, as the run that it is.
  const stored = there && there.checkpoints.length + there.iterations.length > 0 ? there : null;
  const history = run && !namesSettings(given) ? historyOf(run) : asked.history;
  const experiment = given.text('experiment') ?? run?.experiment?.id;
  const world = there ? await there.world() : asked.world;
  let session: Session | null = null;
  const config = stored && run ? run.config : history.config;
  await readyWorld(config.world, world);
  const env = given.text('env');
  const leave = env === undefined ? null : await liveElsewhere(config, env, given.text('token'));
  const threads = given.whole('threads', 1);
  const engine = await startEngine(config.run.backend, {
    onFault: (error) => session?.fail(error),
    ...(threads !== undefined && { threads }),
  });
  const ready = stored
    ? await goOn(folder, stored, { backend: engine.backend, pairs })
    : await begin({ ...asked, history, world }, { folder, backend: engine.backend, pairs, reporter, experiment });
  const { checkpoint, store, note } = ready;
  const { name, id, preset } = ready.run;
  const { seed, iterations } = ready.run.config.run;
  reporter.tell({ event: 'run', name, id, preset, seed, iterations, iteration: ready.run.iteration, backend: engine.backend, adapter: engine.adapter, folder }); // prettier-ignore
  reporter.say(`${name}, seed ${seed}, on ${engine.backend} (${engine.adapter}), in ${folder}`);
  if (note) reporter.say(note);
  if (note) reporter.tell({ event: 'note', text: note });
  const outcome: Outcome = { evaluation: null, failed: null };
  session = new Session({
    ...{ run: ready.run, checkpoint, store, now: () => performance.now(), pairsOf: pairs.pairsOf },
    emit: (event) => hear(event, { reporter, outcome, iterations }),
  });
  // How large a model of somebody else is, nobody here has tried before.
  if (session.trainState.team.foreign) refuseWithoutRoom(session.trainState);
  const stop = interrupted(() => void session?.leave());
  await session.train();
  stop.forget();
  await session.dispose();
  leave?.();
  if (outcome.failed) {
    const { name: error, message } = outcome.failed;
    reporter.tell({ event: 'failed', name: error, message });
    writeError(lineOf(outcome.failed));
    return exitCodeOf(error);
  }
  const archive = path.join(folder, `${fileNameOf(name)}.zip`);
  const tooLarge = await packFolder(folder, archive).then(() => null, asTooLarge); // prettier-ignore
  const { iteration } = session.run;
  const accuracy = (outcome.evaluation ?? (await newestEvaluation(await openRun(folder))))?.accuracy ?? null;
  const event = iteration < session.config.run.iterations ? 'interrupted' : 'done';
  reporter.tell({ event, iteration, accuracy, folder, archive: tooLarge ? null : archive });
  const right = accuracy === null ? '' : `, ${accuracy.toFixed(3)} right`;
  reporter.say(
    event === 'done'
      ? `Done after ${iteration} iterations${right}: ${tooLarge ? folder : archive}`
      : `Stopped after iteration ${iteration}${right}; cothink train --resume --out ${folder} goes on.`,
  );
  if (tooLarge) throw tooLarge;
  return event === 'done' ? 0 : stop.code;
}

/** What was trained is told before it is told that no archive holds it. */
function asTooLarge(error: unknown): FormatError {
  if (error instanceof FormatError) return error;
  throw error;
}

/** Of a run that was done before it was taken up again. */
export async function newestEvaluation(archived: ArchivedRun): Promise<Evaluation | null> {
  for (const at of archived.iterations.toReversed()) {
    const { evaluation } = await archived.iteration(at);
    if (evaluation) return evaluation;
  }
  return null;
}

const namesSettings = (given: Given): boolean => given.rest.length > 0 || given.has('preset') || given.has('set');

/** Settings that are given with --resume must be those that the run began with. */
function refuseOtherSettings(given: Given, config: Config, stored: RunRecord): void {
  const [other] = namesSettings(given) ? difference(config, stored.begun ?? stored.config) : [];
  if (other)
    throw new ConfigError(
      `--resume: the run in the folder began with another ${other.field.path}; leave the settings out to go on with it, or name another --out.`,
    );
}

interface Beginnings {
  folder: string;
  backend: string;
  pairs: Pairs;
  reporter: Reporter;
  experiment: string | undefined;
}

async function begin({ history, world, models }: Asked, { folder, backend, pairs, reporter, experiment }: Beginnings) {
  const begun = await beginning(
    { ...history, imports: [...pairs.imports, ...history.imports] },
    {
      // The clock names and sorts runs; no result depends on it.
      ...{ backend, createdMs: Date.now(), files: pairs, gate: null, unique: (name) => Promise.resolve(name) },
      emit: (event) => hear(event, { reporter, outcome: null, iterations: 0 }),
      start: (config, runId, imported) =>
        startingCheckpoint({
          ...{ config, runId, backend, loadShipped, loadModel: (name) => models.get(name) },
          ...(imported && { pairs: imported }),
          onProgress: ({ share, loss }) => hear({ kind: 'progress', label: 'Warm start', share, loss }, { reporter, outcome: null, iterations: 0 }), // prettier-ignore
        }),
    },
  );
  const run: RunRecord = {
    ...begun.run,
    ...(experiment !== undefined && { experiment: { id: experiment, kind: 'seeds' as const } }),
  };
  const store = new RunFolder(folder);
  if (world) await store.saveWorld(world);
  if (run.iteration > 0) {
    // A fork: the session stores only what begins at the warm start.
    await store.saveCheckpoint(begun.checkpoint, null);
    await store.saveRun(run);
    if (begun.evaluation) await store.saveEvaluation(run.id, begun.evaluation);
  }
  return { run, checkpoint: begun.checkpoint, store, note: begun.note };
}

/** Throws StorageError where no checkpoint of the run is whole. */
async function goOn(
  folder: string,
  archived: ArchivedRun,
  { backend, pairs }: Pick<Beginnings, 'backend' | 'pairs'>,
): Promise<Ready> {
  const stored = await archived.run();
  const { checkpoint, damaged } = await archived.wayOn();
  const { iteration, config } = checkpoint;
  const { resumed = 0, plan: _, imports: __, ...kept } = stored;
  const taken = { iteration, config, backend, isDone: false, resumed: resumed + 1 };
  const run: RunRecord = { ...kept, ...goneOn(stored, checkpoint, pairs), ...taken };
  const store = await RunFolder.goOn(folder, iteration);
  await store.saveRun(run);
  return { run, checkpoint, store, note: damaged ? passedOver(iteration, damaged) : '' };
}

const passedOver = (iteration: number, { message }: StorageError) =>
  `A newer checkpoint cannot be gone on from, and the run repeats what came after iteration ${iteration}: ${message}`;

interface Outcome {
  /** The newest. */
  evaluation: Evaluation | null;
  failed: { name: ErrorName | 'Error'; message: string } | null;
}

/** Says what a session tells. */
function hear(
  event: TrainerEvent,
  { reporter, outcome, iterations }: { reporter: Reporter; outcome: Outcome | null; iterations: number },
): void {
  if (event.kind === 'progress') {
    const { label, share, loss } = event;
    reporter.tell({ event: 'progress', label, share, loss });
    reporter.progress(label, share);
  }
  if (event.kind === 'note') reporter.tell({ event: 'note', text: event.text });
  if (event.kind === 'checkpoint') reporter.tell({ event: 'checkpoint', iteration: event.iteration });
  if (!outcome) return;
  if (event.kind === 'failed') outcome.failed = event;
  if (event.kind === 'evaluation') {
    outcome.evaluation = event.evaluation;
    const { right: _, ...evaluation } = event.evaluation;
    reporter.tell({ event: 'evaluation', ...evaluation });
  }
  if (event.kind === 'iteration') {
    const { iteration, values } = event.metrics;
    reporter.tell({ event: 'iteration', iteration, values });
    const right = outcome.evaluation ? `, ${outcome.evaluation.accuracy.toFixed(3)} right` : '';
    const speed = Math.round(values['charts/SPS'] ?? 0);
    const left = Math.ceil(event.msLeft / 1000);
    reporter.progress(
      `${iteration} of ${iterations}${right}, ${speed} tokens/s, ${left} s left`,
      iterations > 0 ? iteration / iterations : 1,
    );
  }
}
