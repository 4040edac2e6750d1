// The page's side of the trainer worker: its view of the open run, and the calls to the worker. Events are collected
// and applied once per frame (or a few times a second while the page is hidden). Calls that open a run are executed one
// after the other.
import { connectTrainer, type Connect, type TrainerConnection } from '../../api/connection.ts';
import type { LookKind, Looks } from '../../records/looks.ts';
import type { TrainingClaim, OpenRequest, TrainerApi } from '../../api/trainerApi.ts';
import { ConfigError, StorageError, TrainerLostError } from '../../base/errors.ts';
import { inWords, type Phrases, spoken } from '../../base/spoken.ts';
import type { ForkMode } from '../../config/fork.ts';
import type { Config } from '../../config/schema.ts';
import type { TrainerEvent } from '../../records/events.ts';
import type { RunId } from '../../records/ids.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { GoneBack } from '../../records/stored/history.ts';
import type { Beside } from '../../records/metrics.ts';
import { errorWords, type Notices } from '../visitor/notices.svelte.ts';
import { applyEvents, emptyView, isUnderWay, type RunView } from './runView.ts';
import { say } from '../visitor/language.svelte.ts';

/**
 * The minimum time between two updates of the view, in milliseconds. The page is drawn again after each update, which
 * slows down training on a machine with two cores.
 */
const gapMs = 200;
/** The kinds of events after which the view is updated immediately. */
const urgent: ReadonlySet<TrainerEvent['kind']> = new Set(['state', 'failed', 'evaluation', 'config']);
/** The maximum time in milliseconds for which events wait for a frame, because a hidden page has no frames. */
const patienceMs = 250;

type CallsWithoutRun =
  | 'evaluateStored'
  | 'present'
  | 'prompts'
  | 'holdModel'
  | 'holdAgent'
  | 'keepWorld'
  | 'deleteWorld'
  | 'deleteRun'
  | 'labelRun';
type CallsOfRun =
  | 'changeSetting'
  | 'exportWeights'
  | 'exportModel'
  | 'exportVerifier'
  | 'exportSizes'
  | 'exportTrajectories'
  | 'exportPreferences'
  | 'importFile'
  | 'keepFile';

/** Creates an object whose methods call a trainer. `trainer` is called each time to get the current trainer. */
function callsOf<K extends keyof TrainerApi>(find: () => Promise<TrainerConnection['trainer']>): Pick<TrainerApi, K> {
  return new Proxy({} as Pick<TrainerApi, K>, {
    get:
      (_, verb: K) =>
      async (...given: unknown[]) => {
        const trainer = await find();
        return (trainer[verb] as (...given: unknown[]) => unknown)(...given);
      },
  });
}

/**
 * Reads the group that was displayed at an iteration or, if this group is not stored, at the nearest iteration with a
 * stored group; null if there is none.
 */
type ShownAt = (iteration: number) => Promise<GroupInspection | null>;

