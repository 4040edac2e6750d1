// `cothink/train`: trains a team in Node, in a page or in a worker. With the same settings and the same engine, the
// numbers equal those of the page and of `cothink train`, because all of them use the same session.
import { ConfigError } from '../src/base/errors.ts';
import { weightsZip, turnsZip } from '../src/formats/weightsZip.ts';
import type { WorldContent } from '../src/config/worlds/own.ts';
import { runName } from '../src/config/runName.ts';
import type { SettingValue } from '../src/config/field.ts';
import type { TrainerEvent } from '../src/records/events.ts';
import { runId } from '../src/records/ids.ts';
import type { GroupInspection } from '../src/records/inspection.ts';
import type { Evaluation } from '../src/records/metrics.ts';
import {
  checkpointFormat,
  type Checkpoint as StoredCheckpoint,
  type NamedArray,
  type RunRecord,
} from '../src/records/stored/checkpoint.ts';
import type { Trajectory } from '../src/records/trajectory.ts';
import { readRecord, writeRecord } from '../src/storage/archive/recordBytes.ts';
import { asCheckpoint } from '../src/storage/validate.ts';
import { checkWorld, openWorld, readyWorlds } from '../src/tasks/registry.ts';
import { agentTakenAway } from '../src/training/history/takenAway.ts';
import { inspectGroup } from '../src/training/inspect/inspect.ts';
import { memoryStore } from '../src/training/run/memoryStore.ts';
import { Session } from '../src/training/run/session.ts';
import { startingCheckpoint } from '../src/training/run/start.ts';
import { packagedWarmStart, shippedWeights, startEngine, type Engine, type LoadWarmStart } from './engine.ts';
import { completeSettings, inWorld, type GivenSettings, type Settings } from './settings.ts';

export * from './errors.ts';
export { presetNames } from './settings.ts';
export type { Engine, Evaluation, GivenSettings, GroupInspection, LoadWarmStart, NamedArray, Settings, Trajectory };

/**
 * The complete state of a run: weights, optimisers, settings and counters, as plain data. `writeCheckpoint` converts it to
 * the bytes of a file.
 */
export interface Checkpoint {
  /** The number of finished iterations. */
  readonly iteration: number;
  /** The number of tokens that were sampled so far. */
  readonly sampledTokens: number;
}

export interface TrainRequest extends GivenSettings {
  /** The text of the module of a world of your own. If it is given, `world.name` is the name of this world. */
  world?: string;
  /** The state from which the run continues; the settings are then those of the checkpoint. */
  checkpoint?: Checkpoint;
  /**
   * Ends the run after the current iteration. During a warm start, the request fails with ConfigError after the current
   * step.
   */
  signal?: AbortSignal;
  /** The maximum number of CPU threads. */
  threads?: number;
  /** Returns a warm start; by default, it is read from the package. */
  loadWarmStart?: LoadWarmStart;
}

/** The news of a run, in order. */
export type News =
  /** The run begins on this engine. */
  | { kind: 'begun'; name: string; iteration: number; engine: Engine }
  /** The share in [0, 1] of a warm start that is done, and its supervised loss. */
  | { kind: 'preparing'; share: number; loss: number | null }
  /** The accuracy on the held-out problems, before the first iteration and at intervals. */
  | { kind: 'evaluation'; evaluation: Evaluation }
  /** A finished iteration: its metrics by name (docs/metrics.md), and all of its dialogues. */
  | { kind: 'iteration'; iteration: number; metrics: Readonly<Record<string, number>>; dialogues: Trajectory[] }
  /** The settings have changed, or something else worth telling. */
  | { kind: 'note'; text: string };

/**
 * Trains a team to its last iteration: `for await (const news of train({ preset: 'quick' }))`. The next iteration begins
 * when the next news is requested, and leaving the loop ends the run. Throws the errors of `startTraining`, and
 * NumericsError or DeviceLostError if the run cannot continue.
 */
export async function* train(request: TrainRequest): AsyncGenerator<News, Checkpoint> {
  const training = await startTraining(request);
  try {
    yield* training.news();
    return await training.checkpoint();
  } finally {
    await training.close();
  }
}

/**
 * Prepares a run and returns it before its first iteration. Throws ConfigError for settings that cannot be used,
 * SandboxError for a world that cannot be run, and DeviceLostError if the requested engine is not available.
 */
export async function startTraining(request: TrainRequest): Promise<Training> {
  const { signal, threads, loadWarmStart = packagedWarmStart } = request;
  const kept = request.checkpoint as StoredCheckpoint | undefined;
  const own = request.world === undefined ? null : await checkWorld({ kind: 'module', source: request.world });
  if (own) await openWorld(own);
  const asked = own ? { ...request, settings: inWorld(request.settings, own.form.name) } : request;
  const config = kept?.config ?? completeSettings(asked);
  await readyWorlds(config);
  let training: Training | null = null;
  const engine = await startEngine(config.run.backend, (error) => training?.fail(error), threads);
  const prepared: News[] = [];
  const name = runName(config);
  const id = kept?.runId ?? runId(name.replaceAll(/[^a-z0-9]+/gi, '-'));
  const checkpoint =
    kept ??
    (await startingCheckpoint({
      ...{ config, runId: id, backend: engine.backend },
      loadShipped: (of) => shippedWeights(of, loadWarmStart),
      isLeft: () => signal?.aborted ?? false,
      onProgress: ({ share, loss }) => prepared.push({ kind: 'preparing', share, loss }),
    }));
  const run: RunRecord = {
    ...{ format: checkpointFormat, id, name, preset: request.preset ?? 'own', config, changes: [] },
    ...{ backend: engine.backend, createdMs: 0, iteration: checkpoint.iteration, isDone: false },
  };
  training = new Training({ run, checkpoint, engine, prepared, signal, content: own?.content });
  return training;
}

