// Trains a run. This class runs the iterations one after another, stores and reports them, and returns to the last
// checkpoint if the device fails. The session decides when checkpoints are stored and when the run pauses.
import { median } from '../../base/stats.ts';
import type { Checkpoint, CheckpointStore, RunRecord } from '../../records/stored/checkpoint.ts';
import type { TrainerEvent } from '../../records/events.ts';
import type { PreferenceText } from '../../records/stored/preference.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { Config } from '../../config/schema.ts';
import { CheckpointKeeper } from './checkpointKeeper.ts';
import { raisedLevel, takeTeam, teamAfter } from './curriculum.ts';
import { Examiner } from './examiner.ts';
import type { World } from '../../tasks/world.ts';
import { type Gate, yieldToMessages } from '../team/gate.ts';
import { takePairs } from '../imitation/importedPairs.ts';
import type { Inspectable } from '../inspect/inspect.ts';
import { runIteration } from './iteration.ts';
import { referenceOf } from '../team/reference.ts';
import { captureCheckpoint, disposeTrainState, restoreTrainState, type TrainState } from './trainState.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { changedLive, told, withDue } from './liveSettings.ts';
import { isDeviceFault, nextEngine, rewound, type Revive } from './revival.ts';
import { slowerPathsTeller } from './slowerPaths.ts';
import type { Team } from '../team/team.ts';

export interface ProgressParts {
  run: RunRecord;
  checkpoint: Checkpoint;
  /**
   * Returns the world in which the run is trained with these settings. If absent, the world in the settings is used.
   */
  worldOf?: (config: Config) => World;
  store: CheckpointStore;
  emit: (event: TrainerEvent) => void;
  /**
   * Returns the time in milliseconds since an arbitrary point in time. This time is used only to decide when
   * checkpoints are stored, and to estimate the remaining time.
   */
  now: () => number;
  /** Starts another engine after the device has been lost. If absent, the run ends in this case. */
  revive?: Revive;
  /**
   * Returns the pairs of the imported file with a digest, for a run that is replayed; undefined if the file is not
   * available.
   */
  pairsOf?: (digest: string) => readonly PreferenceText[] | undefined;
}

/** Minimum time between two progress reports of an unfinished turn. */
const wordGapMs = 100;

export class Progress {
  run: RunRecord;
  sampledTokens: number;
  /** Whether a checkpoint should be stored as soon as an iteration has ended. */
  isSaveDue = false;
  /**
   * Whether the weights have been freed. The weights are freed when a device is lost, until another device replaces it,
   * and at the end of the run.
   */
  isFreed = false;
  readonly trainState: TrainState;
  readonly examiner: Examiner;
  readonly ledger: Ledger;
  readonly #parts: ProgressParts;
  readonly #gate: Gate;
  readonly #keeper: CheckpointKeeper;
  readonly #tellSlowerPaths: (trainState: TrainState) => void;
  /** The run's initial state, which is kept until a checkpoint is stored. */
  #start: Checkpoint | null;
  /** The iteration from which the run continued after the last loss of a device. */
  #revivedAt: number | null = null;
  /** Operations that are currently reading the weights. */
  readonly #reads = new Set<Promise<unknown>>();
  #durations: number[] = [];
  /** The recorded changes of the run that have taken effect. */
  #acting: RunRecord['changes'];
  #isWithin = false;
  /**
   * The newest iteration, and the number of optimiser steps that each network had taken by the end of this iteration.
   */
  #newest: { inspectable: Inspectable; updates: number[] } | null = null;

  constructor(parts: ProgressParts, gate: Gate) {
    const { run, checkpoint, emit, now, revive } = parts;
    this.#parts = parts;
    this.#gate = gate;
    this.run = run;
    this.#acting = run.changes;
    this.sampledTokens = checkpoint.sampledTokens;
    this.#start = revive ? checkpoint : null;
    this.#keeper = new CheckpointKeeper(parts);
    this.#tellSlowerPaths = slowerPathsTeller((note) => emit({ kind: 'engineNote', note }));
    this.ledger = openLedger(now, gate, () => this.trainState.team);
    this.trainState = {
      ...restoreTrainState(checkpoint, gate, parts.worldOf?.(checkpoint.config)),
      ledger: this.ledger,
    };
    this.examiner = new Examiner({ trainState: this.trainState, emit, iteration: () => this.run.iteration });
  }