export class TrainerClient {
  readonly #notices: Notices;
  readonly #connect: Connect;
  #phrases: Phrases | null = null;
  #connection: Promise<TrainerConnection> | null = null;
  /**
   * The view of another tab's run or of an archive, which is shown instead of this page's own run. Null if the page
   * shows its own run.
   */
  #watched = $state.raw<RunView | null>(null);
  #view = $state.raw<RunView>(emptyView('preparing', say('starting the trainer')));
  #opened = $state.raw<Config | null>(null);
  #unstored = $state('');
  #news: TrainerEvent[] = [];
  /** The timer of the next update; null if no update is planned, or if the update waits for a frame. */
  #waiting: ReturnType<typeof setTimeout> | null = null;
  #isAwaitingFrame = false;
  #appliedMs = -Infinity;
  /**
   * True from the request for another run until the first event of this run. Events that arrive meanwhile belong to the
   * previous run and are ignored.
   */
  #isWaiting = false;
  /** The run that could not be resumed because its model is missing, with the reason. */
  #lacking: { id: RunId; why: string } | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #newestOpen = 0;
  /** The displayed view: the run of this page, or the watched run of another tab. */
  readonly view = $derived(this.#watched ?? this.#view);
  /** Whether this page shows its own run; false while the page shows the run of another tab or an archive. */
  readonly isWriter = $derived(this.#watched === null);
  #noWeights = '';
  #shownAt = $state.raw<ShownAt | null>(null);
  /** Reads the groups of the displayed archive; null if none is displayed. */
  readonly shownAt = $derived(this.#shownAt);
  /** Whether the displayed run belongs to another tab. */
  readonly isWatching = $derived(this.#watched !== null && this.#shownAt === null);
  readonly isUnderWay = $derived(isUnderWay(this.view));
  #isTurning = $state(false);
  /** Whether the worker, which may be busy for seconds, was asked to train or to pause and has not begun to do so. */
  readonly isTurning = $derived(this.#isTurning);
  /** The run of this page, whether or not it is displayed. */
  readonly own = $derived(this.#view);
  /** Says why nothing is being stored; empty if everything is stored. */
  readonly unstored = $derived(this.#unstored);
  /** The settings with which the worker last opened a run; null if no run was opened yet. */
  readonly opened = $derived(this.#opened);
  /** Calls to the worker that are independent of the open run. Errors of the worker are thrown. */
  readonly worker = callsOf<CallsWithoutRun>(async () => (await this.#connected()).trainer);
  /**
   * Calls to the worker that concern the open run of this page. While another run is displayed, these calls throw
   * ConfigError.
   */
  readonly ofRun = callsOf<CallsOfRun>(() => this.#open());
  /** Called with the name of each new trainer, by which other tabs recognise the events of this trainer. */
  onConnected: (name: string) => void = () => undefined;
  /** Called after each evaluation of the run that is displayed. */
  onEvaluation: () => void = () => undefined;
  /** Called when training was requested while another tab trains. */
  onBusy: () => void = () => undefined;
  /** Called with the settings of the open run whenever they change. */
  onSettings: (config: Config) => void = () => undefined;
  /** Called when the trainer has ended unexpectedly, with the last state of its run. */
  onLost: (state: RunView['state']) => void = () => undefined;

  constructor(notices: Notices, connect: Connect = connectTrainer) {
    this.#notices = notices;
    this.#connect = connect;
  }

  /**
   * Passes texts in the visitor's language to the current trainer and to all later trainers. `null` stands for English.
   */
  speak(phrases: Phrases | null): void {
    this.#phrases = phrases;
    void this.#connection?.then(({ trainer }) => trainer.speak(phrases)).catch(() => undefined);
  }

  /** Loads the trainer in advance, while the page is being rendered. A failure is shown in the view as usual. */
  load(): void {
    void this.#connected().catch(() => undefined);
  }

  /**
   * Opens a new run and measures it. If several runs are requested one after the other, only the last one is opened.
   * Returns whether the run is open. If `asksFirst` is true and the run needs a long warm start, only the duration of
   * the warm start is estimated, and the run is not opened.
   */
  async open(request: OpenRequest): Promise<boolean> {
    const number = ++this.#newestOpen;
    this.#giveUpPreparing();
    return this.#inTurn(async () => {
      if (number !== this.#newestOpen) return false;
      const { trainer } = await this.#connected();
      if (this.#view.state === 'training') await trainer.pause();
      this.#start(say('choosing the engine'), request.config);
      try {
        const answer = await trainer.open(request);
        if (answer !== 'busy') return answer;
      } catch (thrown) {
        if (number !== this.#newestOpen) return false;
        throw thrown;
      }
      this.#opened = null;
      this.#view = emptyView('idle');
      this.onBusy();
      return false;
    });
  }

  /**
   * Loads a stored run at its newest checkpoint, or rewinds to an earlier checkpoint. `stored` is the view to display
   * until the worker sends its events.
   */
  async resume(
    { id, config }: Pick<RunRecord, 'id' | 'config'>,
    stored: Partial<RunView>,
    back?: GoneBack,
  ): Promise<boolean> {
    this.#newestOpen++;
    this.#giveUpPreparing();
    return this.#inTurn(async () => {
      const { trainer } = await this.#connected();
      if (this.#view.state === 'training') await trainer.pause();
      const [view, opened] = [this.#view, this.#opened];
      this.#start(say('loading the checkpoint'), config, stored);
      try {
        await trainer.resumeRun(id, back);
      } catch (thrown) {
        if (!this.#isWaiting) throw thrown;
        // The requested run could not be read, so the previous run is still open.
        this.#isWaiting = false;
        // If the previous run was still being prepared, its preparation was cancelled by this request.
        const wasPreparing = view.state === 'preparing';
        this.#opened = wasPreparing ? null : opened;
        this.#view = wasPreparing ? emptyView('idle') : view.state === 'training' ? { ...view, state: 'paused' } : view;
        if ((thrown as Error).name === 'MissingModelError') this.#lacking = { id, why: errorWords(thrown).text };
        else this.#notices.problem(thrown);
        return false;
      }
      return true;
    });
  }

  /**
   * An error message if a run could not be resumed because its model is missing; empty if the run was resumed, or could
   * not be resumed for another reason. The message is returned only once.
   */
  takeLacking(run: RunId): string {
    const { id, why } = this.#lacking ?? {};
    if (id === run) this.#lacking = null;
    return (id === run && why) || '';
  }

  /**
   * Forks the open run: opens a new run that continues the open run, for example with separate instead of shared
   * parameters. `stored` is the view to display until the worker sends its events.
   */
  async fork(mode: ForkMode, config: Config, stored: Partial<RunView>): Promise<boolean> {
    this.#newestOpen++;
    return this.#inTurn(async () => {
      const { trainer } = await this.#connected();
      this.#start(say('forking the run'), config, stored);
      await trainer.fork(mode);
      return true;
    });
  }

  /**
   * Calls that train start only when a run is open. Other calls do not wait for the end of training, because a run may
   * be paused for a long time.
   */
  train = () => this.#turning(this.#claiming((trainer) => trainer.train()));
  step = () => this.#turning(this.#claiming((trainer) => trainer.step()));
  pause = () => this.#turning(this.#guarded(async () => (await this.#open()).pause()));
  /** Cancels the preparation of a run. The progress of a warm start is kept. */
  stopPreparing = () => this.#guarded(async () => (await this.#open()).abandon());
  stop = () => this.#guarded(async () => (await this.#open()).stop());
  evaluate = (beside: Beside = null) => this.#guarded(async () => (await this.#open()).evaluate(beside));

  /** Errors of the worker are thrown. */
  look = async <K extends LookKind>(kind: K, at: Looks[K]['at']) => {
    if (this.#shownAt) throw new StorageError(this.#noWeights);
    return (await this.#connected()).trainer.look(kind, at) as Promise<Looks[K]['answer']>;
  };

  /** Shows a run that another tab trains. `stored` contains the data that this page has about this run. */
  watch(view: Partial<RunView>): void {
    this.#watched = { ...emptyView('training', say('in another tab')), ...view };
    this.#shownAt = null;
  }

  /**
   * Shows a run that cannot be changed here, because it is in an archive or its model is missing. `noWeights` is the
   * message of the error that is thrown by requests that need its weights.
   */
  lookAt(view: Partial<RunView>, shownAt: ShownAt, noWeights: string): void {
    this.#noWeights = noWeights;
    this.#watched = { ...emptyView('paused'), ...view };
    this.#shownAt = shownAt;
  }

  /** Without this call, the worker would finish a warm start that is no longer needed. */
  #giveUpPreparing(): void {
    if (this.#view.state !== 'preparing') return;
    void this.#connection?.then(({ trainer }) => trainer.abandon()).catch(() => undefined);
  }

  /** Applies events of the watched run. */
  hearOther(events: readonly TrainerEvent[]): void {
    if (this.#watched && this.isWatching) this.#watched = applyEvents(this.#watched, events);
  }

  /** Shows this page's own run again. */
  leave(): void {
    this.#watched = this.#shownAt = null;
  }

  /** Returns the running trainer, or starts a new one. */
  #connected(): Promise<TrainerConnection> {
    this.#connection ??= this.#connect(
      (events) => this.#hear(events),
      (error) => this.#lose(error),
    ).then(
      (connection) => {
        this.onConnected(connection.name);
        if (this.#phrases) this.speak(this.#phrases);
        return connection;
      },
      (error: unknown) => {
        this.#connection = null;
        this.#fail(error);
        throw error;
      },
    );
    return this.#connection;
  }

  /**
   * This must be checked here, because another tab may have started training after the click, so that the run of this
   * tab is displayed.
   */
  #claiming(verb: (trainer: TrainerConnection['trainer']) => Promise<TrainingClaim>): Promise<TrainingClaim | null> {
    const turn = async () => (this.isWatching ? 'busy' : verb(await this.#open()));
    return this.#queue.then(() => this.#guarded(turn));
  }

  /** The trainer, for calls that concern the open run of this page. */
  async #open() {
    if (this.isWatching)
      throw new ConfigError(spoken`run: this run is open in another tab; press “Use this tab” first.`);
    if (this.#watched) throw new ConfigError(spoken`run: this run is open only for viewing; close the run first.`);
    return (await this.#connected()).trainer;
  }

  /** Called when the trainer has ended unexpectedly; the next call starts another trainer. */
  #lose(error: TrainerLostError): void {
    const { state } = this.#view;
    this.#connection = null;
    this.#opened = null;
    this.#unstored = ''; // the next trainer says so again where it is so
    this.#fail(error);
    this.onLost(state);
  }

  #start(message: string, config: Config, stored: Partial<RunView> = {}): void {
    this.#news = [];
    this.#isWaiting = true;
    this.#opened = config;
    this.#view = { ...emptyView('preparing', message), engine: this.#view.engine, ...stored };
  }

  #hear(events: TrainerEvent[]): void {
    for (const event of events) {
      if (event.kind === 'state' && event.state === 'preparing') this.#isWaiting = false;
      if (!this.#isWaiting) this.#news.push(event);
    }
    if (this.#isAwaitingFrame) return;
    const isUrgent = events.some(({ kind }) => urgent.has(kind));
    const waitMs = isUrgent ? 0 : this.#appliedMs + gapMs - performance.now();
    if (waitMs > 0) this.#waiting ??= setTimeout(() => this.#applyWithFrame(), waitMs);
    else this.#applyWithFrame();
  }

  #applyWithFrame(): void {
    if (this.#waiting !== null) clearTimeout(this.#waiting);
    this.#waiting = null;
    this.#isAwaitingFrame = true;
    const timer = setTimeout(() => this.#apply(), patienceMs);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      this.#apply();
    });
  }

  #apply(): void {
    this.#isAwaitingFrame = false;
    this.#appliedMs = performance.now();
    if (this.#news.length === 0) return;
    const news = this.#news;
    this.#news = [];
    const { state } = this.#view;
    this.#view = applyEvents(this.#view, news);
    if (this.#view.state !== state) this.#isTurning = false;
    for (const event of news) this.#tell(event);
  }

  #tell(event: TrainerEvent): void {
    if (event.kind === 'revived') this.#notices.say(inWords(event.engine.reason));
    if (event.kind === 'unstored') this.#unstored = event.why;
    if (event.kind === 'evaluation') this.onEvaluation();
    if (event.kind === 'note') this.#notices.say(event.text);
    if (event.kind === 'thinned') this.#notices.say(event.text, 'room');
    if (event.kind !== 'config') return;
    this.onSettings(event.config);
    if (event.dropped === 0) return;
    this.#notices.say(
      say(
        'This run now differs from its run file. {count, plural, one {One later change in the file} other {# later changes in the file}} will not be made.',
        { count: event.dropped },
      ),
    );
  }

  async #turning<T>(call: Promise<T>): Promise<T> {
    this.#isTurning = true;
    try {
      return await call;
    } finally {
      this.#isTurning = false;
    }
  }

  /** Runs tasks one after the other. If a task fails, the next ones are still run. */
  #inTurn(work: () => Promise<boolean>): Promise<boolean> {
    const done = this.#queue.then(async () => (await this.#guarded(work)) ?? false);
    this.#queue = done;
    return done;
  }

  /** If `work` throws an error, shows the reason on the page and returns null. */
  async #guarded<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (thrown) {
      // The end of the trainer is reported once elsewhere, and not by each call that waits for the trainer.
      if (!(thrown instanceof TrainerLostError)) this.#fail(thrown);
      return null;
    }
  }

  #fail(thrown: unknown): void {
    this.#isWaiting = false;
    this.#apply();
    const { state, iteration, failure: told } = this.#view;
    const isFatal = state === 'preparing' || state === 'training' || state === 'failed';
    if (!isFatal) return this.#notices.problem(thrown);
    const { name, text } = errorWords(thrown);
    // Only the name and the message of an error in the worker arrive here. The fixes for this error arrive in an event
    // with the same message, before or after the error.
    const remedies = told?.message === text ? told.remedies : [];
    const failure = { name, message: text, iteration, remedies };
    this.#view = { ...this.#view, state: 'failed', progress: null, failure };
  }
}
