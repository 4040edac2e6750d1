// A session is a run in this worker. The session controls when the run trains, pauses and stops; the training itself is
// done in progress.ts. This class does not depend on a database or on Svelte, because `emit` and a `CheckpointStore`
// are passed to it. All methods may be called at any time; iterations never overlap.
import { ConfigError, type ErrorName, remediesOf } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { SettingValue } from '../../config/field.ts';
import type { Config } from '../../config/schema.ts';
import type { Checkpoint, CheckpointStore, NamedArray, RunRecord } from '../../records/stored/checkpoint.ts';
import type { RunState, TrainerEvent } from '../../records/events.ts';
import type { FileImport } from '../../records/stored/history.ts';
import type { Beside, Evaluation } from '../../records/metrics.ts';
import type { PreferenceText } from '../../records/stored/preference.ts';
import type { Inspectable } from '../inspect/inspect.ts';
import { Gate } from '../team/gate.ts';
import { agentAdapters, agentWeights, type TrainState } from './trainState.ts';
import { refuseWithoutPairs, takePairs } from '../imitation/importedPairs.ts';
import { changedLive, importedLive, told } from './liveSettings.ts';
import type { Hear } from './examiner.ts';
import { Progress, type ProgressParts } from './progress.ts';

export class Session {
  readonly gate = new Gate();
  readonly #store: CheckpointStore;
  readonly #emit: (event: TrainerEvent) => void;
  readonly #work: Progress;
  #state: RunState = 'idle';
  /** The loop that is running, if there is one. */
  #loop: Promise<void> | null = null;
  /** The iteration after which the loop ends, unless the run ends earlier. */
  #until = 0;
  #isStopping = false;
  /** Whether the run has failed and its weights may be invalid. */
  #isUnsound = false;
  #isPaused = false;
  /** Whether the session was dropped. Later results of a dropped session are ignored. */
  #isDropped = false;

  constructor(parts: ProgressParts) {
    this.#store = parts.store;
    this.#emit = parts.emit;
    this.#work = new Progress(parts, this.gate);
  }

  get config(): Config {
    return this.#work.trainState.team.config;
  }

  get trainState(): TrainState {
    return this.#work.trainState;
  }

  get run(): RunRecord {
    return this.#work.run;
  }

  get state(): RunState {
    return this.#state;
  }

  /** Whether an iteration is in progress. A paused iteration counts as in progress. */
  get isUnderWay(): boolean {
    return this.#loop !== null;
  }

  /**
   * The newest iteration, as long as its weights are unchanged. The iteration may be read only while training is
   * paused.
   */
  get inspectable(): Inspectable | null {
    return this.#work.inspectable;
  }

  get sampledTokens(): number {
    return this.#work.sampledTokens;
  }

  /** Renames the run and informs the page, if the given record belongs to this run. */
  takeName({ id, name }: Pick<RunRecord, 'id' | 'name'>): void {
    if (this.run.id !== id) return;
    this.#work.run = { ...this.run, name };
    this.#emit({ kind: 'renamed', name });
  }

  /** Sets the state and emits it as an event, which the page shows. */
  announce(state: RunState, message = ''): void {
    this.#state = state;
    this.#emit({ kind: 'state', state, message });
  }