interface Parts {
  run: RunRecord;
  checkpoint: StoredCheckpoint;
  engine: Engine;
  prepared: News[];
  signal: AbortSignal | undefined;
  content: WorldContent | undefined;
}

/** A run in this process. */
export class Training {
  readonly #session: Session;
  readonly #waiting: News[];
  readonly #signal: AbortSignal | undefined;
  readonly #module: { module?: string };
  #failure: Error | null = null;

  /** @internal */
  constructor({ run, checkpoint, engine, prepared, signal, content }: Parts) {
    const { name, iteration } = run;
    this.#signal = signal;
    this.#waiting = [...prepared, { kind: 'begun', name, iteration, engine }];
    this.#module = content?.kind === 'module' ? { module: content.source } : {};
    const store = memoryStore({ keepsIterations: false });
    this.#session = new Session({
      ...{ run, checkpoint, now: () => performance.now(), emit: (event) => this.#hear(event) },
      store: {
        ...store,
        saveIteration: (_, { metrics, trajectories }) => {
          const { iteration: at, values } = metrics;
          this.#waiting.push({ kind: 'iteration', iteration: at, metrics: values, dialogues: trajectories });
          return Promise.resolve();
        },
      },
    });
  }

  /** The number of finished iterations. */
  get iteration(): number {
    return this.#session.run.iteration;
  }

  /**
   * Trains `count` iterations, or to the last one, and yields what happens. Each iteration begins when the next news is
   * requested. Throws the error for which the run cannot continue.
   */
  async *news(count = Infinity): AsyncGenerator<News, void> {
    const end = Math.min(this.iteration + count, this.#session.config.run.iterations);
    yield* this.#told();
    while (this.iteration < end && !this.#signal?.aborted) {
      await this.#session.train(1);
      yield* this.#told();
      if (this.#failure) throw this.#failure;
    }
  }

  /** Measures the accuracy on the held-out problems with the current weights. */
  evaluate(): Promise<Evaluation> {
    return this.#session.evaluate();
  }

  /**
   * The numbers of every token of one group of the newest iteration: probabilities, ratio, advantage, KL and the terms of
   * the formula. Groups are numbered from 0. Throws ConfigError if no iteration was trained since the run was opened.
   */
  async inspect(group = 0): Promise<GroupInspection> {
    const { inspectable } = this.#session;
    if (!inspectable) throw new ConfigError('inspect: there is no iteration yet; train one first.');
    return inspectGroup(inspectable, group);
  }

  /**
   * Changes a setting that may change during a run, from the next iteration on; for example
   * `change('optimiser.learningRate', 1e-4)`. Throws ConfigError.
   */
  async change(path: string, value: SettingValue): Promise<void> {
    await this.#session.change(path, value);
  }

  /** The complete state, from which another run can continue. */
  checkpoint(): Promise<Checkpoint> {
    return this.#session.checkpoint();
  }

  /** The weights of an agent, with one set for each turn if each turn has a network of its own. Throws ConfigError. */
  weights(agent = 0): Promise<NamedArray[][]> {
    return this.#session.agentWeights(agent);
  }

  /**
   * The agent as a zip file: a folder that Hugging Face transformers reads, with safetensors, tokenizer and chat template,
   * and a GGUF file for llama.cpp. Throws ConfigError.
   */
  async model(agent = 0): Promise<Uint8Array> {
    const { source, models, isByTurn } = await agentTakenAway(this.#session, agent);
    const whole = { ...source, ...this.#module };
    return isByTurn ? turnsZip(whole, models) : weightsZip({ ...whole, ...models[0] });
  }

  /** Ends the run and frees its memory. */
  async close(): Promise<void> {
    await this.#session.dispose();
  }

  /** @internal */
  fail(error: Error): void {
    this.#session.fail(error);
  }

  *#told(): Generator<News> {
    while (this.#waiting.length > 0) yield this.#waiting.shift() as News;
  }

  #hear(event: TrainerEvent): void {
    if (event.kind === 'evaluation') this.#waiting.push({ kind: 'evaluation', evaluation: event.evaluation });
    if (event.kind === 'note' || event.kind === 'thinned') this.#waiting.push({ kind: 'note', text: event.text });
    if (event.kind === 'failed') this.#failure = Object.assign(new Error(event.message), { name: event.name });
  }
}

/** A checkpoint as the bytes of a file, with a checksum. */
export const writeCheckpoint = (checkpoint: Checkpoint): Uint8Array => writeRecord(checkpoint);

/** The checkpoint in a file. Throws StorageError if the file is damaged or was not written by Cothink. */
export const readCheckpoint = (bytes: Uint8Array): Checkpoint =>
  asCheckpoint(readRecord(bytes, 'checkpoint'), 'checkpoint');
