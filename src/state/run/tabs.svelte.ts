// The relation of this page to other tabs with Cothink. Only one of these tabs can train at a time. While another tab
// trains, this page can display the run of that tab. For this, the page reads the records from the store once, and then
// receives the events of the other tab. The visitor can also take over the training. If the other tab is closed, this
// is detected.
import { createContext } from 'svelte';
import { told } from '../../base/spoken.ts';
import { isLater, joinTabs, type Press, type SentMessage, type TabChannel } from '../../api/tabChannel.ts';
import { lifeLock, whenFree, writerLock } from '../../api/writerLock.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { Config } from '../../config/schema.ts';
import type { TrainerEvent } from '../../records/events.ts';
import type { RunId } from '../../records/ids.ts';
import { storedView, type Library } from '../library/library.svelte.ts';
import type { Notices } from '../visitor/notices.svelte.ts';
import type { Run } from './run.svelte.ts';
import type { RunView } from '../trainer/runView.ts';
import type { Setup } from '../settings/setup.svelte.ts';
import { say } from '../visitor/language.svelte.ts';

interface TabParts {
  run: Run;
  setup: Setup;
  library: Library;
  notices: Notices;
  /** Called when another run is displayed. */
  onWatch: () => void;
}

export class Tabs {
  readonly #parts: TabParts;
  readonly #channel: TabChannel;
  /** The names of this page's own trainers. Events of these trainers do not come from another tab. */
  readonly #ownNames: string[] = [];
  /** Whether no tab is training any more. */
  #isFree = $state(false);
  /** Whether the trainer of the watched tab has ended. */
  #hasEnded = $state(false);
  /**
   * The visitor's request to train in this tab; null if there is none, if this tab has already started to train, or if
   * the visitor chose another tab later.
   */
  #press = $state.raw<Press | null>(null);
  /** Whether a warm start was stopped here because the visitor chose another tab, which will train next. */
  #hasYielded = false;
  #asked = $state.raw<{ preset: string; config: Config } | null>(null);
  /**
   * Settings that were requested on this page while the run of another tab was displayed, and that have not been
   * applied yet; null if there are none.
   */
  readonly asked = $derived(this.#asked);
  /** Whether the other tab has received a request to stop training, and has not stopped yet. */
  readonly isTaking = $derived(this.#press !== null);
  #waiting: AbortController | null = null;
  /** Called after a change that may make it possible for this tab to take over the training. */
  #onChange: () => void = () => undefined;
  /** The events that arrive while the store is being read; null at other times. */
  #early: TrainerEvent[] | null = null;

  constructor(parts: TabParts) {
    this.#parts = parts;
    this.#channel = joinTabs('', (message) => this.#hear(message));
  }

  /** The state of the watched tab: training, paused, or closed during training. */
  get other(): 'training' | 'standing' | 'gone' {
    if (!this.#isFree) return 'training';
    // The lock of a tab may be released shortly before the event arrives that the tab has paused.
    return this.#wasTraining && this.#hasEnded ? 'gone' : 'standing';
  }

  get #wasTraining(): boolean {
    const { state } = this.#parts.run.view;
    return state === 'training' || state === 'preparing';
  }

  /** The name of this page's trainer. */
  know(name: string): void {
    this.#ownNames.push(name);
  }

  /** Displays the run of the tab that trains, no matter which run this is. */
  watch(): void {
    this.#begin({}, null, null);
    this.#channel.tell({ kind: 'ask' });
  }

  /** Shows this page's own run again. */
  leave(): void {
    this.#press = null;
    this.#onChange();
    this.#stopWatching();
  }

  /**
   * Takes over the run of the other tab, which stops after its current iteration. The run then continues in this tab.
   * If a third tab starts to train before this tab, the request is sent to the third tab too. The request ends when
   * this tab trains, or when the visitor has chosen another tab.
   */
  async takeOver(): Promise<void> {
    const press = { ms: performance.timeOrigin + performance.now(), by: this.#ownNames.at(-1) ?? '' };
    this.#press = press;
    const { run } = this.#parts;
    const isToTrain = !this.#isFree || this.#wasTraining;
    let other: RunRecord | null = null;
    this.#channel.tell({ kind: 'yield', press });
    while (this.#press === press) {
      other = run.view.run ?? other;
      if (!this.#isFree) {
        await new Promise<void>((resolve) => (this.#onChange = resolve));
        continue;
      }
      this.#stopWatching();
      if (other && !(await run.resume(other))) break;
      if (this.#press !== press) return;
      if (isToTrain && run.isWriter) await run.train();
      if (run.isWriter) break;
    }
    if (this.#press === press) this.#press = null;
  }

  #stopWatching(): void {
    this.#waiting?.abort();
    this.#parts.run.trainer.leave();
  }

  /** Opens a run with the settings that were requested before the run of another tab was displayed. */
  openAsked(): void {
    const { run, setup } = this.#parts;
    const asked = this.#asked;
    this.dismissAsked();
    this.leave();
    if (!asked) return;
    setup.accept(asked.config, asked.preset);
    if (run.trainer.opened !== asked.config) setup.newRun();
  }

  dismissAsked(): void {
    this.#asked = null;
  }

  #hear(message: SentMessage): void {
    if (this.#ownNames.includes(message.from)) return;
    if (message.kind === 'yield') this.#giveWay(message.press);
    if (message.kind === 'training') void this.#meet(message);
    if (message.kind === 'news') this.#follow(message.events);
    if (message.kind === 'deleted') this.#forget(message.id);
    if (message.kind === 'labelled') void this.#parts.library.refresh();
  }

  /** Called when the visitor has chosen another tab for training. */
  #giveWay(press: Press): void {
    const { trainer } = this.#parts.run;
    if (this.#press && isLater(press, this.#press)) {
      this.#press = null;
      this.#onChange();
    }
    if (trainer.isWriter) this.#hasYielded = trainer.own.state === 'preparing';
  }

  /**
   * Called when another tab trains. The page then displays the run of the other tab in three cases: if the page already
   * displays the run of another tab, if the other tab trains the run that is open here, or if this page has stopped
   * training in favour of the other tab.
   */
  async #meet({ run: other, engine: notes, from }: SentMessage & { kind: 'training' }): Promise<void> {
    const { trainer } = this.#parts.run;
    const { run: own } = trainer.own;
    const isOurs = own ? own.id === other?.id : this.#hasYielded;
    if (trainer.shownAt || (trainer.isWriter && !isOurs)) return;
    this.#hasYielded = false;
    const engine = notes && { ...notes, adapter: told`in the other tab` };
    this.#channel.tell({ kind: 'watch' });
    if (!other) return this.#begin({ state: 'preparing', engine }, null, from);
    const early: TrainerEvent[] = [];
    this.#early = early;
    this.#begin({ run: other, engine, iteration: other.iteration }, other, from);
    const stored = await this.#parts.notices.attempt(() => storedView(other));
    if (stored && trainer.isWatching && this.#early === early) trainer.watch({ ...stored, engine });
    if (this.#early !== early) return;
    this.#early = null;
    trainer.hearOther(early);
  }

  /** `from` is the name of the trainer of the watched tab, if it is known. */
  #begin(view: Partial<RunView>, other: RunRecord | null, from: string | null): void {
    const { run, setup, onWatch } = this.#parts;
    const { preset, config } = setup;
    const { trainer } = run;
    if (trainer.isWriter && !(other && trainer.own.run?.id === other.id)) this.#asked = { preset, config };
    if (other) setup.accept(other.config, other.preset);
    onWatch();
    trainer.watch(view);
    this.#isFree = this.#hasEnded = false;
    this.#waiting?.abort();
    const waiting = new AbortController();
    this.#waiting = waiting;
    void whenFree(writerLock, waiting.signal).then(() => {
      this.#isFree = true;
      this.#onChange();
    });
    if (from) void whenFree(lifeLock(from), waiting.signal).then(() => (this.#hasEnded = true));
    // Another tab has started to train, but the visitor's newest request is to train in this tab.
    if (this.#press) this.#channel.tell({ kind: 'yield', press: this.#press });
  }

  #forget(id: RunId): void {
    const { run, setup, library, notices } = this.#parts;
    library.forget(id);
    const own = run.trainer.own.run;
    if (own?.id !== id) return;
    notices.say(say('{name} was deleted in another tab. A new run with its settings is open.', { name: own.name }));
    if (run.isWriter) setup.newRun();
  }

  #follow(events: readonly TrainerEvent[]): void {
    const { trainer } = this.#parts.run;
    if (!trainer.isWatching) return;
    if (this.#early) this.#early.push(...events);
    else trainer.hearOther(events);
  }
}

export const [getTabs, setTabs] = createContext<Tabs>();
