// `cothink train`: trains one run in a folder, from its start or from its newest checkpoint. The numbers equal those of
// the page on the same backend, because both use the same session.
import path from 'node:path';
import { ConfigError, FormatError, type ErrorName, type StorageError } from '../../src/base/errors.ts';
import { withSettings } from '../../src/config/parse.ts';
import { fileNameOf, runName } from '../../src/config/runName.ts';
import type { Config } from '../../src/config/schema.ts';
import { imitatesChats } from '../../src/config/warmStarts.ts';
import { historyOf, type Checkpoint, type RunRecord } from '../../src/records/stored/checkpoint.ts';
import type { TrainerEvent } from '../../src/records/events.ts';
import type { Evaluation } from '../../src/records/metrics.ts';
import type { ArchivedRun } from '../../src/storage/archive/archivedRun.ts';
import { beginning, resumedHistory } from '../../src/training/history/replay.ts';
import { refuseWithoutRoom } from '../../src/training/rows/memory.ts';
import { Gate } from '../../src/training/team/gate.ts';
import { Session } from '../../src/training/run/session.ts';
import { startingCheckpoint } from '../../src/training/run/start.ts';
import { askedFor, type TrainingRequest } from './asked.ts';
import { changesTo, namesBeginning } from './changes.ts';
import { stopsAfter } from '../../src/records/convergence.ts';
import { collapseOf, evaluationsOf, fallWords, wayBackIn, wayBackWords } from './collapse.ts';
import type { CommandArguments } from '../command.ts';
import { loadShipped, readyWorld, startEngine } from '../engine.ts';
import { exitCodeOf, interrupted, lineOf } from '../exit.ts';
import { dryRun } from './dryRun.ts';
import { liveElsewhere, type LivingElsewhere } from './elsewhere.ts';
import { lockFolder } from './folderLock.ts';
import { FolderWarmStart } from './keptWarmStart.ts';
import { openImports, type GivenImports } from './imports.ts';
import { openReporter, type Reporter } from '../report.ts';
import { writeError } from '../terminal.ts';
import { holdsRun, openRun, packFolder, RunFolder } from '../runFolder.ts';
import { noteModel, readyModel } from '../stored/modelNote.ts';
import { trainSeeds } from './seeds.ts';

/** Returns the exit code. */
export async function train(given: CommandArguments): Promise<number> {
  if (given.has('dry-run')) return dryRun(given);
  const seeds = given.whole('seeds', 1);
  return seeds === undefined ? trainOne(given) : trainSeeds(given, seeds);
}

/** A run that is ready for training. */
interface Ready {
  run: RunRecord;
  checkpoint: Checkpoint;
  store: RunFolder;
  note: string;
  /** The run's earlier evaluations. */
  evaluations: readonly Evaluation[];
  /** The run's stored warm start, which is deleted once a checkpoint exists. */
  warmStart: FolderWarmStart | null;
}

async function trainOne(given: CommandArguments): Promise<number> {
  const reporter = openReporter(given.has('json') || undefined);
  const at = given.whole('at');
  if (at !== undefined && !given.has('resume'))
    throw new ConfigError('--at: this option can be used only together with --resume.');
  const place = given.text('out');
  // If the folder contains a run and the command contains no initial settings, the settings of the run are used.
  const isThere = given.has('resume') && place !== undefined && (await holdsRun(place));
  const asked = isThere && !namesBeginning(given) ? null : await askedFor(given);
  const folder = place ?? path.join('runs', runName((asked as TrainingRequest).history.config));
  const lock = await lockFolder(folder, reporter.say);
  try {
    return await trainIn(folder, { given, asked, reporter });
  } finally {
    await lock.release();
  }
}

/** Trains the requested run in a folder that is locked against other processes. */
interface Task {
  given: CommandArguments;
  /** Null if the run in the folder continues with its own settings. */
  asked: TrainingRequest | null;
  reporter: Reporter;
}

