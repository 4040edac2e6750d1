// A run under way: state, not maths. It knows neither storage nor Svelte: it is handed `emit` and a
// `CheckpointStore`. All verbs may be called at any time; iterations never overlap.
import { ConfigError, type ErrorName } from '../base/errors.ts';
import { median } from '../base/stats.ts';
import type { SettingValue } from '../config/field.ts';
import type { Config } from '../config/schema.ts';
import type { Checkpoint, CheckpointStore, NamedArray, RunRecord } from '../records/checkpoint.ts';
import type { RunState, TrainerEvent } from '../records/events.ts';
import type { Evaluation } from '../records/metrics.ts';
import type { PreferenceText } from '../records/preference.ts';
import type { Trajectory } from '../records/trajectory.ts';
import { CheckpointKeeper } from './checkpointKeeper.ts';
import { Examiner } from './examiner.ts';
import { Gate } from './gate.ts';
import { runIteration, type Learning } from './iteration.ts';
import { agentWeights, captureCheckpoint, disposeLearning, restoreLearning } from './learningState.ts';
import { refuseWithoutPairs, takePairs } from './importedPairs.ts';
import { changedLive } from './liveSettings.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { slowerPathsTeller } from './slowerPaths.ts';

export interface SessionParts {
  run: RunRecord;
  checkpoint: Checkpoint;
  store: CheckpointStore;
  emit: (event: TrainerEvent) => void;
  /** Milliseconds, from any origin: only for deciding when to store and for time left. */
  now: () => number;
}

export class Session {
  readonly gate = new Gate();
  readonly #store: CheckpointStore;
  readonly #emit: (event: TrainerEvent) => void;
  readonly #now: () => number;
  readonly #learning: Learning;
  readonly #keeper: CheckpointKeeper;
  readonly #examiner: Examiner;
  readonly #ledger: Ledger;
  readonly #tellSlowerPaths: (learning: Learning) => void;
  #run: RunRecord;
  #state: RunState = 'idle';
  #sampledTokens: number;
  /** The loop under way, if any. */
  #loop: Promise<void> | null = null;
  /** Iteration after which the loop ends, if the run is not over before. */
  #until = 0;
  #isStopping = false;
  /** Failed in a way that leaves the weights in doubt. */
  #isUnsound = false;
  #isPaused = false;
  #isSaveDue = false;
  #durations: number[] = [];

  constructor({ run, checkpoint, store, emit, now }: SessionParts) {
    this.#run = run;
    this.#store = store;
    this.#emit = emit;
    this.#now = now;
    this.#keeper = new CheckpointKeeper({ store, emit, now });
    this.#sampledTokens = checkpoint.sampledTokens;
    this.#tellSlowerPaths = slowerPathsTeller((note) => emit({ kind: 'engineNote', note }));
    this.#ledger = openLedger(now, this.gate);
    this.#learning = { ...restoreLearning(checkpoint, this.gate), ledger: this.#ledger };
    this.#examiner = new Examiner({ learning: this.#learning, emit, iteration: () => this.#run.iteration });
  }

  get config(): Config {
    return this.#learning.team.config;
  }

  get learning(): Learning {
    return this.#learning;
  }

  get run(): RunRecord {
    return this.#run;
  }

  /** Whether an iteration is under way, paused or not. */
  get isUnderWay(): boolean {
    return this.#loop !== null;
  }

  get sampledTokens(): number {
    return this.#sampledTokens;
  }

  /** Says the state; the page shows it. */
  announce(state: RunState, message = ''): void {
    this.#state = state;
    this.#emit({ kind: 'state', state, message });
  }

