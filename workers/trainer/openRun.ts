// Manages the one run that can be open in this worker: prepares and starts it, pauses it for other work, continues it
// after the loss of its device, and ends it.
import type { ChosenEngine } from '../../src/engine/choice.ts';
import { ConfigError, remediesOf, type StorageError } from '../../src/base/errors.ts';
import { spoken, told, toldInRow } from '../../src/base/spoken.ts';
import type { BackendChoice } from '../../src/config/names.ts';
import type { Checkpoint, RunRecord } from '../../src/records/stored/checkpoint.ts';
import type { RunState } from '../../src/records/events.ts';
import type { EnduringStore } from '../../src/storage/enduringStore.ts';
import type { ImportSource } from '../../src/training/history/replay.ts';
import { isDeviceFault, type Revived } from '../../src/training/run/revival.ts';
import { Session } from '../../src/training/run/session.ts';
import { Gate } from '../../src/training/team/gate.ts';
import { EngineKeeper } from '../engineKeeper.ts';
import type { News } from './news.ts';
import type { Tenure } from './tenure.ts';

interface OpenRunParts {
  news: News;
  store: EnduringStore;
  tenure: Tenure;
  pairsOf: ImportSource['pairsOf'];
}

/** The error that is thrown by a preparation that was cancelled. */
const abandoned = new ConfigError('run: the run was stopped during its preparation.');

/** The text of the note that is shown for a run whose newest records are damaged. */
export const repeatNote = (iteration: number, damage: StorageError) =>
  told`Records after iteration ${iteration} cannot be used, so the run is repeated from this iteration on: ${damage.message}`;

export class OpenRun {
  readonly engines = new EngineKeeper((error) => {
    if (this.#preparing) this.#preparing.break(error);
    else this.#session?.fail(error);
  });
  readonly #parts: OpenRunParts;
  #session: Session | null = null;
  #engine: ChosenEngine | null = null;
  #preparing: Gate | null = null;
  /**
   * The work on the device that is in progress while no run is open. The next preparation waits until this work has
   * finished.
   */
  #measuring: Promise<unknown> = Promise.resolve();

  constructor(parts: OpenRunParts) {
    this.#parts = parts;
  }

  get session(): Session | null {
    return this.#session;
  }

  /** The engine of the run that was opened last. */
  get engine(): ChosenEngine | null {
    return this.#engine;
  }

  get isPreparing(): boolean {
    return this.#preparing !== null;
  }

  /** Throws ConfigError if no run is open. */
  current(): Session {
    if (!this.#session)
      throw new ConfigError(spoken`run: no run is open; choose a preset or resume a stored run first.`);
    return this.#session;
  }

  /**
   * Ends the open run, calls `work`, and reports the state that `work` returns. Returns whether a run is open
   * afterwards. If `work` fails, or if the device fails in the meantime, the state becomes `failed`, no run is open,
   * and the error is rethrown.
   */
  async prepare(work: (gate: Gate) => Promise<RunState>): Promise<boolean> {
    const { news } = this.#parts;
    await this.#measuring;
    await this.#close();
    news.emit({ kind: 'state', state: 'preparing', message: '' });
    const gate = new Gate();
    this.#preparing = gate;
    try {
      const state = await work(gate);
      this.#refuseFaulty();
      this.#announce(state);
      return this.#session !== null;
    } catch (error) {
      await this.#close();
      if (error === abandoned) {
        this.#announce('idle');
        return false;
      }
      const { message } = error as Error;
      news.emit({ kind: 'state', state: 'failed', message, remedies: remediesOf(error) });
      throw error;
    } finally {
      this.#preparing = null;
    }
  }

  /** Cancels the preparation in progress, if there is one. */
  abandon(): void {
    this.#preparing?.break(abandoned);
  }

  /** Opens a run at a checkpoint, as part of a preparation. */
  begin(run: RunRecord, checkpoint: Checkpoint, engine: ChosenEngine): void {
    const { news, store, tenure, pairsOf } = this.#parts;
    this.#refuseFaulty();
    tenure.begin(0);
    this.#engine = engine;
    this.#session = new Session({
      ...{ run, checkpoint, store, pairsOf },
      emit: news.emit,
      now: () => performance.now(),
      revive: (lost, isToCpu) => this.#revive(lost, isToCpu),
    });
    news.emit({ kind: 'run', run, engine });
    if (checkpoint.pairs) news.emit({ kind: 'pairs', count: checkpoint.pairs.length });
  }

  /** Runs `work` on the device. While `work` runs, training is paused, and no other run is opened. */
  aside<T>(backend: BackendChoice, work: () => Promise<T>): Promise<T> {
    if (this.#preparing)
      throw new ConfigError(spoken`run: a run is being prepared; wait until it is open, or stop it.`);
    if (this.#session) return this.#session.meanwhile(work);
    const done = this.engines.start(backend).then(work);
    this.#measuring = done.catch(() => undefined);
    return done;
  }

  #announce(state: RunState): void {
    if (this.#session) this.#session.announce(state);
    else this.#parts.news.emit({ kind: 'state', state, message: '' });
  }

  /**
   * If a fault of the device has been reported since the preparation began, throws this fault, because the weights may
   * be wrong.
   */
  #refuseFaulty(): void {
    const fault = this.#preparing?.fault;
    if (fault && isDeviceFault(fault)) throw fault;
  }

  async #close(): Promise<void> {
    const { tenure } = this.#parts;
    const session = this.#session;
    if (!session) return;
    // If another tab has continued this run, the session is ended without storing the run, because storing it would
    // overwrite the records of the other tab.
    if (session.isUnderWay && (await tenure.claim(session.run, false)) !== 'own') await session.drop();
    else await session.dispose();
    this.#session = null;
    await tenure.release();
  }

  async #revive(run: RunRecord, isToCpu: boolean): Promise<Revived> {
    const { store, tenure } = this.#parts;
    const { id, iteration, backend, config } = run;
    const engine = await this.engines.replace(config.run.backend, backend, isToCpu);
    const { checkpoint = null, damaged = [] } = (await tenure.during(run, () => store.goBack(id))) ?? {};
    const from = checkpoint?.iteration ?? iteration;
    const failed = told`The device failed after iteration ${iteration}. ${engine.reason} The run continued from iteration ${from}.`;
    const reason = toldInRow([failed, ...(damaged[0] ? [repeatNote(from, damaged[0])] : [])]);
    return { engine: { ...engine, reason }, checkpoint };
  }
}