async function trainIn(folder: string, { given, asked, reporter }: Task): Promise<number> {
  const imports = await openImports({ pairs: given.all('pairs'), chats: given.text('chats') });
  const there = (await holdsRun(folder)) ? await openRun(folder) : null;
  if (there && !given.has('resume'))
    throw new ConfigError(
      `--out: ${folder} already contains a run; add --resume to continue it, or choose another folder.`,
    );
  const run = (await there?.run()) ?? null;
  const changes = run ? await changesTo(run, given, asked?.history.config ?? null) : [];
  // A run that ended before it stored a checkpoint or an iteration is started again with the same id.
  const stored = there && there.checkpoints.length + there.iterations.length > 0 ? there : null;
  const history = run ? historyOf(run) : (asked as TrainingRequest).history;
  const experiment = given.text('experiment') ?? run?.experiment?.id;
  const world = there ? await there.world() : (asked?.world ?? null);
  let session: Session | null = null;
  let isLeft = false;
  const gate = new Gate();
  const stop = interrupted(() => {
    isLeft = true;
    // If the program is interrupted while it computes the start of a fork, nothing is stored, and the start is computed
    // again the next time.
    gate.break(new ConfigError('The run was stopped before it began.'));
    void session?.leave();
  });
  const config = stored && run ? run.config : history.config;
  if (given.has('chats') && !imitatesChats(config)) throw unusedChats(config);
  await readyWorld(config, world);
  const env = given.text('env');
  const elsewhere = env === undefined ? null : await liveElsewhere(config, env, given.text('token'));
  const threads = given.whole('threads', 1);
  const engine = await startEngine(config.run.backend, {
    onFault: (error) => session?.fail(error),
    ...(threads !== undefined && { threads }),
  });
  const { backend } = engine;
  let ready: Ready;
  try {
    ready = stored
      ? await goOn(folder, stored, { backend, imports, at: given.whole('at'), given })
      : await begin(
          { history, world, models: asked?.models ?? new Map(), places: asked?.places ?? new Map() },
          {
            ...{ folder, backend, imports, reporter, experiment, gate },
            createdMs: run?.createdMs,
            elsewhere,
            isLeft: () => isLeft,
          },
        );
  } catch (error) {
    if (stop.code === 0 || !(error instanceof ConfigError)) throw error;
    return tellLeft(folder, { reporter, code: stop.code });
  }
  const { checkpoint, store, note, warmStart } = ready;
  const { name, id, preset } = ready.run;
  const { seed } = ready.run.config.run;
  const outcome: Outcome = { evaluations: ready.evaluations, failed: null };
  const lookForFall = () => {
    if (!session || outcome.evaluations.length === 0) return;
    const { run: trained } = session;
    const { evaluations } = outcome;
    if (collapseOf(trained, evaluations) || stopsAfter({ run: trained, evaluations }) !== null) void session.leave();
  };
  session = new Session({
    ...{ run: ready.run, checkpoint, store, now: () => performance.now(), pairsOf: imports.pairsOf },
    ...(elsewhere && { worldOf: elsewhere.worldOf }),
    emit: (event) => {
      hear(event, { reporter, outcome, iterations: session?.config.run.iterations ?? 0 });
      if (event.kind === 'checkpoint') void warmStart?.forget();
      if (event.kind === 'evaluation') lookForFall();
    },
  });
  const { iterations } = withSettings(session.config, Object.fromEntries(changes)).run;
  reporter.tell({
    event: 'run',
    name,
    id,
    preset,
    seed,
    iterations,
    iteration: ready.run.iteration,
    backend,
    adapter: engine.adapter,
    folder,
  });
  reporter.say(`${name}, seed ${seed}, on ${backend} (${engine.adapter}), in ${folder}`);
  if (note) reporter.say(note);
  if (note) reporter.tell({ event: 'note', text: note });
  for (const [path, value] of changes) await session.change(path, value);
  // A large external model may need more memory than this machine has, so this is checked first.
  if (session.trainState.team.foreign) refuseWithoutRoom(session.trainState);
  // If a collapsed run continued unchanged, its accuracy would only fall further, so the user must change a setting. A run
  // that has converged continues only if it no longer stops for that.
  const hasConverged = () => session !== null && stopsAfter({ run: session.run, ...outcome }) !== null;
  const isOver = changes.length === 0 && (collapseOf(session.run, outcome.evaluations) !== null || hasConverged());
  if (!isOver) {
    const training = session.train();
    if (isLeft) void session.leave();
    await training;
  }
  stop.forget();
  await session.dispose();
  elsewhere?.close();
  const archived = await openRun(folder);
  const fall = collapseOf(session.run, outcome.evaluations);
  if (outcome.failed) {
    const { name: error, message } = outcome.failed;
    reporter.tell({ event: 'failed', name: error, message });
    const way = error === 'NumericsError' ? wayBackIn(archived, session.run, outcome.evaluations) : null;
    writeError(way ? `${lineOf(outcome.failed).trimEnd()} ${wayBackWords(way, folder)}\n` : lineOf(outcome.failed));
    return exitCodeOf(error);
  }
  const archive = path.join(folder, `${fileNameOf(name)}.zip`);
  const tooLarge = await packFolder(folder, archive).then(() => null, asTooLarge);
  const { iteration } = session.run;
  const accuracy = outcome.evaluations.at(-1)?.accuracy ?? null;
  const isWhole = iteration >= session.config.run.iterations;
  const isStopped = stop.code === 0;
  const converged = isStopped && hasConverged();
  const event = fall && isStopped ? 'collapsed' : isWhole ? 'done' : converged ? 'converged' : 'interrupted';
  const way = fall && wayBackIn(archived, session.run, outcome.evaluations);
  const fallen = fall && { ...fall, checkpoint: way?.iteration ?? null };
  reporter.tell({
    event,
    iteration,
    accuracy,
    ...(event === 'collapsed' && fallen),
    folder,
    archive: tooLarge ? null : archive,
  });
  if (event === 'collapsed' && fall) {
    writeError(
      `cothink: ${fallWords(fall)}, so ${name} was stopped after iteration ${iteration}. ${wayBackWords(way, folder)}\n`,
    );
    return 1;
  }
  const right = accuracy === null ? '' : `, ${accuracy.toFixed(3)} right`;
  reporter.say(
    event === 'done'
      ? `Done after ${iteration} iterations${right}: ${tooLarge ? folder : archive}`
      : event === 'converged'
        ? `Converged after ${iteration} iterations${right}: ${tooLarge ? folder : archive}; cothink train --resume --set run.untilConverged=false --out ${folder} continues it.`
        : `Stopped after iteration ${iteration}${right}; cothink train --resume --out ${folder} continues it.`,
  );
  if (tooLarge) throw tooLarge;
  return event === 'done' || event === 'converged' ? 0 : stop.code;
}

