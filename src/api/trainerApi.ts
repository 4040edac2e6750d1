// The page's interface to the trainer worker. All arguments and results are plain records. An error loses its class
// when it is passed to the page, so errors are told apart by their names.
import type { Phrases } from '../base/spoken.ts';
import type { SettingValue } from '../config/field.ts';
import type { ForkMode } from '../config/fork.ts';
import type { Config } from '../config/schema.ts';
import type { OwnName, OwnWorld } from '../config/worlds/own.ts';
import type { TrainerEvent } from '../records/events.ts';
import type { GoneBack, ImportKind, RunHistory } from '../records/stored/history.ts';
import type { RunId } from '../records/ids.ts';
import type { Beside, Evaluation } from '../records/metrics.ts';
import type { Checkpoint } from '../records/stored/checkpoint.ts';
import type { HeldModel, ModelForm } from '../records/stored/modelCard.ts';
import type { RunLabel } from '../records/stored/runLabel.ts';
import type { ComparedBy } from '../records/stored/preference.ts';
import type { TrajectoryFile } from '../records/trajectory.ts';
import type { LookKind, Looks } from '../records/looks.ts';
import type { ShownPrompts } from '../records/shownPrompts.ts';

/** The run to open: either its settings, or a recorded history that is to be reproduced. */
export interface OpenRequest extends Partial<RunHistory> {
  config: Config;
  preset: string;
  /**
   * If this is true and training the warm start would take long, the page only measures how long it would take. The
   * warm start is then trained when the visitor requests it.
   */
  asksFirst?: boolean;
}

/** The source of an agent's weights: a run, and the iteration after which its weights are taken. */
export interface StoredSeat {
  run: RunId;
  iteration: number;
}

/**
 * Sizes in bytes. The sizes of text files are estimates, because these files are only written when they are requested.
 */
export interface ExportSizes {
  /** Size of the weights of the largest agent. */
  weightBytes: number;
  /**
   * Whether the agents use a foreign model and the checkpoints contain only the name of this model. In that case
   * `exportModel` exports the agents.
   */
  isHeld: boolean;
  /** Size of the optimiser state, without the weights, of the agent with the most trainable parameters. */
  optimiserBytes: number;
  trajectoryBytes: number;
  /** Size of the file of preference pairs that are chosen by reward. */
  pairBytes: number;
}

/**
 * The result of a request to train: this tab trains (`own`), another tab is training (`busy`), or another tab has
 * continued the open run in the meantime (`stale`).
 */
export type TrainingClaim = 'own' | 'busy' | 'stale';

/** Receives the trainer's news in order, in batches. */
export type Listener = (events: TrainerEvent[]) => void;

