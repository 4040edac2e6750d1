// Runs the arms of an experiment one after the other. Each arm is stored as a separate run. Problems and random draws
// depend only on the seed, the stream, the iteration and an index. Arms that continue from the same checkpoint
// therefore have the same draws.
import type {
  ClaimRequest,
  ExperimentApi,
  ExperimentProgress,
  ExperimentRequest,
  SameLuckRequest,
  SeedsRequest,
} from '../src/api/experimentConnection.ts';
import type { StoredSeat } from '../src/api/trainerApi.ts';
import { whileHeld } from '../src/api/writerLock.ts';
import { ConfigError } from '../src/base/errors.ts';
import { spoken } from '../src/base/spoken.ts';
import type { Changed } from '../src/config/fork.ts';
import { forkName } from '../src/config/runName.ts';
import { withSetting } from '../src/config/parse.ts';
import type { Config } from '../src/config/schema.ts';
import type { SeatLookKind, SeatLooks } from '../src/records/looks.ts';
import { type Checkpoint, type RunRecord, weightsDigest } from '../src/records/stored/checkpoint.ts';
import { measures } from '../src/records/claims/measures.ts';
import { IndexedDbStore } from '../src/storage/checkpointStore.ts';
import { loadCheckpoint, loadNamedCheckpoints, loadRun, uniqueStoredName } from '../src/storage/reading.ts';
import { forgetResults, keepResults } from '../src/storage/resultStore.ts';
import { WarmStarts } from '../src/storage/warmStarts.ts';
import { seatAnswers } from '../src/training/review/analyses.ts';
import { forkCheckpoint, forkedRun } from '../src/training/run/fork.ts';
import { beginning, idOf } from '../src/training/history/replay.ts';
import { untilSpent } from '../src/training/history/untilSpent.ts';
import { Session } from '../src/training/run/session.ts';
import { startingCheckpoint } from '../src/training/run/start.ts';
import { loadShipped, readyWorld } from './assets.ts';
import { EngineKeeper } from './engineKeeper.ts';
import { HeldModels } from './model/heldModels.ts';
import { ImportedFiles } from './importedFiles.ts';

type Tell = (progress: ExperimentProgress) => void;

/** One run of an experiment, before it is trained. */
interface ArmRun {
  run: RunRecord;
  checkpoint: Checkpoint;
}

/** The index of a run among the runs of the experiment, and the number of these runs. */
interface Place {
  at: number;
  of: number;
}

/**
 * Runs the experiment and returns its id. Throws ConfigError if a setting is impossible, and StorageError if a record
 * cannot be read or written.
 */
export async function runExperiment(request: ExperimentRequest, tell: Tell): Promise<string> {
  // The time is used only for the names of runs and for their order in lists. No result depends on the time.
  const createdMs = Date.now();
  const id = idOf(request.kind, createdMs);
  const lab = new Laboratory(id, createdMs, tell);
  if (request.kind === 'sameLuck') await lab.sameLuck(request);
  else if (request.kind === 'seeds') await lab.seeds(request);
  else await lab.claim(request);
  return id;
}

/**
 * Answers the question of an analysis about stored checkpoints, part by part. Throws ConfigError if the question cannot
 * be answered, and StorageError if a checkpoint cannot be read.
 */
export async function runAnalysis<K extends SeatLookKind>(
  kind: K,
  seats: readonly StoredSeat[],
  tell: (part: SeatLooks[K]) => void | Promise<void>,
): Promise<void> {
  const found = seatAnswers[kind];
  if (!found) throw new ConfigError(spoken`${kind}: there is no such request.`);
  const all = await loadNamedCheckpoints(seats);
  const engines = new EngineKeeper((error) => {
    throw error;
  });
  const models = new HeldModels();
  for (const { checkpoint, name } of all) {
    await readyWorld(checkpoint.config);
    await models.expectBase(name, checkpoint);
  }
  await engines.start(all[0]?.checkpoint.config.run.backend ?? 'auto');
  await found.answer(all, tell);
}

class Laboratory {
  readonly #store = new IndexedDbStore();
  readonly #models = new HeldModels();
  readonly #engines = new EngineKeeper((error) => this.#session?.fail(error));
  readonly #id: string;
  readonly #createdMs: number;
  readonly #tell: Tell;
  #session: Session | null = null;
  #stored = 0;

  constructor(id: string, createdMs: number, tell: Tell) {
    this.#id = id;
    this.#createdMs = createdMs;
    this.#tell = tell;
  }

