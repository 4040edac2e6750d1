// Other tabs of Cothink. While one of them trains, this page may watch: it reads the store once and then hears the news.
// From there it can ask to be the tab that trains, or see that the other one is gone.
import { joinTabs, type SentMessage, type TabChannel } from '../api/tabChannel.ts';
import { whenFree, writerLock } from '../api/writerLock.ts';
import type { RunRecord } from '../records/checkpoint.ts';
import type { Config } from '../config/schema.ts';
import type { EngineNotes, TrainerEvent } from '../records/events.ts';
import type { RunId } from '../records/ids.ts';
import { storedView } from './library.svelte.ts';
import type { Notices } from './notices.svelte.ts';
import type { Session } from './session.svelte.ts';
import type { Settings } from './settings.svelte.ts';

interface TabParts {
  session: Session;
  settings: Settings;
  notices: Notices;
  resume: (run: RunRecord) => Promise<unknown>;
  train: () => Promise<void>;
  newRun: () => void;
  /** Another run is on show. */
  onWatch: () => void;
  /** Another tab has deleted a run. */
  onDeleted: (id: RunId) => void;
}

export class Tabs {
  readonly #parts: TabParts;
  readonly #channel: TabChannel;
  /** Names of the trainers that this page has had: what they say is no news from another tab. */
  readonly #ownNames: string[] = [];
  /** Nobody trains any more. */
  #isFree = $state(false);
  #isTaking = $state(false);
  #asked = $state.raw<{ preset: string; config: Config } | null>(null);
  #waiting: AbortController | null = null;
  #onFree: () => void = () => undefined;
  /** News that came while the store was read; null when it is not. */
  #early: TrainerEvent[] | null = null;

  constructor(parts: TabParts) {
    this.#parts = parts;
    this.#channel = joinTabs('', (message) => this.#hear(message));
  }

  /** What the tab that is watched does: it trains, stands still, or is gone in the midst of it. */
  get other(): 'training' | 'standing' | 'gone' {
    if (!this.#isFree) return 'training';
    const { state } = this.#parts.session.view;
    return state === 'training' || state === 'preparing' ? 'gone' : 'standing';
  }
  /** Settings that this page was asked for and that wait while, or since, another tab's run is on show; null for none. */
  get asked(): { preset: string; config: Config } | null {
    return this.#asked;
  }
  /** Whether the other tab has been asked to hand over and has not yet done so. */
  get isTaking(): boolean {
    return this.#isTaking;
  }

  /** The trainer of this page is called so. */
  know(name: string): void {
    this.#ownNames.push(name);
  }

  /** Watches the tab that trains, whatever it trains. */
  watch(): void {
    this.#begin({}, null);
    this.#channel.tell({ kind: 'ask' });
  }

  /** Shows this page's own run again. */
  leave(): void {
    this.#waiting?.abort();
    this.#isTaking = false;
    this.#parts.session.leave();
  }

  /** Takes the place of the other tab: it ends its iteration and hands over, and its run goes on here. */
  async takeOver(): Promise<void> {
    const wasTraining = this.other !== 'standing';
    this.#isTaking = true;
    while (!this.#isFree) {
      const freed = new Promise<void>((resolve) => (this.#onFree = resolve));
      this.#channel.tell({ kind: 'yield' });
      await freed;
    }
    const { run } = this.#parts.session.view;
    const { resume, train } = this.#parts;
    this.leave();
    if (run) await resume(run);
    if (wasTraining) await train();
  }

  /** Opens what this page was asked for before it watched another tab. */
  openAsked(): void {
    const { session, settings, newRun } = this.#parts;
    const asked = this.#asked;
    this.dismissAsked();
    this.leave();
    if (!asked) return;
    settings.accept(asked.config, asked.preset);
    if (session.opened !== asked.config) newRun();
  }

  dismissAsked(): void {
    this.#asked = null;
  }

  #hear(message: SentMessage): void {
    if (this.#ownNames.includes(message.from)) return;
    if (message.kind === 'training') void this.#meet(message.run, message.engine);
    if (message.kind === 'news') this.#follow(message.events);
    if (message.kind === 'deleted') this.#forget(message.id);
  }

  /** Another tab trains. This page watches it if it watches already, or if the run is the one that is open here. */
  async #meet(run: RunRecord | null, engine: EngineNotes | null): Promise<void> {
    const { session, notices } = this.#parts;
    if (session.isWriter && (run === null || session.own.run?.id !== run.id)) return;
    const other = engine && { ...engine, adapter: 'in the other tab' };
    this.#channel.tell({ kind: 'watch' });
    if (!run) return this.#begin({ state: 'preparing', engine: other }, null);
    const early: TrainerEvent[] = [];
    this.#early = early;
    this.#begin({ run, engine: other, iteration: run.iteration }, run);
    try {
      const stored = await storedView(run);
      if (!session.isWriter && this.#early === early) session.watch({ ...stored, engine: other });
    } catch (thrown) {
      notices.problem(thrown);
    }
    if (this.#early !== early) return;
    this.#early = null;
    session.hearOther(early);
  }

  #begin(view: Parameters<Session['watch']>[0], run: RunRecord | null): void {
    const { session, settings, onWatch } = this.#parts;
    const { preset, config } = settings;
    if (session.isWriter && !(run && session.own.run?.id === run.id)) this.#asked = { preset, config };
    if (run) settings.accept(run.config, run.preset);
    onWatch();
    session.watch(view);
    this.#isFree = false;
    this.#waiting?.abort();
    const waiting = new AbortController();
    this.#waiting = waiting;
    void whenFree(writerLock, waiting.signal).then(() => {
      this.#isFree = true;
      this.#onFree();
    });
  }

  #forget(id: RunId): void {
    const { session, notices, newRun, onDeleted } = this.#parts;
    onDeleted(id);
    const { run } = session.own;
    if (run?.id !== id) return;
    notices.say(`${run.name} was deleted in another tab. A new run with its settings is open.`);
    if (session.isWriter) newRun();
  }

  #follow(events: readonly TrainerEvent[]): void {
    const { session } = this.#parts;
    if (session.isWriter) return;
    if (this.#early) this.#early.push(...events);
    else session.hearOther(events);
  }
}
