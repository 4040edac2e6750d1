// A run under way: state, not maths. It knows neither storage nor Svelte: it is handed `emit` and a
// `CheckpointStore`. All verbs may be called at any time; iterations never overlap.
import { ConfigError, type ErrorName } from '../base/errors.ts';
import { median } from '../base/stats.ts';
import { fieldAt } from '../config/describe.ts';
import { withSetting } from '../config/parse.ts';
import type { Config } from '../config/schema.ts';
import { disposeTree, downloadTree, uploadTree, type ParameterTree } from '../model/parameters.ts';
import { checkpointFormat, type Checkpoint, type CheckpointStore, type RunRecord } from '../records/checkpoint.ts';
import type { RunState, TrainerEvent } from '../records/events.ts';
import type { NamedArray } from '../records/checkpoint.ts';
import type { Evaluation } from '../records/metrics.ts';
import type { Trajectory } from '../records/trajectory.ts';
import { evaluateTeam } from './evaluate.ts';
import { Gate } from './gate.ts';
import { agentPolicies, runIteration, type Learning } from './iteration.ts';
import { disposeNetwork, downloadNetwork, uploadNetwork, type Network } from './network.ts';
import { assembleTeam } from './team.ts';

export interface SessionParts {
  run: RunRecord;
  checkpoint: Checkpoint;
  store: CheckpointStore;
  emit: (event: TrainerEvent) => void;
  /** Milliseconds since 1970: only for deciding when to store and for time left. */
  now: () => number;
}

/** Milliseconds between stored checkpoints at most, beside those of the schedule. */
const checkpointGapMs = 5000;

export class Session {
  readonly gate = new Gate();
  readonly #store: CheckpointStore;
  readonly #emit: (event: TrainerEvent) => void;
  readonly #now: () => number;
  readonly #learning: Learning;
  #run: RunRecord;
  #state: RunState = 'idle';
  #sampledTokens: number;
  /** The loop under way, if any. */
  #loop: Promise<void> | null = null;
  #isStopping = false;
  #durations: number[] = [];
  #savedMs: number;

  constructor({ run, checkpoint, store, emit, now }: SessionParts) {
    const team = assembleTeam(checkpoint.config);
    this.#run = run;
    this.#store = store;
    this.#emit = emit;
    this.#now = now;
    this.#savedMs = now();
    this.#sampledTokens = checkpoint.sampledTokens;
    this.#learning = {
      team,
      networks: checkpoint.networks.map((state): Network => uploadNetwork(state, team.shape)),
      references: checkpoint.reference.map((arrays): ParameterTree => uploadTree(arrays, team.shape)),
      klCoef: checkpoint.klCoef,
      gate: this.gate,
    };
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

  get sampledTokens(): number {
    return this.#sampledTokens;
  }

  /** Says the state; the page shows it. */
  announce(state: RunState, message = ''): void {
    this.#state = state;
    this.#emit({ kind: 'state', state, message });
  }