  /**
   * Trains two arms from the same checkpoint: first the arm without the changed setting, and then the arm with this
   * setting.
   */
  async sameLuck({ run: id, iteration, settings, shared = [], iterations }: SameLuckRequest): Promise<void> {
    const [parent, from] = [await loadRun(id), await loadCheckpoint(id, iteration)];
    await readyWorld(from.config);
    await this.#models.expectBase(parent.name, from);
    const end: Changed = { path: 'run.iterations', value: iteration + iterations };
    // The checkpoints of both arms are made first, so that an invalid arm is refused before an arm is trained.
    const arms = [
      [...shared, end],
      [...shared, ...settings.filter(({ path }) => path !== end.path), end],
    ].map((set) => ({
      set,
      checkpoint: forkCheckpoint(from, { mode: 'settings', settings: set, runId: id }),
    }));
    await this.#engine(from.config);
    for (const [at, { set, checkpoint }] of arms.entries()) {
      const way = { mode: 'settings', settings: set } as const;
      const name = await uniqueStoredName(forkName(parent.name, way));
      const own = { ...checkpoint, runId: idOf(name, this.#createdMs) };
      const run = forkedRun(parent, own, {
        ...{ name, createdMs: this.#createdMs, experiment: { id: this.#id, kind: 'sameLuck' } as const },
        ...{ ...way, digest: weightsDigest(from) },
      });
      await this.#train({ run, checkpoint: own }, { at, of: arms.length });
    }
  }

  async seeds({ preset, config, seeds }: SeedsRequest): Promise<void> {
    await this.#engine(config);
    for (const [at, seed] of seeds.entries()) {
      const begun = await this.#begin(withSetting(config, 'run.seed', seed), { at, of: seeds.length }, preset);
      const run: RunRecord = { ...begun.run, experiment: { id: this.#id, kind: 'seeds' } };
      await this.#train({ ...begun, run }, { at, of: seeds.length });
    }
  }

  /**
   * Runs both arms of a claim with one seed. Only the result is stored. The early end of a collapsed run also counts as
   * a result.
   */
  async claim({ claim, digest, arms, tokens, measuredBy }: ClaimRequest): Promise<void> {
    const values: number[] = [];
    let backend = '';
    for (const [at, config] of arms.entries()) {
      ({ backend } = await this.#engine(config));
      const outcome = await untilSpent({
        ...(await this.#begin(config, { at, of: arms.length })),
        tokens,
        onSession: (session) => (this.#session = session),
        say: (share) =>
          this.#say(spoken`Arm ${at + 1} of ${arms.length}, seed ${config.run.seed}`, (at + share) / arms.length),
      });
      values.push(measures[measuredBy].of(outcome));
    }
    const [first, second] = values as [number, number];
    const seed = arms[0].run.seed;
    if (!Number.isFinite(first - second))
      throw new ConfigError(
        spoken`${claim}: the run of one arm with seed ${seed} ended before its first measurement; try another seed.`,
      );
    await keepResults([{ claim, digest, seed, values: [first, second], backend }]);
  }

  /** Creates a run that has not been trained yet. */
  async #begin(config: Config, { at, of }: Place, preset = 'default'): Promise<ArmRun> {
    const { backend } = await this.#engines.start(config.run.backend);
    return beginning(
      { preset, config, changes: [], imports: [] },
      {
        ...{ backend, createdMs: this.#createdMs, files: new ImportedFiles(), gate: null, unique: uniqueStoredName },
        emit: () => undefined,
        start: (asked, runId) =>
          startingCheckpoint({
            ...{ config: asked, runId, backend, loadShipped, warmStarts: new WarmStarts() },
            loadModel: (name) => this.#models.get(name),
            onProgress: ({ share }) => this.#say(spoken`Warm start of seed ${asked.run.seed}`, (at + share) / of),
          }),
      },
    );
  }

  async #engine(config: Config) {
    await readyWorld(config);
    await this.#models.ready(config);
    return this.#engines.start(config.run.backend);
  }

  /** Trains one run to its last iteration. If an error ends the run early, this error is thrown. */
  #train({ run, checkpoint }: ArmRun, { at, of }: Place): Promise<void> {
    const first = checkpoint.iteration;
    const last = run.config.run.iterations;
    return whileHeld(run.id, async () => {
      await this.#store.saveRun(run);
      await this.#store.saveCheckpoint(checkpoint);
      let failure: Error | null = null;
      const session = new Session({
        ...{ run, checkpoint, store: this.#store, now: () => performance.now() },
        emit: (event) => {
          if (event.kind === 'failed') failure = new ConfigError(`${run.name}: ${event.message}`);
          if (event.kind === 'evaluation') this.#stored++;
          if (event.kind !== 'iteration' && event.kind !== 'evaluation') return;
          const { iteration } = event.kind === 'iteration' ? event.metrics : event.evaluation;
          const share = last > first ? (iteration - first) / (last - first) : 1;
          this.#say(spoken`${run.name}: iteration ${iteration} of ${last}`, (at + share) / of);
        },
      });
      this.#session = session;
      try {
        // A run that begins at iteration 0 evaluates its team before the first iteration. For all other runs, the team
        // is evaluated here.
        if (first > 0) await session.evaluate();
        await session.train();
        if (failure) throw failure as Error;
      } finally {
        this.#session = null;
        await session.dispose();
      }
    });
  }

  #say(words: string, share: number): void {
    this.#tell({ words, share, stored: this.#stored });
  }
}

export const experiments: ExperimentApi = { run: runExperiment, analyse: runAnalysis, keepResults, forgetResults };