export interface TrainerApi {
  /** Sets the language of the trainer's texts; null stands for English. */
  speak(phrases: Phrases | null): Promise<void>;
  /**
   * Sets the receiver of all news. This must be called once, before any other call. Returns the name that identifies
   * this trainer to other tabs.
   */
  listen(listener: Listener): Promise<string>;
  /**
   * Chooses the engine, loads or trains the warm start, and measures the speed before training. The state becomes
   * `idle`, or `paused` for a fork. If a fork has to be reproduced, its parent is first trained up to the fork. Returns
   * true if a run is open; false if its warm start waits for the visitor's request or was stopped; and `busy` if the
   * warm start must be trained but another tab is training. Throws ConfigError.
   */
  open(request: OpenRequest): Promise<boolean | 'busy'>;
  /**
   * Loads the newest checkpoint of a stored run. With `back`, it loads the newest checkpoint up to iteration `back.to`
   * and notes this in the run; later iterations are deleted when training continues. The state becomes `paused`. Throws
   * StorageError.
   */
  resumeRun(id: RunId, back?: GoneBack): Promise<void>;
  /**
   * Ends the open run after the current iteration, and opens a fork of this run in which the agents share parameters
   * differently. The former run stays stored. The state becomes `paused`, or `done` if no iteration is left. Throws
   * ConfigError.
   */
  fork(mode: ForkMode): Promise<void>;
  /** Starts or continues training, up to the last iteration. Returns without waiting for the end. */
  train(): Promise<TrainingClaim>;
  /** Pauses training between two minibatches or turns; resolves once training is paused. */
  pause(): Promise<void>;
  /** Trains one iteration, then pauses. */
  step(): Promise<TrainingClaim>;
  /** Ends the run after the current iteration and stores it. */
  stop(): Promise<void>;
  /**
   * Cancels the preparation of a run; does nothing if no run is being prepared. Afterwards no run is open and the state
   * is `idle`. The progress of a warm start is kept.
   */
  abandon(): Promise<void>;
  /**
   * The current weights of the open run. Returns null during an iteration; the page then uses the newest stored
   * weights.
   */
  present(): Promise<Checkpoint | null>;
  /** Measures the current accuracy on the held-out problems and the other metrics of an evaluation. */
  evaluate(beside?: Beside): Promise<Evaluation>;
  /**
   * Measures the accuracy of a team of stored agents, one for each seat, with pass@k and maj@k. An open run pauses
   * during the measurement, and nothing is stored. Throws ConfigError if the agents cannot talk to each other, and
   * StorageError.
   */
  evaluateStored(seats: readonly StoredSeat[]): Promise<Evaluation>;
  /**
   * Computes an analysis of messages or of learning. An open run pauses during the analysis. Throws ConfigError and
   * StorageError.
   */
  look<K extends LookKind>(kind: K, at: Looks[K]['at']): Promise<Looks[K]['answer']>;
  /**
   * Changes a setting that may change during a run. The change takes effect from the next iteration on and is recorded
   * in the run; the new settings are sent as news. Throws ConfigError.
   */
  changeSetting(path: string, value: SettingValue): Promise<void>;
  /**
   * The zip file of one agent's weights: safetensors, config, tokenizer and chat template, with the optimiser's state
   * if `hasOptimiser` is set.
   */
  exportWeights(agent: number, hasOptimiser?: boolean): Promise<Uint8Array>;
  /**
   * The file of an agent that uses a foreign model, and whether this file is a zip. Throws ConfigError if this form is
   * not available.
   */
  exportModel(agent: number, form: ModelForm): Promise<{ file: Blob; isZip: boolean }>;
  /** The zip file of the run's verifier, in the same format. Throws ConfigError if no verifier is trained. */
  exportVerifier(): Promise<Uint8Array>;
  /** The current sizes of the files that the calls below return. Throws StorageError. */
  exportSizes(): Promise<ExportSizes>;
  /** All stored trajectories of the run. */
  exportTrajectories(as: TrajectoryFile): Promise<Blob>;
  /**
   * Pairs of a better and a worse dialogue about the same problem, as JSONL with the columns prompt, chosen, rejected.
   * The dialogues are compared by their reward or by the verifier's score of their answers. Throws ConfigError if no
   * verifier is trained.
   */
  exportPreferences(by: ComparedBy): Promise<Blob>;
  /**
   * Reads a file of preference pairs or of chats. Pairs are used by the open run, if there is one, and by all runs opened
   * later that learn from pairs; chats only by runs opened later that imitate chats. Returns the number of pairs or
   * chats. Throws FormatError with the line or the pair in the message.
   */
  importFile(kind: ImportKind, text: string, name: string): Promise<number>;
  /**
   * Reads a file of preference pairs or of chats and keeps it for a run that is to be reproduced. The open run does not
   * use this file.
   */
  keepFile(kind: ImportKind, text: string, name: string): Promise<number>;
  /**
   * Deletes a stored run. Throws ConfigError if the run is being trained, and StorageError if another run was forked
   * from it.
   */
  deleteRun(id: RunId): Promise<void>;
  /** Stores the name and notes that the visitor has given a run. Throws StorageError. */
  labelRun(label: RunLabel): Promise<void>;
  /**
   * Reads a model from these files and keeps it while the page is open. From then on, `agents.start` may contain its
   * name.
   * @throws FormatError, and ConfigError if no run can use it
   */
  holdModel(model: HeldModel, files: readonly File[]): Promise<void>;
  /**
   * Keeps an agent of a stored run while the page is open, as a model from which runs can start. Returns the name of
   * this model. Throws ConfigError if no run can start from this agent, and StorageError.
   */
  holdAgent(seat: StoredSeat, agent: number): Promise<HeldModel>;
  /**
   * The prompts of a team that talks in plain words with these settings; null if the world cannot be put in plain words.
   * Throws ConfigError if a text of the settings is not possible.
   */
  prompts(config: Config): Promise<ShownPrompts | null>;
  /**
   * Stores a world that has been checked, or a new label for it. From then on, settings may contain the name of this
   * world. Throws StorageError.
   */
  keepWorld(world: OwnWorld): Promise<void>;
  /** Deletes a world of the visitor's own. Throws ConfigError if a stored run needs it. */
  deleteWorld(name: OwnName): Promise<void>;
}
