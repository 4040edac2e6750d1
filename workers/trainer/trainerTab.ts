// Coordinates the tabs in which the page is open. It determines which tab trains, which tabs only show the training,
// and which tab may write to the open run.
import { joinTabs, type SentMessage, type TabMessage } from '../../src/api/tabChannel.ts';
import type { TrainingClaim } from '../../src/api/trainerApi.ts';
import type { TrainerEvent } from '../../src/records/events.ts';
import type { Session } from '../../src/training/run/session.ts';
import type { Tenure } from './tenure.ts';
import type { OpenRun } from './openRun.ts';

export class TrainerTab {
  /** The name by which other tabs identify this trainer. */
  readonly name = globalThis.crypto.randomUUID?.() ?? '';
  readonly #channel = joinTabs(this.name, (message) => this.#hear(message));
  readonly #run: OpenRun;
  readonly #tenure: Tenure;
  /** Whether a page in another tab shows the training of this tab. */
  #isWatched = false;

  constructor(run: OpenRun, tenure: Tenure) {
    this.#run = run;
    this.#tenure = tenure;
  }

  tell(message: TabMessage): void {
    this.#channel.tell(message);
  }

  tellTraining(): void {
    const { session, engine } = this.#run;
    this.tell({ kind: 'training', run: session?.run ?? null, engine });
  }

  /** Sends events to the other tabs, if one of them shows the training of this tab. */
  passOn(events: TrainerEvent[]): void {
    if (this.#isWatched) this.tell({ kind: 'news', events });
  }

  /**
   * Calls `work`, which writes to the open run. Throws ConfigError if no run is open, and StorageError if another tab
   * trains the run or has continued it.
   */
  async own<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#run.current();
    try {
      return await this.#tenure.during(session.run, () => work(session));
    } finally {
      this.rest();
    }
  }

  /** Starts to train the open run, if this tab may do so. Throws ConfigError if no run is open. */
  async train(begin: (session: Session) => Promise<void> | void): Promise<TrainingClaim> {
    const session = this.#run.current();
    const claim = await this.#tenure.claim(session.run, true);
    if (claim !== 'own') return claim;
    try {
      const begun = begin(session);
      this.tellTraining();
      await begun;
      return claim;
    } catch (error) {
      this.rest();
      throw error;
    }
  }

  /** Releases the locks if this tab neither trains nor writes any more. */
  rest(): void {
    if (this.#tenure.isBusy || this.#run.isPreparing || this.#run.session?.state === 'training') return;
    void this.#tenure.release();
  }

  #hear(message: SentMessage): void {
    const { kind } = message;
    this.#isWatched ||= kind === 'watch';
    if (kind === 'labelled') this.#run.session?.takeName(message);
    if (!this.#tenure.isTraining) return;
    // A request from the page of this trainer is ignored, because the page has already changed the state itself.
    if (kind === 'yield' && message.press.by !== this.name) this.#handOver();
    if (kind === 'ask') this.tellTraining();
  }

  /**
   * Prepares this tab for another tab that continues the run: finishes the current iteration and stores a checkpoint,
   * or cancels the preparation.
   */
  #handOver(): void {
    if (this.#run.isPreparing) this.#run.abandon();
    else if (this.#run.session?.state === 'training') void this.#run.session.train(1);
  }
}