/** The error for chats that the settings do not use. */
const unusedChats = ({ agents, warmStart }: Config): ConfigError => {
  const needed = [
    ...(agents.parameters === 'lora' && agents.start !== 'warmStart'
      ? []
      : ['--set agents.start=MODEL with agents.parameters=lora']),
    ...(warmStart.modelSteps > 0 ? [] : ['--set warmStart.modelSteps=40']),
    ...(warmStart.modelImitates === 'chats' ? [] : ['--set warmStart.modelImitates=chats']),
  ];
  return new ConfigError(`--chats: with these settings, no chats are imitated; add ${needed.join(', ')}.`);
};

/** Reports a run that was interrupted before it had a checkpoint. */
async function tellLeft(folder: string, { reporter, code }: { reporter: Reporter; code: number }): Promise<number> {
  reporter.tell({ event: 'interrupted', iteration: 0, accuracy: null, folder, archive: null });
  reporter.say(
    (await holdsRun(folder))
      ? `Stopped during the warm start; cothink train --resume --out ${folder} continues it.`
      : 'Stopped before anything was stored; the same command starts the run again.',
  );
  return code;
}

/**
 * The error for a run that is too large for an archive. This error is thrown only after the result of the training has
 * been reported.
 */
function asTooLarge(error: unknown): FormatError {
  if (error instanceof FormatError) return error;
  throw error;
}

interface Beginnings {
  folder: string;
  backend: string;
  imports: GivenImports;
  reporter: Reporter;
  experiment: string | undefined;
  gate: Gate;
  /** The earlier start time, if the run was started before. */
  createdMs: number | undefined;
  elsewhere: LivingElsewhere | null;
  isLeft: () => boolean;
}

