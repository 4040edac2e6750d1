// The page's interface to the trainer worker. Plain records only; errors arrive by name.
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
import type { LookKind, Looks } from './inspectorApi.ts';

/** A run to open: by its settings alone, or by a history that is to be reproduced. */
export interface OpenRequest extends Partial<RunHistory> {
  config: Config;
  preset: string;
  /** A warm start that would take long is only measured, and not trained until it is requested. */
  asksFirst?: boolean;
}

/** The source of an agent's weights: those of a run after an iteration. */
export interface StoredSeat {
  run: RunId;
  iteration: number;
}

/** Sizes in bytes; those of text lines are estimates, because the lines are only written on request. */
export interface ExportSizes {
  /** Weights of the largest agent. */
  weightBytes: number;
  /** Whether the agents use a foreign model that checkpoints only name: then `exportModel` exports them. */
  isHeld: boolean;
  /** Optimiser state of the agent with the most trainable parameters; its weights are counted separately. */
  optimiserBytes: number;
  trajectoryBytes: number;
  /** Pairs by reward. */
  pairBytes: number;
}

/** The result of a request to train: training here; another tab trains; or another tab has continued the open run. */
export type TrainingClaim = 'own' | 'busy' | 'stale';

/** Receives news in order, in batches. */
export type Listener = (events: TrainerEvent[]) => void;

export interface TrainerApi {
  /** Sets the language of its texts; null: English. */
  speak(phrases: Phrases | null): Promise<void>;
  /**
   * Sets where all news is sent; called once, before anything else. Returns the name of this trainer among the tabs.
   */
  listen(listener: Listener): Promise<string>;
  /**
   * Chooses the engine, loads or trains the warm start, measures a preflight. The state becomes `idle`, or `paused` for
   * a fork; the parent of a fork is first trained up to the fork. Returns whether a run is open: false if its warm
   * start waits for a request or was stopped; `busy` if it needs training and another tab trains. Throws ConfigError.
   */
  open(request: OpenRequest): Promise<boolean | 'busy'>;
  /**
   * Loads the newest checkpoint of a stored run; to go back, loads the newest one up to `back.to`, and the run records
   * that: later iterations are deleted as soon as it trains. State becomes `paused`. Throws StorageError.
   */
  resumeRun(id: RunId, back?: GoneBack): Promise<void>;
  /**
   * Ends the open run after the current iteration and opens a fork of it under other parameters; the former run stays
   * stored. State becomes `paused`, or `done` if no iteration is left. Throws ConfigError.
   */
  fork(mode: ForkMode): Promise<void>;
  /** Starts or continues, up to the last iteration. Returns immediately. */
  train(): Promise<TrainingClaim>;
  /** Stops between minibatches or turns and resolves once paused. */
  pause(): Promise<void>;
  /** One iteration, then paused. */
  step(): Promise<TrainingClaim>;
  /** Ends the run after the current iteration and stores it. */
  stop(): Promise<void>;
  /**
   * Cancels a preparation in progress; does nothing if none is in progress. Then no run is open, the state becomes
   * `idle`, and the progress of a warm start is kept.
   */
  abandon(): Promise<void>;
  /** The current weights of the open run; null during an iteration: then the newest stored weights are used. */
  present(): Promise<Checkpoint | null>;
  /** Current accuracy on the held-out problems, and the other measurements made with it. */
  evaluate(beside?: Beside): Promise<Evaluation>;
  /**
   * Accuracy of stored agents together, by seat, with pass@k and maj@k; an open run pauses for it, and nothing is
   * stored. Throws ConfigError if they cannot talk to each other, and StorageError.
   */
  evaluateStored(seats: readonly StoredSeat[]): Promise<Evaluation>;
  /** Inspects messages and learning; an open run pauses for it. Throws ConfigError and StorageError. */
  look<K extends LookKind>(kind: K, at: Looks[K]['at']): Promise<Looks[K]['answer']>;
  /**
   * Changes a live setting; it acts from the next iteration on and is noted in the run, whose settings come as news.
   * Throws ConfigError.
   */
  changeSetting(path: string, value: SettingValue): Promise<void>;
  /**
   * The zip of one agent's weights: safetensors, config, tokenizer, chat template; the optimiser's state on request.
   */
  exportWeights(agent: number, hasOptimiser?: boolean): Promise<Uint8Array>;
  /**
   * The file of an agent on a foreign model, and whether it is a zip. Throws ConfigError if this form is not available.
   */
  exportModel(agent: number, form: ModelForm): Promise<{ file: Blob; isZip: boolean }>;
  /** The zip of the run's verifier, in the same form. Throws ConfigError if no verifier is trained. */
  exportVerifier(): Promise<Uint8Array>;
  /** Current sizes of the files below. Throws StorageError. */
  exportSizes(): Promise<ExportSizes>;
  /** All stored trajectories of the run. */
  exportTrajectories(as: TrajectoryFile): Promise<Blob>;
  /**
   * Pairs of better and worse dialogues of one problem, by their reward or by the verifier's score of their answers, as
   * JSONL with the columns prompt, chosen, rejected. Throws ConfigError if no verifier is trained.
   */
  exportPreferences(by: ComparedBy): Promise<Blob>;
  /**
   * Reads a file of preference pairs and passes them to the open run, if there is one, and to all runs opened later
   * that learn from pairs. Returns the number of pairs. Throws FormatError with the line or the pair.
   */
  importPreferences(text: string, name: string): Promise<number>;
  /** Reads the same file and keeps the pairs for a run that is to be reproduced; the open run is not changed. */
  keepPreferences(text: string, name: string): Promise<number>;
  /** Throws ConfigError for a run in training, StorageError if another run was forked from it. */
  deleteRun(id: RunId): Promise<void>;
  /** Stores the visitor's name and notes for a run, and uses that name from now on. Throws StorageError. */
  labelRun(label: RunLabel): Promise<void>;
  /**
   * Reads a model from these files and holds it while the page is open: `agents.start` may name it from then on.
   * @throws FormatError, and ConfigError if no run can use it
   */
  holdModel(model: HeldModel, files: readonly File[]): Promise<void>;
  /**
   * Holds an agent of a stored run in the same way, and returns its name. Throws ConfigError if a run cannot start from
   * it, and StorageError.
   */
  holdAgent(seat: StoredSeat, agent: number): Promise<HeldModel>;
  /** Stores a world that was checked, or its new label: from then on settings may name it. Throws StorageError. */
  keepWorld(world: OwnWorld): Promise<void>;
  /** Throws ConfigError if a stored run needs the world. */
  deleteWorld(name: OwnName): Promise<void>;
}