  /** Goes on to the last iteration, or for `count` iterations. Resolves when the loop has ended. */
  train(count = Infinity): Promise<void> {
    if (this.#loop) {
      this.gate.open();
      if (this.#state === 'paused') this.announce('training');
      return this.#loop;
    }
    this.gate.open();
    this.#isStopping = false;
    this.announce('training');
    this.#loop = this.#iterate(Math.min(this.config.run.iterations, this.#run.iteration + count)).finally(() => {
      this.#loop = null;
      this.gate.release();
    });
    return this.#loop;
  }

  /** Stands still between minibatches or turns; resolves when it does. */
  async pause(): Promise<void> {
    if (!this.#isRunning()) return;
    await this.gate.close();
    if (this.#isRunning()) this.announce('paused');
  }

  #isRunning(): boolean {
    return this.#loop !== null;
  }

  /** Ends after the iteration under way. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.gate.open();
    await this.#loop;
    this.#run = { ...this.#run, isDone: true };
    await this.#store.saveRun(this.#run);
    if (this.#state !== 'failed') this.announce('done');
  }

  /** Accuracy on the held-out problems; training waits for it. */
  async evaluate(): Promise<Evaluation> {
    const { team } = this.#learning;
    const evaluation = await evaluateTeam(team, {
      policies: agentPolicies(this.#learning),
      iteration: this.#run.iteration,
      withMasked: true,
      onTurn: () => this.gate.pass(),
    });
    this.#emit({ kind: 'evaluation', evaluation });
    return evaluation;
  }

  /** Changes a live setting from the next iteration on. Throws ConfigError. */
  async change(path: string, value: number | boolean | string): Promise<Config> {
    const isStarted = this.#run.iteration > 0 || this.#loop !== null;
    if (isStarted && !fieldAt(path)?.isLive) {
      throw new ConfigError(`${path}: cannot change while a run is under way; start a new run with it.`);
    }
    const config = withSetting(this.config, path, value);
    // Networks and protocol stay: live settings touch neither.
    this.#learning.team = assembleTeam(config);
    const changes = [...this.#run.changes, { iteration: this.#run.iteration, path, value }];
    this.#run = { ...this.#run, config, changes };
    await this.#store.saveRun(this.#run);
    this.#emit({ kind: 'config', config });
    return config;
  }

  /** Everything needed to go on from here; only between iterations. */
  async checkpoint(): Promise<Checkpoint> {
    const { networks, references, klCoef } = this.#learning;
    return {
      format: checkpointFormat,
      runId: this.#run.id,
      iteration: this.#run.iteration,
      config: this.config,
      backend: this.#run.backend,
      networks: await Promise.all(networks.map(downloadNetwork)),
      reference: await Promise.all(references.map(downloadTree)),
      klCoef,
      sampledTokens: this.#sampledTokens,
    };
  }

  /** A copy of the weights that speak for an agent. Throws ConfigError for an unknown agent. */
  async agentWeights(agent: number): Promise<NamedArray[]> {
    const { team, networks } = this.#learning;
    const network = networks[team.networkOf[agent] ?? -1];
    if (!network) throw new ConfigError(`agent: expected 0 to ${team.networkOf.length - 1}, got ${agent}.`);
    return downloadTree(network.tree);
  }

  /** Ends the loop and frees all tensors. */
  async dispose(): Promise<void> {
    this.#isStopping = true;
    this.gate.open();
    await this.#loop;
    for (const network of this.#learning.networks) disposeNetwork(network);
    for (const reference of this.#learning.references) disposeTree(reference);
  }

  async #iterate(until: number): Promise<void> {
    try {
      if (this.#run.iteration === 0) await this.#openingEvaluation();
      while (this.#run.iteration < Math.min(until, this.config.run.iterations) && !this.#isStopping) await this.#once();
      await this.#save();
      if (this.#isStopping) return;
      const isDone = this.#run.iteration >= this.config.run.iterations;
      if (isDone) {
        this.#run = { ...this.#run, isDone };
        await this.#store.saveRun(this.#run);
      }
      this.announce(isDone ? 'done' : 'paused');
    } catch (error) {
      const { name, message } = error as Error;
      this.#state = 'failed';
      this.#emit({ kind: 'failed', name: name as ErrorName, message, iteration: this.#run.iteration });
      this.announce('failed', message);
    }
  }

  async #openingEvaluation(): Promise<void> {
    await this.#store.saveRun(this.#run);
    await this.#save();
    const evaluation = await this.evaluate();
    const metrics = { iteration: 0, values: {} };
    await this.#store.saveIteration(this.#run.id, { metrics, evaluation, trajectories: [], shown: null });
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
    this.#sampledTokens += sampledTokens;
    this.#run = { ...this.#run, iteration: iteration + 1 };
    this.#durations = [...this.#durations.slice(-9), this.#now() - started];
    const { evaluation: evaluationRule, run } = this.config;
    const left = Math.max(0, run.iterations - this.#run.iteration);
    this.#emit({
      kind: 'iteration',
      metrics,
      shown,
      iterationsLeft: left,
      msLeft: left * median(this.#durations),
    });
    const isDue = this.#run.iteration % evaluationRule.every === 0 || left === 0;
    const evaluation = isDue ? await this.evaluate() : null;
    await this.#store.saveIteration(this.#run.id, { metrics, evaluation, trajectories, shown });
    const isScheduled = this.#run.iteration % run.checkpointEvery === 0;
    if (isScheduled || this.#now() - this.#savedMs > checkpointGapMs) await this.#save();
  }

  async #save(): Promise<void> {
    await this.#store.saveCheckpoint(await this.checkpoint());
    await this.#store.saveRun(this.#run);
    this.#savedMs = this.#now();
    this.#emit({ kind: 'checkpoint', iteration: this.#run.iteration });
  }
}