  /** Goes on to the last iteration, or for `count` iterations, one under way included. Resolves when the loop ends. */
  train(count = Infinity): Promise<void> {
    this.#refuseIfUnsound('train');
    refuseWithoutPairs(this.#learning);
    this.#until = this.#run.iteration + count;
    this.#isPaused = false;
    this.#openGate();
    if (this.#loop) {
      if (this.#state === 'paused') this.announce('training');
      return this.#loop;
    }
    this.#isStopping = false;
    if (this.#hasMore()) this.#run = { ...this.#run, isDone: false };
    this.announce('training');
    this.#loop = this.#iterate().finally(() => {
      this.#loop = null;
      this.#isPaused = false;
      this.#ledger.rest();
      this.#openGate();
      this.gate.release();
    });
    return this.#loop;
  }

  /** Stands still between minibatches or turns; resolves when it does, or when it was told to go on before that. */
  async pause(): Promise<void> {
    if (!this.#loop || this.#isStopping) return;
    this.#isPaused = true;
    await this.gate.close();
    if (this.#isPaused && this.#state === 'training') this.announce('paused');
  }

  /** Ends after the iteration under way and stores the run. */
  async stop(): Promise<void> {
    const loop = this.#endLoop();
    await loop;
    this.#run = { ...this.#run, isDone: true };
    // A loop stores a checkpoint as it ends; the weights of a failed run are not worth one.
    if (loop || this.#state === 'failed') await this.#store.saveRun(this.#run);
    else await this.#save();
    if (this.#state !== 'failed') this.announce('done');
  }

  #endLoop(): Promise<void> | null {
    this.#isStopping = true;
    this.#isPaused = false;
    this.#openGate();
    return this.#loop;
  }

  #openGate(): void {
    if (!this.#isPaused && !this.#examiner.isAsked) this.gate.open();
  }

  /**
   * Accuracy on the held-out problems as the weights are now; training stands still for it. Between iterations it is
   * stored with the run and told; within one the weights belong to no iteration, so it is only answered.
   */
  async evaluate(): Promise<Evaluation> {
    this.#refuseIfUnsound('evaluate');
    const isWithin = this.#loop !== null;
    try {
      const evaluation = await this.#examiner.byHand(isWithin);
      if (!isWithin) {
        this.#emit({ kind: 'evaluation', evaluation });
        await this.#store.saveEvaluation(this.#run.id, evaluation);
      }
      return evaluation;
    } finally {
      this.#openGate();
    }
  }

  #refuseIfUnsound(verb: string): void {
    if (!this.#isUnsound) return;
    throw new ConfigError(`${verb}: the run has failed and its weights are not sound; go back to its last checkpoint.`);
  }

  /** Changes a live setting from the next iteration on. Throws ConfigError. */
  async change(path: string, value: SettingValue): Promise<Config> {
    this.#run = changedLive(this.#learning, this.#run, { path, value });
    const { config } = this.#run;
    await this.#store.saveRun(this.#run);
    // Resuming reads the settings off the checkpoint: the next one is taken as soon as the change acts.
    if (this.#loop) this.#isSaveDue = true;
    else if (this.#state !== 'failed') await this.#save();
    this.#emit({ kind: 'config', config });
    return config;
  }

  /**
   * Takes preference pairs to learn from, in place of those it had; they are kept with the run and act from the next
   * iteration on. Throws ConfigError where the run learns from none, FormatError for a pair it cannot use.
   */
  async importPairs(pairs: readonly PreferenceText[]): Promise<void> {
    takePairs(this.#learning, pairs);
    if (this.#loop) this.#isSaveDue = true;
    else if (this.#state !== 'failed') await this.#save();
  }

  /** Everything needed to go on from here; only between iterations. */
  checkpoint(): Promise<Checkpoint> {
    return captureCheckpoint(this.#learning, this.#run, this.#sampledTokens);
  }

  /** A copy of the weights that speak for an agent. Throws ConfigError for an unknown agent and for a failed run. */
  async agentWeights(agent: number): Promise<NamedArray[]> {
    this.#refuseIfUnsound('weights');
    return agentWeights(this.#learning, agent, this.#run.iteration);
  }

  /** Ends the loop after the iteration under way, which leaves the run stored; the state it then has. Throws ConfigError for a failed run. */
  async leave(): Promise<Checkpoint> {
    await this.#endLoop();
    this.#refuseIfUnsound('fork');
    return this.checkpoint();
  }

  /** Ends the run with an error from outside, at the next minibatch or turn: a device that cannot be trusted. */
  fail(error: Error): void {
    if (this.#loop) this.gate.break(error);
    else this.#tellFailure(error);
  }

  /** Ends the loop and frees all tensors. */
  async dispose(): Promise<void> {
    await this.#examiner.settled();
    await this.#endLoop();
    disposeLearning(this.#learning);
  }

  #hasMore(): boolean {
    return this.#run.iteration < Math.min(this.#until, this.config.run.iterations) && !this.#isStopping;
  }

  async #iterate(): Promise<void> {
    try {
      this.#ledger.enter('idle');
      if (this.#run.iteration === 0) await this.#openingEvaluation();
      // Somebody may ask for more while the checkpoint is being stored.
      do {
        while (this.#hasMore()) await this.#once();
        await this.#save();
      } while (this.#hasMore());
      if (this.#isStopping) return;
      const isDone = this.#run.iteration >= this.config.run.iterations;
      if (isDone) {
        this.#run = { ...this.#run, isDone };
        await this.#store.saveRun(this.#run);
      }
      this.announce(isDone ? 'done' : 'paused');
    } catch (error) {
      this.#tellFailure(error as Error);
    }
  }

  #tellFailure({ name, message }: Error): void {
    // A store that is full leaves the weights as they are.
    this.#isUnsound = name !== 'StorageError';
    this.#emit({ kind: 'failed', name: name as ErrorName, message, iteration: this.#run.iteration });
    this.announce('failed', message);
  }

  async #openingEvaluation(): Promise<void> {
    await this.#store.saveRun(this.#run);
    await this.#save();
    await this.#store.saveEvaluation(this.#run.id, await this.#examiner.scheduled());
    this.#ledger.drop(); // it belongs to no iteration
  }

  async #once(): Promise<void> {
    const started = this.#now();
    const { iteration } = this.#run;
    const { metrics, trajectories, shown, sampledTokens } = await runIteration(
      this.#learning,
      iteration,
      async (soFar: readonly Trajectory[]) => {
        const [first] = soFar;
        if (first) this.#emit({ kind: 'turn', iteration: iteration + 1, trajectory: structuredClone(first) });
        await this.gate.pass();
      },
    );
    this.#ledger.enter('idle');
    this.#ledger.count({ sampled: sampledTokens });
    this.#sampledTokens += sampledTokens;
    this.#run = { ...this.#run, iteration: iteration + 1 };
    this.#durations = [...this.#durations.slice(-9), this.#now() - started];
    const { evaluation: evaluationRule, run } = this.config;
    const left = Math.max(0, run.iterations - this.#run.iteration);
    const msLeft = left * median(this.#durations);
    this.#emit({ kind: 'iteration', metrics, shown, iterationsLeft: left, msLeft });
    const isDue = this.#run.iteration % evaluationRule.every === 0 || left === 0;
    const evaluation = isDue ? await this.#ledger.during('evaluation', () => this.#examiner.scheduled()) : null;
    const profile = this.#ledger.close();
    this.#emit({ kind: 'profile', iteration: metrics.iteration, profile });
    this.#tellSlowerPaths(this.#learning);
    const stored = { metrics: { ...metrics, profile }, evaluation, trajectories, shown };
    await this.#ledger.during('storage', () => this.#store.saveIteration(this.#run.id, stored));
    if (this.#isSaveDue || this.#keeper.isWanted(this.#run)) await this.#save();
  }

  async #save(): Promise<void> {
    await this.#ledger.during('storage', async () => this.#keeper.save(await this.checkpoint(), this.#run));
    this.#isSaveDue = false;
  }
}
