// The façade round the trainer worker: what is known of the open run, and the verbs of the page. News is gathered and
// applied once a frame (and a few times a second while the page is hidden); calls that open a run wait for each other.
import { connectTrainer, crossing, type TrainerConnection } from '../api/connection.ts';
import type { OpenRequest } from '../api/trainerApi.ts';
import type { SettingValue } from '../config/field.ts';
import type { ForkMode } from '../config/fork.ts';
import type { Config } from '../config/schema.ts';
import type { TrainerEvent } from '../records/events.ts';
import type { RunId } from '../records/ids.ts';
import type { ComparedBy } from '../records/preference.ts';
import { errorWords, type Notices } from './notices.svelte.ts';
import { applyEvents, emptyView, isUnderWay, type RunView } from './runView.ts';

/** Shortest time from one look at the news to the next, in milliseconds; a change of state does not wait. */
const gapMs = 80;
/** Longest time news waits for a frame, in milliseconds: a hidden page has none. */
const patienceMs = 250;

export class Session {
  readonly #notices: Notices;
  readonly #onSettings: (config: Config) => void;
  #connection: TrainerConnection | null = null;
  #view = $state.raw<RunView>(emptyView('preparing', 'starting the trainer'));
  #isWriter = $state(true);
  #opened = $state.raw<Config | null>(null);
  #unstored = $state('');
  #news: TrainerEvent[] = [];
  #isScheduled = false;
  #appliedMs = -Infinity;
  /** Between asking for another run and its first news: what still comes belongs to the one before. */
  #isWaiting = false;
  #queue: Promise<unknown> = Promise.resolve();
  #newestOpen = 0;
  readonly #isUnderWay = $derived(isUnderWay(this.#view));

  /** `onSettings` hears the settings of the open run whenever they change. */
  constructor(notices: Notices, onSettings: (config: Config) => void) {
    this.#notices = notices;
    this.#onSettings = onSettings;
  }