async function begin(
  { history, world, models, places }: TrainingRequest,
  { folder, backend, imports, reporter, experiment, gate, createdMs = Date.now(), elsewhere, isLeft }: Beginnings,
): Promise<Ready> {
  const store = new RunFolder(folder);
  const asOne = (of: RunRecord): RunRecord => ({
    ...of,
    ...(experiment !== undefined && { experiment: { id: experiment, kind: 'seeds' as const } }),
  });
  let record: RunRecord | null = null;
  const warmStart = new FolderWarmStart(folder, async () => {
    if (!record) return;
    if (world) await store.saveWorld(world);
    await store.saveRun(asOne(record));
    record = null;
  });
  const begun = await beginning(
    { ...history, imports: [...imports.imports, ...history.imports] },
    {
      // The time only determines the name of the run and its place in lists; no result depends on the time.
      ...{ backend, createdMs, files: imports, gate, unique: (name) => Promise.resolve(name) },
      ...(elsewhere && { worldOf: elsewhere.worldOf }),
      onBegun: (begun) => (record = begun),
      emit: (event) => hear(event, { reporter, outcome: null, iterations: 0 }),
      start: (config, runId, contents) =>
        startingCheckpoint({
          ...{
            config,
            runId,
            backend,
            loadShipped,
            loadModel: (name) => models.get(name),
            warmStarts: warmStart,
            isLeft,
          },
          ...contents,
          onProgress: ({ share, loss }) =>
            hear({ kind: 'progress', label: 'Warm start', share, loss }, { reporter, outcome: null, iterations: 0 }),
        }),
    },
  );
  const run = asOne(begun.run);
  const name = run.config.agents.start;
  const place = places.get(name);
  if (place !== undefined && begun.checkpoint.foreign && !begun.checkpoint.base)
    await noteModel(folder, { name, place });
  if (world) await store.saveWorld(world);
  if (run.iteration > 0) {
    // A fork must be stored here, because the session stores the start of a run only if the run starts from a warm
    // start.
    await store.saveCheckpoint(begun.checkpoint, null);
    await store.saveRun(run);
    if (begun.evaluation) await store.saveEvaluation(run.id, begun.evaluation);
  }
  const evaluations = begun.evaluation ? [begun.evaluation] : [];
  return { run, checkpoint: begun.checkpoint, store, note: begun.note, evaluations, warmStart };
}

/** Continues a run from its newest undamaged checkpoint. Throws StorageError if all checkpoints are damaged. */
async function goOn(
  folder: string,
  archived: ArchivedRun,
  {
    backend,
    imports,
    at,
    given,
  }: Pick<Beginnings, 'backend' | 'imports'> & { at: number | undefined; given: CommandArguments },
): Promise<Ready> {
  const stored = await archived.run();
  if (at !== undefined && !archived.checkpoints.includes(at))
    throw new ConfigError(
      `--at: ${folder} has no checkpoint after iteration ${at}; choose one of ${archived.checkpoints.join(', ')}.`,
    );
  const { checkpoint, damaged } =
    at === undefined ? await archived.resumePoint() : { checkpoint: await archived.checkpoint(at), damaged: null };
  await readyModel(folder, checkpoint, given);
  const { iteration, config } = checkpoint;
  const { resumed = 0, plan: _, imports: __, ...kept } = stored;
  const taken = { iteration, config, backend, isDone: false, resumed: resumed + 1 };
  const fall = at === undefined ? null : collapseOf(stored, await evaluationsOf(archived));
  const back = { from: stored.iteration, to: iteration, why: fall ? fallWords(fall) : 'as was asked for' };
  const goneBack = at !== undefined && at < stored.iteration && { goneBack: [...(stored.goneBack ?? []), back] };
  const run: RunRecord = { ...kept, ...resumedHistory(stored, checkpoint, imports), ...taken, ...goneBack };
  const evaluations = await evaluationsOf(archived, iteration);
  const store = await RunFolder.goOn(folder, iteration);
  await store.saveRun(run);
  return { run, checkpoint, store, note: damaged ? passedOver(iteration, damaged) : '', evaluations, warmStart: null };
}

const passedOver = (iteration: number, { message }: StorageError) =>
  `A newer checkpoint cannot be used, so the run repeats the iterations after ${iteration}: ${message}`;

interface Outcome {
  /** All evaluations of the run, in order. */
  evaluations: readonly Evaluation[];
  failed: { name: ErrorName | 'Error'; message: string } | null;
}

/** Reports the events of a session and notes its results. */
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
    // If an iteration is measured again, the new measurement replaces the earlier one.
    const others = outcome.evaluations.filter((one) => one.iteration !== event.evaluation.iteration);
    outcome.evaluations = [...others, event.evaluation];
    const { right: _, ...evaluation } = event.evaluation;
    reporter.tell({ event: 'evaluation', ...evaluation });
  }
  if (event.kind === 'iteration') {
    const { iteration, values } = event.metrics;
    reporter.tell({ event: 'iteration', iteration, values });
    const newest = outcome.evaluations.at(-1);
    const right = newest ? `, ${newest.accuracy.toFixed(3)} right` : '';
    const speed = Math.round(values['charts/SPS'] ?? 0);
    const left = Math.ceil(event.msLeft / 1000);
    reporter.progress(
      `${iteration} of ${iterations}${right}, ${speed} tokens/s, ${left} s left`,
      iterations > 0 ? iteration / iterations : 1,
    );
  }
}