  /**
   * Trains until the last iteration, or for `count` iterations. An iteration in progress counts as one of them.
   * Resolves when the loop ends.
   */
  train(count = Infinity): Promise<void> {
    if (!this.#loop) this.#refuseIfUnsound('train');
    refuseWithoutPairs(this.#work.trainState);
    this.#until = this.#work.run.iteration + count;
    this.#isPaused = false;
    this.#openGate();
    if (this.#loop) {
      if (this.#state === 'paused') this.announce('training');
      return this.#loop;
    }
    this.#isStopping = false;
    if (this.#hasMore()) this.#work.run = { ...this.#work.run, isDone: false };
    this.announce('training');
    return this.#inLoop(() => this.#toTheEnd());
  }

  /**
   * Runs `work` as the current task of the session. Only one task runs at a time. If `work` throws an error, the error
   * is reported, and the run ends.
   */
  #inLoop(work: () => Promise<void>): Promise<void> {
    this.#loop = this.#untilItFails(work).finally(() => {
      this.#loop = null;
      this.#isPaused = false;
      this.#work.ledger.rest();
      this.#openGate();
      this.gate.release();
    });
    return this.#loop;
  }

  /** Pauses between minibatches or turns. Resolves once training is paused, or as soon as it is resumed. */
  async pause(): Promise<void> {
    if (!this.#loop || this.#isStopping) return;
    this.#isPaused = true;
    await this.gate.close();
    if (this.#isPaused && this.#state === 'training') this.announce('paused');
  }

  /** Ends training after the current iteration and stores the run. */
  async stop(): Promise<void> {
    const loop = this.#endLoop();
    await loop;
    this.#work.run = { ...this.#work.run, isDone: true };
    // In two cases only the record is stored: a loop that was running has already stored a checkpoint at its end, and a
    // failed run must not store a checkpoint.
    if (loop || this.#state === 'failed') await this.#store.saveRun(this.#work.run);
    else await this.#work.save();
    if (this.#state !== 'failed') this.announce('done');
  }

  #endLoop(): Promise<void> | null {
    this.#isStopping = true;
    this.#isPaused = false;
    this.#openGate();
    return this.#loop;
  }

  #openGate(): void {
    if (!this.#isPaused && !this.#work.examiner.isAsked) this.gate.open();
  }

  /**
   * Measures the accuracy on the held-out problems with the current weights, while training pauses. Between iterations,
   * the accuracy is stored with the run and reported. During an iteration, the weights may be half updated, so the
   * accuracy is only returned. `beside` selects an additional measurement, for example on all levels and on harder
   * problems, or with several answers to each problem. `hear` is called with the dialogues from which the accuracy is
   * computed.
   */
  async evaluate(beside: Beside = null, hear?: Hear): Promise<Evaluation> {
    if (!this.#loop) this.#refuseIfUnsound('evaluate');
    const isWithin = this.#loop !== null;
    try {
      const evaluation = await this.#work.examiner.byHand(isWithin, beside, hear);
      if (!isWithin) {
        this.#emit({ kind: 'evaluation', evaluation });
        await this.#store.saveEvaluation(this.#work.run.id, evaluation);
      }
      return evaluation;
    } finally {
      this.#openGate();
    }
  }

  /** Runs `work` on the device while training pauses. */
  async meanwhile<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#work.examiner.meanwhile(this.#loop !== null, work);
    } finally {
      this.#openGate();
    }
  }

  #refuseIfUnsound(verb: string): void {
    if (!this.#isUnsound && !this.#work.isFreed) return;
    throw new ConfigError(
      spoken`${verb}: the run has failed and its weights are unusable; go back to its last checkpoint.`,
    );
  }

  /** Changes a live setting from the next iteration on. Throws ConfigError for an impossible change. */
  async change(path: string, value: SettingValue): Promise<Config> {
    const changed = () => changedLive(this.#work.run, { iteration: this.#work.actsAfter, path, value });
    this.#work.teamAfter(changed().run.config);
    // The record is stored first, so that the run does not change if storing fails. Then the change is computed again,
    // because an iteration may have ended in the meantime.
    await this.#store.saveRun(changed().run);
    const before = this.#work.run;
    const { run, dropped } = changed();
    this.#work.run = run;
    const { config } = run;
    // When a run is resumed, its settings are read from the checkpoint. Therefore the next checkpoint is stored as soon
    // as the change takes effect.
    if (this.#loop) this.#work.isSaveDue = true;
    else await this.#stored(before);
    this.#emit(told(run, dropped));
    return config;
  }

  /**
   * Replaces the preference pairs of the run. The pairs are stored with the run and used from the next iteration on.
   * Throws ConfigError if the run does not learn from pairs, and FormatError for a pair that the run cannot use.
   */
  async importPairs(pairs: readonly PreferenceText[], file?: Pick<FileImport, 'name' | 'digest'>): Promise<void> {
    const { run: before, trainState } = this.#work;
    const pairsBefore = trainState.pairs;
    takePairs(trainState, pairs);
    if (file) this.#work.run = importedLive(before, { ...file, iteration: this.#work.actsAfter });
    const { run } = this.#work;
    try {
      if (this.#loop) this.#work.isSaveDue = true;
      else await this.#stored(before);
    } catch (error) {
      delete trainState.pairs;
      if (pairsBefore) trainState.pairs = pairsBefore;
      throw error;
    }
    if (file) this.#emit(told(run));
  }

  /** Applies a change and stores a checkpoint. If storing the checkpoint fails, the change is undone. */
  async #stored(before: RunRecord): Promise<void> {
    const { team, klCoef } = this.#work.trainState;
    this.#work.catchUp();
    if (this.#state === 'failed') return;
    try {
      await this.#work.save();
    } catch (error) {
      this.#work.takeBack(before, { team, klCoef });
      throw error;
    }
  }

  /**
   * The complete state from which the run can continue. May be called only between iterations. Throws DeviceLostError
   * if the device failed and the state may be wrong.
   */
  checkpoint(): Promise<Checkpoint> {
    return this.#work.checkpoint();
  }

  /**
   * Copies of the weights of an agent: one set of weights, or one set for each turn of the agent. Throws ConfigError
   * for an unknown agent and for a failed run.
   */
  async agentWeights(agent: number): Promise<[NamedArray[], ...NamedArray[][]]> {
    this.#refuseIfUnsound('weights');
    return this.#work.read(() => agentWeights(this.#work.trainState, agent, this.#work.run.iteration));
  }

  /**
   * The adapters of an agent, in the order of its weights, and the frozen weights of their base; null for an agent
   * without adapters.
   */
  async agentAdapters(agent: number) {
    return this.#work.read(() => agentAdapters(this.#work.trainState, agent, this.#work.run.iteration));
  }

  /**
   * Ends training after the current iteration, stores the run and returns its state. Throws ConfigError for a failed
   * run.
   */
  async leave(): Promise<Checkpoint> {
    await this.#endLoop();
    this.#refuseIfUnsound('fork');
    this.#work.catchUp();
    return this.checkpoint();
  }

  /**
   * Called by other code if an error shows that the device no longer works correctly. The run then continues from the
   * last checkpoint on another device, or ends. The run reacts at the next minibatch or turn, or immediately if the run
   * is paused.
   */
  fail(error: Error): void {
    this.gate.break(error);
    const state = this.#state;
    if (this.#loop || state === 'failed') return;
    this.#until = 0; // nothing is trained, unless somebody requests it in the meantime
    this.#isStopping = false;
    void this.#inLoop(async () => {
      await this.#goBack(error);
      // Another checkpoint is stored, because otherwise the settings that were changed since the last checkpoint would
      // be lost.
      while (this.#work.isSaveDue && !this.#hasMore()) await this.#work.save();
      this.announce(this.#hasMore() ? 'training' : state);
      if (this.#hasMore()) await this.#toTheEnd();
    });
  }

  /** Ends training after the current iteration and frees all tensors. */
  async dispose(): Promise<void> {
    await this.#work.settled();
    await this.#endLoop();
    this.#work.dispose();
  }

  /** Frees all tensors without finishing the current iteration. This iteration is neither stored nor reported. */
  async drop(): Promise<void> {
    this.#isDropped = true;
    this.gate.break(new ConfigError(spoken`run: this run was continued in another tab.`));
    await this.dispose();
  }

  #hasMore(): boolean {
    return this.#work.run.iteration < Math.min(this.#until, this.config.run.iterations) && !this.#isStopping;
  }

  async #untilItFails(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#tellFailure(error as Error);
    }
  }

  /** Trains as many iterations as were requested. If a device is lost, training continues on another one. */
  async #toTheEnd(): Promise<void> {
    try {
      await this.#iterate();
    } catch (error) {
      await this.#goBack(this.gate.fault ?? (error as Error));
      this.announce(this.#isPaused ? 'paused' : 'training');
      return this.#toTheEnd();
    }
  }

  async #iterate(): Promise<void> {
    this.#work.ledger.enter('idle');
    if (this.#work.run.iteration === 0) await this.#work.open();
    // While the checkpoint is being stored, more iterations or a change of settings may be requested.
    do {
      while (this.#hasMore()) await this.#work.once();
      await this.#work.save();
    } while (this.#hasMore() || this.#work.isSaveDue);
    if (this.#isStopping) return;
    const isDone = this.#work.run.iteration >= this.config.run.iterations;
    if (isDone) {
      this.#work.run = { ...this.#work.run, isDone };
      await this.#store.saveRun(this.#work.run);
    }
    this.announce(isDone ? 'done' : 'paused');
  }

  async #goBack(fault: Error): Promise<void> {
    await this.#work.goBack(fault);
    if (this.#isPaused || this.#work.examiner.isAsked) void this.gate.close();
  }

  #tellFailure(error: Error): void {
    // If the error occurred only while storing, for example because the store is full, the weights are still valid.
    this.#isUnsound ||= error.name !== 'StorageError';
    if (this.#isDropped) return;
    if (this.#isUnsound || this.#work.isFreed) this.gate.break(error); // waiting measurements fail with this error
    const { name, message } = error;
    const { iteration } = this.#work.run;
    this.#emit({ kind: 'failed', name: name as ErrorName, message, iteration, remedies: remediesOf(error) });
    this.announce('failed', message);
  }
}
