// Other tabs of Cothink. While one of them trains, this page may watch: it reads the store once and then receives the
// news. From there it can ask to become the training tab, or detect that the other one is gone.
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
  /** Another run is displayed. */
  onWatch: () => void;
}

export class Tabs {
  readonly #parts: TabParts;
  readonly #channel: TabChannel;
  /** Names of this page's trainers: their messages are not news from another tab. */
  readonly #ownNames: string[] = [];
  /** No tab trains any more. */
  #isFree = $state(false);
  /** The watched trainer has ended. */
  #hasEnded = $state(false);
  /** The visitor has chosen this tab, which does not train yet; null if it does, or if another was chosen later. */
  #press = $state.raw<Press | null>(null);
  /** A warm start ended here in favour of another tab, which trains next. */
  #hasYielded = false;
  #asked = $state.raw<{ preset: string; config: Config } | null>(null);
  /** Settings requested from this page that wait while, or since, another tab's run is displayed; null for none. */
  readonly asked = $derived(this.#asked);
  /** Whether the other tab was asked to hand over and has not done so yet. */
  readonly isTaking = $derived(this.#press !== null);
  #waiting: AbortController | null = null;
  /** Something changed that a tab waits for when it takes over. */
  #onChange: () => void = () => undefined;
  /** News that arrived while the store was being read; null if it is not being read. */
  #early: TrainerEvent[] | null = null;

  constructor(parts: TabParts) {
    this.#parts = parts;
    this.#channel = joinTabs('', (message) => this.#hear(message));
  }

  /** The state of the watched tab: it trains, is paused, or vanished in the middle of training. */
  get other(): 'training' | 'standing' | 'gone' {
    if (!this.#isFree) return 'training';
    // From a live tab, the news that it has paused may arrive later than the release of its lock.
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

  /** Watches the training tab, whichever run it trains. */
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
   * Takes over from the other tab: it finishes its iteration and hands over, and its run continues here. If other tabs
   * were faster they hand over too, until this tab trains or another was chosen later.
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

  /** Opens the settings requested before this page watched another tab. */
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

  /** Another tab was chosen. */
  #giveWay(press: Press): void {
    const { trainer } = this.#parts.run;
    if (this.#press && isLater(press, this.#press)) {
      this.#press = null;
      this.#onChange();
    }
    if (trainer.isWriter) this.#hasYielded = trainer.own.state === 'preparing';
  }

  /**
   * Another tab trains. This page watches it if it already watches, if the run is the one open here, or if it has
   * yielded to it.
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

  /** `from` is the watched trainer, if known. */
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
    // It was faster than this tab, which was chosen later.
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
