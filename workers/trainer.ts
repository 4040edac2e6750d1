// The trainer as the page knows it: wires engine, session, storage and exports together.
import type { ChosenEngine } from '../src/engine/choice.ts';
import type { ExportSizes, Listener, OpenRequest, TrainerApi } from '../src/api/trainerApi.ts';
import { ConfigError, StorageError } from '../src/base/errors.ts';
import type { SettingValue } from '../src/config/field.ts';
import type { ForkMode } from '../src/config/fork.ts';
import { forkName, uniqueName } from '../src/config/runName.ts';
import { parseConfig } from '../src/config/parse.ts';
import type { Config } from '../src/config/schema.ts';
import type { Checkpoint, RunRecord } from '../src/records/checkpoint.ts';
import type { PairImport } from '../src/records/history.ts';
import type { RunId } from '../src/records/ids.ts';
import { weightsDigest } from '../src/records/weightsDigest.ts';
import type { RunState } from '../src/records/events.ts';
import type { Evaluation } from '../src/records/metrics.ts';
import type { ComparedBy } from '../src/records/preference.ts';
import { IndexedDbStore } from '../src/storage/checkpointStore.ts';
import { EnduringStore } from '../src/storage/enduringStore.ts';
import { listForks, listRuns, loadMetrics, loadRun, wayOn } from '../src/storage/reading.ts';
import { WarmStarts } from '../src/storage/warmStarts.ts';
import { becomeWriter } from '../src/storage/writerLock.ts';
import { forkCheckpoint, forkedRun } from '../src/training/fork.ts';
import { Gate } from '../src/training/gate.ts';
import { isDeviceFault, type Revived } from '../src/training/revival.ts';
import { Session } from '../src/training/session.ts';
import { startingCheckpoint } from '../src/training/start.ts';
import { forecastWarmStart } from '../src/training/warmStartForecast.ts';
import { loadShipped } from './assets.ts';
import { EngineKeeper } from './engineKeeper.ts';
import { agentZip, exportSizes, preferenceLines, trajectoryLines } from './exports.ts';
import { News } from './news.ts';
import { PairFiles } from './pairFiles.ts';
import { tellPreflight } from './preflight.ts';
import { beginning, goneOn, idOf, type Beginning } from './replay.ts';

/** `name`, with a number where a stored run has it already. */
async function uniqueStoredName(name: string): Promise<string> {
  // Where no run can be read there is none to tell it from.
  const { runs } = await listRuns().catch(() => ({ runs: [] }));
  return uniqueName(name, new Set(runs.map(({ run }) => run.name)));
}

/** What became of a run whose newest checkpoint is damaged. */
const wentOn = (iteration: number, damage: StorageError) =>
  `What was stored after iteration ${iteration} cannot be gone on from, and the run repeats it: ${damage.message}`;
/** A warm start shorter than this is trained unasked, in milliseconds: nobody would wait for a question either. */
const briefMs = 10_000;
/** What breaks off a preparation that is given up. */
const abandoned = new ConfigError('run: its preparation was ended before it could begin.');

