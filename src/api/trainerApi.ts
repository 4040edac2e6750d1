// The page's interface to the trainer worker. All arguments and results are plain records. Errors are recognised by
// their names.
import type { Phrases } from '../base/spoken.ts';
import type { SettingValue } from '../config/field.ts';
import type { ForkMode } from '../config/fork.ts';
import type { Config } from '../config/schema.ts';
import type { OwnName, OwnWorld } from '../config/worlds/own.ts';
import type { TrainerEvent } from '../records/events.ts';
import type { GoneBack, RunHistory } from '../records/stored/history.ts';
import type { RunId } from '../records/ids.ts';
import type { Beside, Evaluation } from '../records/metrics.ts';
import type { Checkpoint } from '../records/stored/checkpoint.ts';
import type { HeldModel, ModelForm } from '../records/stored/modelCard.ts';
import type { RunLabel } from '../records/stored/runLabel.ts';
import type { ComparedBy } from '../records/stored/preference.ts';
import type { TrajectoryFile } from '../records/trajectory.ts';
import type { LookKind, Looks } from '../records/looks.ts';

/** The run to open, given by its settings alone or by a history that is to be reproduced. */
export interface OpenRequest extends Partial<RunHistory> {
  config: Config;
  preset: string;
  /** If true, a warm start that would take long is only measured, and not trained until the visitor requests it. */
  asksFirst?: boolean;
}

/** The source of an agent's weights: a run, and the iteration after which its weights are taken. */
export interface StoredSeat {
  run: RunId;
  iteration: number;
}

/** Sizes in bytes. Sizes of text files are estimates, because their lines are only written on request. */
export interface ExportSizes {
  /** Size of the weights of the largest agent. */
  weightBytes: number;
  /**
   * Whether the agents use a foreign model whose weights are not in the checkpoints, which contain only its name. In
   * that case `exportModel` exports them.
   */
  isHeld: boolean;
  /**
   * Size of the optimiser state of the agent with the most trainable parameters; its weights are counted separately.
   */
  optimiserBytes: number;
  trajectoryBytes: number;
  /** Size of the pairs that are chosen by reward. */
  pairBytes: number;
}

/** The result of a request to train: this tab trains, another tab trains, or another tab has continued the open run. */
export type TrainingClaim = 'own' | 'busy' | 'stale';

/** Receives the trainer's news in order, in batches. */
export type Listener = (events: TrainerEvent[]) => void;