  /** Stores the initial state of the run. */
  async open(): Promise<void> {
    await this.#parts.store.saveRun(this.run);
    await this.save();
  }

  /** Evaluates the team before the first iteration, so that the page can show the first dialogues. */
  async #measureStart(): Promise<void> {
    this.ledger.rest(); // this time belongs to no iteration
    await this.#parts.store.saveEvaluation(this.run.id, await this.examiner.scheduled());
  }

  /** The newest iteration, as long as networks and references have not changed since its update; otherwise null. */
  get inspectable(): Inspectable | null {
    const { inspectable, updates } = this.#newest ?? {};
    if (!inspectable || inspectable.networks !== this.trainState.networks) return null;
    const { networks, references } = inspectable;
    const isSame = networks.every(
      (network, n) => network.updates === updates?.[n] && referenceOf(this.trainState, n) === references[n],
    );
    return isSame ? inspectable : null;
  }

  /**
   * The iteration after which a change takes effect if the change is made now. The change does not affect the current
   * iteration.
   */
  get actsAfter(): number {
    return this.run.iteration + (this.#isWithin ? 1 : 0);
  }

  /**
   * The team of the run after some settings have been changed. Throws ConfigError if the settings require other
   * networks.
   */
  teamAfter(config: Config): Team {
    return teamAfter(this.trainState.team, config, this.#parts.worldOf?.(config));
  }

  /**
   * Applies the recorded changes, and the changes that are planned for this iteration. May be called only between
   * iterations.
   */
  catchUp(): void {
    const imported = this.run.imports?.length ?? 0;
    const run = withDue(this.run, this.run.iteration);
    const isMade = run !== this.run;
    this.run = run;
    for (const { digest } of run.imports?.slice(imported) ?? []) {
      const pairs = this.#parts.pairsOf?.(digest);
      if (pairs) takePairs(this.trainState, pairs);
    }
    const fresh = run.changes.filter((change) => !this.#acting.includes(change));
    this.#acting = run.changes;
    if (fresh.length > 0) takeTeam(this.trainState, this.teamAfter(run.config));
    if (fresh.some(({ path }) => path === 'kl.coef')) this.trainState.klCoef = run.config.kl.coef;
    if (isMade) this.#parts.emit(told(run));
  }

  /** Undoes a change that could not be stored: restores the record of the run, its team and its KL coefficient. */
  takeBack(run: RunRecord, { team, klCoef }: Pick<TrainState, 'team' | 'klCoef'>): void {
    this.run = run;
    this.#acting = run.changes;
    takeTeam(this.trainState, team);
    this.trainState.klCoef = klCoef;
  }

  /**
   * Runs, reports and stores one iteration. If the gate was broken with an error, the error is thrown before any part
   * of the iteration is reported or stored.
   */
  async once(): Promise<void> {
    const { store, emit, now } = this.#parts;
    this.catchUp();
    const started = now();
    const { iteration } = this.run;
    const tell = (trajectory: Trajectory) =>
      emit({ kind: 'turn', iteration: iteration + 1, trajectory: structuredClone(trajectory) });
    let measuredMs = 0;
    const onceCollected = async () => {
      const from = now();
      await this.#measureStart();
      measuredMs = now() - from;
    };
    let toldMs = started;
    const onWord = (soFar: () => Trajectory) => {
      if (now() - toldMs < wordGapMs) return;
      toldMs = now();
      tell(soFar());
      return yieldToMessages();
    };
    this.#isWithin = true;
    const { metrics, trajectories, shown, inspectable, sampledTokens } = await runIteration(
      this.trainState,
      iteration,
      async (soFar: readonly Trajectory[]) => {
        const [first] = soFar;
        if (first) tell(first);
        await this.#gate.pass();
      },
      { onWord, onceCollected },
    ).finally(() => (this.#isWithin = false));
    this.#gate.throwFault();
    this.#newest = { inspectable, updates: inspectable.networks.map(({ updates }) => updates) };
    this.ledger.enter('idle');
    this.ledger.count({ sampled: sampledTokens });
    this.sampledTokens += sampledTokens;
    this.run = { ...this.run, iteration: iteration + 1 };
    this.#durations = [...this.#durations.slice(-9), now() - started - measuredMs];
    const { every } = this.trainState.team.config.evaluation;
    // Changes that take effect now are included, because they may make this iteration the last one.
    const left = Math.max(0, withDue(this.run, this.run.iteration).config.run.iterations - this.run.iteration);
    const msLeft = left * median(this.#durations);
    emit({ kind: 'iteration', metrics, shown, iterationsLeft: left, msLeft });
    const isDue = this.run.iteration % every === 0 || left === 0;
    const evaluation = isDue ? await this.ledger.during('evaluation', () => this.examiner.scheduled()) : null;
    const profile = this.ledger.close();
    emit({ kind: 'profile', iteration: metrics.iteration, profile });
    this.#tellSlowerPaths(this.trainState);
    const stored = { metrics: { ...metrics, profile }, evaluation, trajectories, shown };
    await this.ledger.during('storage', () => store.saveIteration(this.run.id, stored));
    await this.#raiseLevel(trajectories);
    this.catchUp();
    if (this.isSaveDue || this.#keeper.isWanted(this.run)) await this.save();
  }

  /**
   * Raises the level once the team has learned the current level. In a replayed run, the planned changes determine when
   * the level is raised.
   */
  async #raiseLevel(trajectories: readonly Trajectory[]): Promise<void> {
    const { iteration, plan } = this.run;
    const level = raisedLevel(this.trainState.team, trajectories);
    if (level === null || plan?.changes.length) return;
    const raised = () => changedLive(this.run, { iteration, path: 'world.level', value: level }).run;
    this.teamAfter(raised().config);
    await this.#parts.store.saveRun(raised());
    this.run = raised();
    this.isSaveDue = true;
    this.#parts.emit(told(this.run));
  }

  /**
   * The complete state from which a run can continue. May be called only between iterations. If the gate was broken
   * with an error, the error is thrown.
   */
  checkpoint(): Promise<Checkpoint> {
    return this.read(() => captureCheckpoint(this.trainState, this.run, this.sampledTokens));
  }

  /**
   * Calls `read`, which reads the weights. The weights are not freed before `read` has finished. If the gate was broken
   * with an error, the error is thrown.
   */
  async read<T>(read: () => Promise<T>): Promise<T> {
    this.#gate.throwFault();
    const reading = read();
    this.#reads.add(reading);
    try {
      const found = await reading;
      this.#gate.throwFault(); // the device failed during the read, so the result may be wrong
      return found;
    } finally {
      this.#reads.delete(reading);
    }
  }

  /** Resolves when all measurements have finished and nothing reads the weights any more. */
  async settled(): Promise<void> {
    await this.examiner.settled();
    await Promise.allSettled(this.#reads);
  }

  async save(): Promise<void> {
    this.catchUp();
    const wasDue = this.isSaveDue;
    this.isSaveDue = false; // set before the save, because changes made during the save belong to the next checkpoint
    try {
      await this.ledger.during('storage', async () => this.#keeper.save(await this.checkpoint(), this.run));
    } catch (error) {
      this.isSaveDue ||= wasDue;
      throw error;
    }
    this.#start = null;
  }

  /**
   * Resumes from the last checkpoint on another device, or on the CPU if the device failed soon after its start.
   * Rethrows the error if it is not a fault of the device, or if it occurs again on the CPU. In these cases the run
   * cannot continue.
   */
  async goBack(fault: Error): Promise<void> {
    const { revive, emit, worldOf } = this.#parts;
    const next = nextEngine(this.run, this.#revivedAt);
    if (!revive || this.isFreed || !isDeviceFault(fault) || next === 'none') throw fault;
    this.#gate.break(fault); // measurements and reads in progress fail with this error
    await this.settled();
    this.isFreed = true;
    disposeTrainState(this.trainState);
    this.#gate.mend();
    const { checkpoint: stored, engine } = await revive(this.run, next === 'cpu');
    const checkpoint = stored ?? this.#start;
    if (!checkpoint) throw fault;
    const back = rewound({ ...this.run, backend: engine.backend }, checkpoint, this.trainState.pairs);
    const world = worldOf?.(back.checkpoint.config);
    Object.assign(this.trainState, restoreTrainState(back.checkpoint, this.#gate, world));
    this.isFreed = false;
    this.run = back.run;
    this.#acting = this.run.changes;
    this.sampledTokens = checkpoint.sampledTokens;
    this.#revivedAt = checkpoint.iteration;
    this.isSaveDue ||= back.isChanged;
    this.ledger.drop();
    emit({ kind: 'revived', run: this.run, engine });
  }

  /** Frees all tensors. */
  dispose(): void {
    if (this.isFreed) return;
    this.isFreed = true;
    disposeTrainState(this.trainState);
  }
}
