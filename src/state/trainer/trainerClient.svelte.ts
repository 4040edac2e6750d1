// The page's side of the trainer worker: its state of the open run, and the calls to the worker. News is batched and
// applied once per frame (and a few times a second while the page is hidden); calls that open a run wait for each
// other.
import { connectTrainer, type Connect, type TrainerConnection } from '../../api/connection.ts';
import type { LookKind, Looks } from '../../api/inspectorApi.ts';
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
 * Shortest time between two updates from the news, in milliseconds. Each update costs a frame, and with two cores the
 * cost of a frame slows the learning.
 */
const gapMs = 200;
/** The kinds of news that are applied immediately. */
const urgent: ReadonlySet<TrainerEvent['kind']> = new Set(['state', 'failed', 'evaluation', 'config']);
/** Longest time news waits for a frame, in milliseconds: a hidden page has no frames. */
const patienceMs = 250;

type CallsWithoutRun =
  'evaluateStored' | 'present' | 'holdModel' | 'holdAgent' | 'keepWorld' | 'deleteWorld' | 'deleteRun' | 'labelRun';
type CallsOfRun =
  | 'changeSetting'
  | 'exportWeights'
  | 'exportModel'
  | 'exportVerifier'
  | 'exportSizes'
  | 'exportTrajectories'
  | 'exportPreferences'
  | 'importPreferences'
  | 'keepPreferences';

/** These calls of a trainer that is found when one is made. */
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

/** The group shown at an iteration, or at the nearest iteration with a kept group; null if there is none. */
type ShownAt = (iteration: number) => Promise<GroupInspection | null>;