  get view(): RunView {
    return this.#view;
  }
  /** False in a second tab: it may watch, not train. */
  get isWriter(): boolean {
    return this.#isWriter;
  }
  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }
  /** Why nothing is stored at present, in words; empty where everything is. */
  get unstored(): string {
    return this.#unstored;
  }
  /** The settings the worker was last opened with; null before that. */
  get opened(): Config | null {
    return this.#opened;
  }

  /** Starts the worker. Answers whether this tab may write. */
  async connect(): Promise<boolean> {
    this.#connection = connectTrainer((message) => this.#fail(new Error(message)));
    try {
      const { isWriter } = await this.#trainer.listen(crossing((events) => this.#hear(events)));
      this.#isWriter = isWriter;
      return isWriter;
    } catch (thrown) {
      this.#fail(thrown);
      return true;
    }
  }

  /**
   * Opens a new run and measures it; of several requests in a row only the newest is carried out. Answers whether it is
   * open: with `asksFirst` a warm start that takes long is only measured.
   */
  async open(request: OpenRequest): Promise<boolean> {
    const number = ++this.#newestOpen;
    this.#giveUpPreparing();
    return this.#inTurn(async () => {
      if (number !== this.#newestOpen) return false;
      if (this.#view.state === 'training') await this.#trainer.pause();
      this.#start('choosing the engine', request.config);
      try {
        return await this.#trainer.open(request);
      } catch (thrown) {
        if (number !== this.#newestOpen) return false;
        throw thrown;
      }
    });
  }

  /** Loads a stored run at its newest checkpoint. `stored` is what the page already knows of it. */
  async resume(id: RunId, config: Config, stored: Partial<RunView>): Promise<boolean> {
    this.#newestOpen++;
    this.#giveUpPreparing();
    return this.#inTurn(async () => {
      if (this.#view.state === 'training') await this.#trainer.pause();
      const [view, opened] = [this.#view, this.#opened];
      this.#start('loading the checkpoint', config, stored);
      try {
        await this.#trainer.resumeRun(id);
      } catch (thrown) {
        if (!this.#isWaiting) throw thrown;
        // It could not be read, and the run that was open still is.
        this.#isWaiting = false;
        this.#opened = opened;
        this.#view = view.state === 'training' ? { ...view, state: 'paused' } : view;
        this.#notices.problem(thrown);
        return false;
      }
      return true;
    });
  }

  /** Goes on from the open run under other parameters, as a new run. `stored` is what the page already knows of it. */
  async fork(mode: ForkMode, config: Config, stored: Partial<RunView>): Promise<boolean> {
    this.#newestOpen++;
    return this.#inTurn(async () => {
      this.#start('forking the run', config, stored);
      await this.#trainer.fork(mode);
      return true;
    });
  }

  /** Training and stepping wait for a run to be open, and nothing waits for them: they may stand still for long. */
  train = () => this.#queue.then(() => this.#guarded(async () => (await this.#trainer.train(), true)));
  step = () => this.#queue.then(() => this.#guarded(async () => (await this.#trainer.step(), true)));
  pause = () => this.#guarded(async () => (await this.#trainer.pause(), true));
  /** Ends a preparation under way; what a warm start has learned is kept. */
  stopPreparing = () => this.#guarded(async () => (await this.#trainer.abandon(), true));
  stop = () => this.#guarded(async () => (await this.#trainer.stop(), true));
  evaluate = () => this.#guarded(async () => (await this.#trainer.evaluate(), true));

  /** Changes a live setting of the run under way. Answers the settings as they are now. Throws ConfigError. */
  async change(path: string, value: SettingValue): Promise<Config> {
    return this.#trainer.changeSetting(path, value);
  }

  /** Throws what the worker throws. */
  exportWeights = (agent: number) => this.#trainer.exportWeights(agent);
  exportSizes = () => this.#trainer.exportSizes();
  exportTrajectories = () => this.#trainer.exportTrajectories();
  exportPreferences = (by: ComparedBy) => this.#trainer.exportPreferences(by);
  importPreferences = (text: string, name: string) => this.#trainer.importPreferences(text, name);
  keepPreferences = (text: string, name: string) => this.#trainer.keepPreferences(text, name);
  deleteRun = (id: RunId) => this.#trainer.deleteRun(id);

  /** Shows a run that another tab trains. */
  watch(view: Partial<RunView>): void {
    this.#view = { ...emptyView('idle', 'Another tab trains'), ...view };
  }

  /** A warm start under way would be trained to its end for nothing. */
  #giveUpPreparing(): void {
    if (this.#view.state === 'preparing') void this.#connection?.trainer.abandon().catch(() => undefined);
  }

  get #trainer() {
    if (!this.#connection) throw new Error('The trainer has not been started.');
    return this.#connection.trainer;
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
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const isUrgent = events.some(({ kind }) => kind === 'state' || kind === 'failed');
    const waitMs = isUrgent ? 0 : this.#appliedMs + gapMs - performance.now();
    if (waitMs > 0) setTimeout(() => this.#applyWithFrame(), waitMs);
    else this.#applyWithFrame();
  }

  #applyWithFrame(): void {
    const timer = setTimeout(() => this.#apply(), patienceMs);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      this.#apply();
    });
  }

  #apply(): void {
    this.#isScheduled = false;
    this.#appliedMs = performance.now();
    if (this.#news.length === 0) return;
    const news = this.#news;
    this.#news = [];
    this.#view = applyEvents(this.#view, news);
    for (const event of news) this.#tell(event);
  }

  #tell(event: TrainerEvent): void {
    if (event.kind === 'revived') this.#notices.say(event.engine.reason);
    if (event.kind === 'unstored') this.#unstored = event.why;
    if (event.kind === 'note') this.#notices.say(event.text);
    if (event.kind !== 'config') return;
    this.#onSettings(event.config);
    if (event.dropped === 0) return;
    const changes = event.dropped === 1 ? 'One change that was' : `${event.dropped} changes that were`;
    this.#notices.say(`This run now goes its own way. ${changes} still to come in its run file will not be made.`);
  }

  /** One after the other, each whatever became of the one before. */
  #inTurn(work: () => Promise<boolean>): Promise<boolean> {
    const done = this.#queue.then(() => this.#guarded(work));
    this.#queue = done;
    return done;
  }

  /** Answers false, and says why on the page, when `work` throws. */
  async #guarded(work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work();
    } catch (thrown) {
      this.#fail(thrown);
      return false;
    }
  }

  #fail(thrown: unknown): void {
    this.#isWaiting = false;
    this.#apply();
    const { state } = this.#view;
    const isFatal = state === 'preparing' || state === 'training' || state === 'failed';
    if (!isFatal) return this.#notices.problem(thrown);
    const { name, text } = errorWords(thrown);
    const failure = { name, message: text, iteration: this.#view.iteration };
    this.#view = { ...this.#view, state: 'failed', progress: null, failure };
  }
}