export interface TrainerApi {
  /** Sets the language of the trainer's texts; null stands for English. */
  speak(phrases: Phrases | null): Promise<void>;
  /**
   * Sets the receiver of all news. It is called once, before any other call. Returns the name of this trainer among the
   * tabs.
   */
  listen(listener: Listener): Promise<string>;
  /**
   * Chooses the engine, loads or trains the warm start, and runs a preflight measurement. The state becomes `idle`, or
   * `paused` for a fork. A parent of a fork is first trained up to the fork. Returns whether a run is open. Returns
   * false if its warm start waits for a request or was stopped, and `busy` if the warm start must be trained but
   * another tab trains. Throws ConfigError.
   */
  open(request: OpenRequest): Promise<boolean | 'busy'>;
  /**
   * Loads the newest checkpoint of a stored run. To go back, it loads the newest checkpoint up to `back.to` and notes
   * this in the run, whose later iterations are deleted as soon as it trains. The state becomes `paused`. Throws
   * StorageError.
   */
  resumeRun(id: RunId, back?: GoneBack): Promise<void>;
  /**
   * Ends the open run after the current iteration and opens a fork of it that shares its parameters differently. The
   * former run stays stored. The state becomes `paused`, or `done` if no iteration is left. Throws ConfigError.
   */
  fork(mode: ForkMode): Promise<void>;
  /** Starts or continues training, up to the last iteration. Returns immediately. */
  train(): Promise<TrainingClaim>;
  /** Stops between minibatches or between turns; resolves once training is paused. */
  pause(): Promise<void>;
  /** Trains one iteration, then pauses. */
  step(): Promise<TrainingClaim>;
  /** Ends the run after the current iteration and stores it. */
  stop(): Promise<void>;
  /**
   * Cancels a preparation in progress; does nothing if none is in progress. After that, no run is open, the state is
   * `idle`, and the progress of a warm start is kept.
   */
  abandon(): Promise<void>;
  /**
   * The current weights of the open run. During an iteration the result is null, and the newest stored weights are used
   * instead.
   */
  present(): Promise<Checkpoint | null>;
  /** Current accuracy on the held-out problems, and the other measurements made with it. */
  evaluate(beside?: Beside): Promise<Evaluation>;
  /**
   * Accuracy of a team of stored agents, one for each seat, with pass@k and maj@k. An open run pauses for the
   * measurement, and nothing is stored. Throws ConfigError if the agents cannot talk to each other, and StorageError.
   */
  evaluateStored(seats: readonly StoredSeat[]): Promise<Evaluation>;
  /** Inspects messages and learning. An open run pauses during the inspection. Throws ConfigError and StorageError. */
  look<K extends LookKind>(kind: K, at: Looks[K]['at']): Promise<Looks[K]['answer']>;
  /**
   * Changes a setting that may change during a run. The change takes effect from the next iteration on and is recorded
   * in the run; the new settings are sent as news. Throws ConfigError.
   */
  changeSetting(path: string, value: SettingValue): Promise<void>;
  /**
   * The zip file of one agent's weights: safetensors, config, tokenizer and chat template, with the optimiser's state
   * on request.
   */
  exportWeights(agent: number, hasOptimiser?: boolean): Promise<Uint8Array>;
  /**
   * The file of an agent that uses a foreign model, and whether this file is a zip. Throws ConfigError if this form is
   * not available.
   */
  exportModel(agent: number, form: ModelForm): Promise<{ file: Blob; isZip: boolean }>;
  /** The zip file of the run's verifier, in the same format. Throws ConfigError if no verifier is trained. */
  exportVerifier(): Promise<Uint8Array>;
  /** Current sizes of the files that the following calls return. Throws StorageError. */
  exportSizes(): Promise<ExportSizes>;
  /** All stored trajectories of the run. */
  exportTrajectories(as: TrajectoryFile): Promise<Blob>;
  /**
   * Pairs of better and worse dialogues of one problem, by their reward or by the verifier's score of their answers, as
   * JSONL with the columns prompt, chosen, rejected. Throws ConfigError if no verifier is trained.
   */
  exportPreferences(by: ComparedBy): Promise<Blob>;
  /**
   * Reads a file of preference pairs. The open run, if there is one, and all runs opened later that learn from pairs
   * receive them. Returns the number of pairs. Throws FormatError that names the line or the pair.
   */
  importPreferences(text: string, name: string): Promise<number>;
  /** Reads such a file too, but keeps the pairs for a run that is to be reproduced; the open run is not changed. */
  keepPreferences(text: string, name: string): Promise<number>;
  /** Throws ConfigError if the run is in training, StorageError if another run was forked from it. */
  deleteRun(id: RunId): Promise<void>;
  /** Stores the visitor's name and notes for a run; the run has that name from now on. Throws StorageError. */
  labelRun(label: RunLabel): Promise<void>;
  /**
   * Reads a model from these files and keeps it while the page is open. From then on, `agents.start` may contain its
   * name.
   * @throws FormatError, and ConfigError if no run can use it
   */
  holdModel(model: HeldModel, files: readonly File[]): Promise<void>;
  /**
   * Keeps an agent of a stored run in the same way, and returns its name. Throws ConfigError if a run cannot start from
   * it, and StorageError.
   */
  holdAgent(seat: StoredSeat, agent: number): Promise<HeldModel>;
  /**
   * Stores a world that was checked, or its new label. From then on, settings may contain the name of this world.
   * Throws StorageError.
   */
  keepWorld(world: OwnWorld): Promise<void>;
  /** Throws ConfigError if a stored run needs the world. */
  deleteWorld(name: OwnName): Promise<void>;
}