export class TrainerClient {
  readonly #notices: Notices;
  readonly #connect: Connect;
  #phrases: Phrases | null = null;
  #connection: Promise<TrainerConnection> | null = null;
  /** The view of another tab's run, or of an archive, shown instead of this page's own; null if there is neither. */
  #watched = $state.raw<RunView | null>(null);
  #view = $state.raw<RunView>(emptyView('preparing', say('starting the trainer')));
  #opened = $state.raw<Config | null>(null);
  #unstored = $state('');
  #news: TrainerEvent[] = [];
  /** The timer of the next update; null if none is due, or if a frame is awaited. */
  #waiting: ReturnType<typeof setTimeout> | null = null;
  #isAwaitingFrame = false;
  #appliedMs = -Infinity;
  /** Between the request for another run and its first news: news that still arrives belongs to the previous one. */
  #isWaiting = false;
  /** The run that could not be resumed because its model is missing. */
  #lacking: { id: RunId; why: string } | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #newestOpen = 0;
  /** The displayed view: the run of this page, or the watched one. */
  readonly view = $derived(this.#watched ?? this.#view);
  /** Whether this page shows its own run; false while it watches another tab's or views an archive. */
  readonly isWriter = $derived(this.#watched === null);
  #noWeights = '';
  #shownAt = $state.raw<ShownAt | null>(null);
  /** Reads the groups of the displayed archive; null if none is displayed. */
  readonly shownAt = $derived(this.#shownAt);
  /** Whether the displayed run is another tab's. */
  readonly isWatching = $derived(this.#watched !== null && this.#shownAt === null);
  readonly isUnderWay = $derived(isUnderWay(this.view));
  /** The run of this page, whether or not it is displayed. */
  readonly own = $derived(this.#view);
  /** Why nothing is stored at present, in words; empty if everything is. */
  readonly unstored = $derived(this.#unstored);
  /** The settings the worker was last opened with; null before the first opening. */
  readonly opened = $derived(this.#opened);
  /** Calls to the worker that concern no open run; each throws what the worker throws. */
  readonly worker = callsOf<CallsWithoutRun>(async () => (await this.#connected()).trainer);
  /** Calls that concern the open run of this page; they throw ConfigError while another run is on show. */
  readonly ofRun = callsOf<CallsOfRun>(() => this.#open());
  /** Called with the name of each new trainer among the tabs. */
  onConnected: (name: string) => void = () => undefined;
  /** Called after each evaluation of the displayed run. */
  onEvaluation: () => void = () => undefined;
  /** Called when training was requested while another tab trains. */
  onBusy: () => void = () => undefined;
  /** Called with the settings of the open run whenever they change. */
  onSettings: (config: Config) => void = () => undefined;
  /** Called when the trainer has ended unexpectedly, with its last state. */
  onLost: (state: RunView['state']) => void = () => undefined;

  constructor(notices: Notices, connect: Connect = connectTrainer) {
    this.#notices = notices;
    this.#connect = connect;
  }

  /** Gives the current trainer and later ones the phrases of the visitor's language; null for English. */
  speak(phrases: Phrases | null): void {
    this.#phrases = phrases;
    void this.#connection?.then(({ trainer }) => trainer.speak(phrases)).catch(() => undefined);
  }

  /** Loads the trainer in advance, while the page is being rendered. A failure shows in the view as usual. */
  load(): void {
    void this.#connected().catch(() => undefined);
  }

  /**
   * Opens a new run and measures it; of several consecutive requests only the newest is carried out. Returns whether it
   * is open: with `asksFirst` a warm start that would take long is only measured.
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
   * Loads a stored run at its newest checkpoint, or rewinds to an earlier one. `stored` is the page's current knowledge
   * of it.
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
        // It could not be read, and the previously open run still is open.
        this.#isWaiting = false;
        // A run that was still being prepared was cancelled for this one.
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
   * Why a run could not be resumed because the model that it is based on is missing, returned once; empty if it could,
   * or for any other reason.
   */
  takeLacking(run: RunId): string {
    const { id, why } = this.#lacking ?? {};
    if (id === run) this.#lacking = null;
    return (id === run && why) || '';
  }

  /** Forks the open run with other parameters into a new run. `stored` is the page's current knowledge of it. */
  async fork(mode: ForkMode, config: Config, stored: Partial<RunView>): Promise<boolean> {
    this.#newestOpen++;
    return this.#inTurn(async () => {
      const { trainer } = await this.#connected();
      this.#start(say('forking the run'), config, stored);
      await trainer.fork(mode);
      return true;
    });
  }

  /** Training and stepping wait for a run to be open, and nothing waits for them: they may be paused for long. */
  train = () => this.#claiming((trainer) => trainer.train());
  step = () => this.#claiming((trainer) => trainer.step());
  pause = () => this.#guarded(async () => (await this.#open()).pause());
  /** Ends a preparation in progress; the learning of a warm start so far is kept. */
  stopPreparing = () => this.#guarded(async () => (await this.#open()).abandon());
  stop = () => this.#guarded(async () => (await this.#open()).stop());
  evaluate = (beside: Beside = null) => this.#guarded(async () => (await this.#open()).evaluate(beside));

  /** Throws the errors of the worker. */
  look = async <K extends LookKind>(kind: K, at: Looks[K]['at']) => {
    if (this.#shownAt) throw new StorageError(this.#noWeights);
    return (await this.#connected()).trainer.look(kind, at) as Promise<Looks[K]['answer']>;
  };

  /** Shows a run that another tab trains, as far as it is known. */
  watch(view: Partial<RunView>): void {
    this.#watched = { ...emptyView('training', say('in another tab')), ...view };
    this.#shownAt = null;
  }

  /**
   * Shows a run of an archive, or a stored one without its model, which nothing here can change; `noWeights` is the
   * error for requests of its weights.
   */
  lookAt(view: Partial<RunView>, shownAt: ShownAt, noWeights: string): void {
    this.#noWeights = noWeights;
    this.#watched = { ...emptyView('paused'), ...view };
    this.#shownAt = shownAt;
  }

  /** A warm start in progress would be trained to its end for nothing. */
  #giveUpPreparing(): void {
    if (this.#view.state !== 'preparing') return;
    void this.#connection?.then(({ trainer }) => trainer.abandon()).catch(() => undefined);
  }

  /** News of the watched run. */
  hearOther(events: readonly TrainerEvent[]): void {
    if (this.#watched && this.isWatching) this.#watched = applyEvents(this.#watched, events);
  }

  /** Shows this page's own run again. */
  leave(): void {
    this.#watched = this.#shownAt = null;
  }

  /** The running trainer, or a new one. */
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

  /** Another tab may start training, and be watched here, between a click and its execution. */
  #claiming(verb: (trainer: TrainerConnection['trainer']) => Promise<TrainingClaim>): Promise<TrainingClaim | null> {
    const turn = async () => (this.isWatching ? 'busy' : verb(await this.#open()));
    return this.#queue.then(() => this.#guarded(turn));
  }

  /** The trainer, for actions on its open run. */
  async #open() {
    if (this.isWatching) throw new ConfigError(spoken`run: it is open in another tab; use this tab first.`);
    if (this.#watched) throw new ConfigError(spoken`run: it is opened to look at; close it first.`);
    return (await this.#connected()).trainer;
  }

  /** The trainer has ended unexpectedly; the next request for one starts another. */
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
    this.#view = applyEvents(this.#view, news);
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
        'This run now differs from its run file. {count, plural, one {One change that was} other {# changes that were}} still to come will not be made.',
        { count: event.dropped },
      ),
    );
  }

  /** One after the other, whether or not the previous one succeeded. */
  #inTurn(work: () => Promise<boolean>): Promise<boolean> {
    const done = this.#queue.then(async () => (await this.#guarded(work)) ?? false);
    this.#queue = done;
    return done;
  }

  /** Returns null, and shows why on the page, when `work` throws. */
  async #guarded<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (thrown) {
      // The end of the trainer is reported once, not by everything that waited for it.
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
    // An error arrives as name and message; its fixes arrive as news with the same message, before or after it.
    const remedies = told?.message === text ? told.remedies : [];
    const failure = { name, message: text, iteration, remedies };
    this.#view = { ...this.#view, state: 'failed', progress: null, failure };
  }
}