export class Trainer implements TrainerApi {
  readonly #news = new News();
  readonly #store = new IndexedDbStore();
  /** What the runs write to. */
  readonly #enduring = new EnduringStore(this.#store, (why) => this.#news.emit({ kind: 'unstored', why }));
  readonly #warmStarts = new WarmStarts();
  readonly #isWriter = becomeWriter();
  #session: Session | null = null;
  /** The preparation under way. */
  #opening: Gate | null = null;
  readonly #files = new PairFiles();
  /** The file of preference pairs imported last. */
  #imported: Pick<PairImport, 'name' | 'digest'> | null = null;
  readonly #engines = new EngineKeeper((error) => {
    if (this.#opening) this.#opening.break(error);
    else this.#session?.fail(error);
  });

  async listen(listener: Listener): Promise<{ isWriter: boolean }> {
    this.#news.sendTo(listener);
    // Without its summary a run of an earlier version is listed more slowly, and never wrongly.
    void this.#isWriter.then((isWriter) => (isWriter ? this.#store.summarise() : undefined)).catch(() => undefined);
    return { isWriter: await this.#isWriter };
  }

  async open(request: OpenRequest): Promise<boolean> {
    await this.#mustWrite();
    const { preset, changes = [], imports, fork, asksFirst = false } = request;
    const config = parseConfig(request.config);
    return this.#prepare(async (gate) => {
      const engine = await this.#engines.start(config.run.backend);
      this.#news.emit({ kind: 'engine', engine });
      const start = { backend: engine.backend, warmStarts: this.#warmStarts, gate };
      // A fork has the warm start of its parent, which is asked for with it.
      const rest = asksFirst && !fork ? await forecastWarmStart({ ...start, config }) : null;
      gate.throwFault();
      if (rest && rest.msLeft > briefMs) {
        this.#news.emit({ kind: 'warmStart', rest });
        return 'idle';
      }
      const asked = { preset, config, changes, imports: imports ?? this.#lastImport(), ...(fork && { fork }) };
      const begun = await beginning(asked, {
        backend: engine.backend,
        // The clock names and sorts runs; no result depends on it.
        createdMs: Date.now(),
        files: this.#files,
        gate,
        emit: this.#news.emit,
        start: (config, runId, pairs) =>
          startingCheckpoint({
            ...start,
            ...{ config, runId, loadShipped },
            ...(pairs && { pairs }),
            onProgress: (progress) => this.#news.emit({ kind: 'progress', label: 'Warm start', ...progress }),
          }),
        unique: uniqueStoredName,
      });
      if (begun.note) this.#news.emit({ kind: 'note', text: begun.note });
      if (fork) return this.#enterFork(begun, engine);
      await this.#begin(begun.run, begun.checkpoint, engine);
      await tellPreflight(this.#current(), this.#news.emit);
      return 'idle';
    });
  }

  /** What a run learns from that is opened without a history: the pairs imported last. */
  #lastImport(): PairImport[] {
    return this.#imported ? [{ ...this.#imported, iteration: 0 }] : [];
  }

  /** Stores where a fork begins, and goes on from there. */
  async #enterFork({ run, checkpoint, evaluation }: Beginning, engine: ChosenEngine): Promise<RunState> {
    const { iteration } = checkpoint;
    await this.#enduring.saveRun(run);
    const kept = await this.#enduring.saveCheckpoint(checkpoint, null);
    await this.#begin(run, checkpoint, engine);
    this.#news.emit({ kind: 'checkpoint', iteration, kept });
    // The same policies on the same problems: what was measured of one holds for the other.
    if (evaluation) {
      await this.#enduring.saveEvaluation(run.id, evaluation);
      this.#news.emit({ kind: 'evaluation', evaluation });
    }
    return iteration < run.config.run.iterations ? 'paused' : 'done';
  }

  async resumeRun(id: RunId): Promise<void> {
    await this.#mustWrite();
    const stored = await loadRun(id);
    const way = await wayOn(id);
    if (!way) {
      throw new StorageError(
        `run ${stored.name}: it has no checkpoint to go on from; start a new run with its settings.`,
      );
    }
    const { checkpoint, damaged } = way;
    await this.#prepare(async () => {
      const engine = await this.#engines.start(checkpoint.config.run.backend);
      await this.#store.forgetAfter(id, checkpoint.iteration);
      const { iteration, config } = checkpoint;
      const went = goneOn(stored, checkpoint, this.#files);
      const run = { ...stored, ...went, iteration, config, backend: engine.backend, isDone: false };
      await this.#begin(run, checkpoint, engine);
      if (damaged[0]) this.#news.emit({ kind: 'note', text: `${wentOn(iteration, damaged[0])}` });
      return 'paused';
    });
  }

  async fork(mode: ForkMode): Promise<void> {
    await this.#mustWrite();
    const parent = this.#current();
    const name = await uniqueStoredName(forkName(parent.run.name, mode));
    const createdMs = Date.now();
    const left = await parent.leave();
    const checkpoint = forkCheckpoint(left, { mode, runId: idOf(name, createdMs) });
    await this.#prepare(async () => {
      const engine = await this.#engines.start(checkpoint.config.run.backend);
      const run = forkedRun(parent.run, checkpoint, { name, createdMs, mode, digest: weightsDigest(left) });
      const { evaluations } = this.#enduring.isUnstored ? { evaluations: [] } : await loadMetrics(parent.run.id);
      const evaluation = evaluations.find(({ iteration }) => iteration === checkpoint.iteration) ?? null;
      return this.#enterFork({ run, checkpoint, evaluation, note: '' }, engine);
    });
  }

  async train(): Promise<void> {
    void this.#current().train();
    return Promise.resolve();
  }

  pause(): Promise<void> {
    return this.#current().pause();
  }

  async step(): Promise<void> {
    await this.#current().train(1);
  }

  stop(): Promise<void> {
    return this.#current().stop();
  }

  abandon(): Promise<void> {
    this.#opening?.break(abandoned);
    return Promise.resolve();
  }

  evaluate(): Promise<Evaluation> {
    return this.#current().evaluate();
  }

  changeSetting(path: string, value: SettingValue): Promise<Config> {
    return this.#current().change(path, value);
  }

  exportWeights(agent: number): Promise<Uint8Array> {
    return agentZip(this.#current(), agent);
  }

  exportSizes(): Promise<ExportSizes> {
    return exportSizes(this.#current());
  }

  exportTrajectories(): Promise<Blob> {
    return trajectoryLines(this.#current().run.id);
  }

  exportPreferences(by: ComparedBy): Promise<Blob> {
    return preferenceLines(this.#current(), by);
  }

  async importPreferences(text: string, name: string): Promise<number> {
    await this.#mustWrite();
    const file = this.#files.read(text, name);
    // Where a run was refused for its pairs none is open, and others are the way out.
    await this.#session?.importPairs(file.pairs, { name, digest: file.digest });
    this.#news.emit({ kind: 'pairs', count: file.pairs.length });
    this.#files.hold(file);
    this.#imported = { name, digest: file.digest };
    return file.pairs.length;
  }

  async keepPreferences(text: string, name: string): Promise<number> {
    await this.#mustWrite();
    const file = this.#files.read(text, name);
    this.#files.hold(file);
    return file.pairs.length;
  }

  async deleteRun(id: RunId): Promise<void> {
    await this.#mustWrite();
    if (this.#session?.isUnderWay && this.#session.run.id === id) {
      throw new ConfigError(`run ${this.#session.run.name}: it is under way; stop it first, then delete it.`);
    }
    const fork = (await listForks(id))[0];
    if (fork) throw new ConfigError(`run ${id}: ${fork} goes on from it and shows its past; delete that run first.`);
    await this.#store.deleteRun(id);
  }

  #current(): Session {
    if (!this.#session) throw new ConfigError('run: none is open; choose a preset or resume a stored run first.');
    return this.#session;
  }

  async #mustWrite(): Promise<void> {
    if (await this.#isWriter) return;
    throw new StorageError('another tab of Cothink is training here; close it to train in this one. Watching works.');
  }

  /**
   * Ends the open run, then does the work and tells the state that it answers; answers whether a run is open. A failure
   * becomes the state `failed`, leaves no run open and is thrown on; so is a fault of the device that is heard meanwhile.
   */
  async #prepare(work: (gate: Gate) => Promise<RunState>): Promise<boolean> {
    await this.#close();
    this.#news.emit({ kind: 'state', state: 'preparing', message: '' });
    const gate = new Gate();
    this.#opening = gate;
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
      this.#news.emit({ kind: 'state', state: 'failed', message: (error as Error).message });
      throw error;
    } finally {
      this.#opening = null;
    }
  }

  #announce(state: RunState): void {
    if (this.#session) this.#session.announce(state);
    else this.#news.emit({ kind: 'state', state, message: '' });
  }

  /** Throws what was heard of the device since the preparation began: weights may have become zeros. */
  #refuseFaulty(): void {
    const fault = this.#opening?.fault;
    if (fault && isDeviceFault(fault)) throw fault;
  }

  async #close(): Promise<void> {
    await this.#session?.dispose();
    this.#session = null;
  }

  async #begin(run: RunRecord, checkpoint: Checkpoint, engine: ChosenEngine): Promise<void> {
    this.#refuseFaulty();
    this.#session = new Session({
      run,
      checkpoint,
      store: this.#enduring,
      emit: this.#news.emit,
      now: () => performance.now(),
      revive: (lost) => this.#revive(lost),
      pairsOf: this.#files.pairsOf,
    });
    this.#news.emit({ kind: 'run', run, engine });
    if (checkpoint.pairs) this.#news.emit({ kind: 'pairs', count: checkpoint.pairs.length });
  }

  async #revive({ id, iteration, backend, config }: RunRecord): Promise<Revived> {
    const engine = await this.#engines.replace(config.run.backend, backend);
    const { checkpoint = null, damaged = [] } = (await this.#enduring.goBack(id)) ?? {};
    const from = checkpoint?.iteration ?? iteration;
    const passedOver = damaged[0] ? ` ${wentOn(from, damaged[0])}` : '';
    const reason = `The device failed after iteration ${iteration}. ${engine.reason} The run went on from iteration ${from}.${passedOver}`;
    return { engine: { ...engine, reason }, checkpoint };
  }
}
