// The trainer as the page knows it: wires engine, session, storage and exports together.
import type { ChosenEngine } from '../src/engine/choice.ts';
import { joinTabs } from '../src/api/tabChannel.ts';
import type { TrainingClaim, Listener, OpenRequest, StoredSeat, TrainerApi } from '../src/api/trainerApi.ts';
import { hold, lifeLock, whileHeld } from '../src/api/writerLock.ts';
import { ConfigError, remediesOf, StorageError } from '../src/base/errors.ts';
import { inWords, type Phrases, speakIn, spoken, told, toldInRow } from '../src/base/spoken.ts';
import type { SettingValue } from '../src/config/field.ts';
import type { BackendChoice } from '../src/config/names.ts';
import type { ForkMode } from '../src/config/fork.ts';
import { forkName } from '../src/config/runName.ts';
import { parseConfig } from '../src/config/parse.ts';
import { trainsWarmStart } from '../src/config/warmStarts.ts';
import type { OwnName, OwnWorld } from '../src/config/worlds/own.ts';
import { type Checkpoint, type RunRecord, weightsDigest } from '../src/records/stored/checkpoint.ts';
import type { GoneBack, PairImport } from '../src/records/stored/history.ts';
import type { RunId } from '../src/records/ids.ts';
import type { RunState } from '../src/records/events.ts';
import type { HeldModel, ModelForm } from '../src/records/stored/modelCard.ts';
import type { RunLabel } from '../src/records/stored/runLabel.ts';
import type { Beside } from '../src/records/metrics.ts';
import type { ComparedBy } from '../src/records/stored/preference.ts';
import type { TrajectoryFile } from '../src/records/trajectory.ts';
import { IndexedDbStore } from '../src/storage/checkpointStore.ts';
import { EnduringStore } from '../src/storage/enduringStore.ts';
import { listRuns, loadMetrics, loadRun, uniqueStoredName, wayOn } from '../src/storage/reading.ts';
import { WarmStarts } from '../src/storage/warmStarts.ts';
import { forkCheckpoint, forkedRun } from '../src/training/run/fork.ts';
import { Gate } from '../src/training/team/gate.ts';
import { beginning, resumedHistory, idOf, type Beginning } from '../src/training/history/replay.ts';
import { isDeviceFault, type Revived } from '../src/training/run/revival.ts';
import { Session } from '../src/training/run/session.ts';
import { startingCheckpoint } from '../src/training/run/start.ts';
import { measureIteration } from '../src/training/preflight/preflight.ts';
import { forecastWarmStart } from '../src/training/preflight/warmStartForecast.ts';
import { loadShipped, readyWorld } from './assets.ts';
import { EngineKeeper } from './engineKeeper.ts';
import { Inspector } from './inspector.ts';
import { HeldModels } from './model/heldModels.ts';
import { News } from './news.ts';
import { PairFiles } from './pairFiles.ts';
import { Tenure } from './tenure.ts';

/** The note on a run whose newest checkpoint is damaged. */
const repeatNote = (iteration: number, damage: StorageError) =>
  told`Records after iteration ${iteration} cannot be used, and the run repeats from there: ${damage.message}`;
/** The code that writes files is loaded when one is asked for. */
const exporting = () => import('./exports.ts');
/** A warm start shorter than this is trained unasked, in milliseconds: nobody would wait for a question either. */
const briefMs = 10_000;
/** The error of a preparation that is given up. */
const abandoned = new ConfigError('run: its preparation was ended before it could begin.');

export class Trainer implements TrainerApi {
  readonly #news = new News();
  readonly #store = new IndexedDbStore();
  /** The store that the runs write to. */
  readonly #enduring = new EnduringStore(this.#store, this.#news.emit);
  readonly #warmStarts = new WarmStarts();
  readonly #tenure = new Tenure(this.#enduring);
  readonly #name = globalThis.crypto.randomUUID?.() ?? '';
  /** Whether a page of another tab wants to hear the news. */
  #isWatched = false;
  readonly #tabs = joinTabs(this.#name, (message) => {
    const { kind } = message;
    this.#isWatched ||= kind === 'watch';
    if (kind === 'labelled') this.#session?.takeName(message);
    if (!this.#tenure.isTraining) return;
    // Its own page has got what it pressed for by now.
    if (kind === 'yield' && message.press.by !== this.#name) this.#handOver();
    if (kind === 'ask') this.#tellTabs();
  });
  #session: Session | null = null;
  #engine: ChosenEngine | null = null;
  /** The preparation under way. */
  #opening: Gate | null = null;
  /** The evaluation of stored runs while none is open: the next preparation waits for it. */
  #measuring: Promise<unknown> = Promise.resolve();
  readonly #files = new PairFiles();
  /** Weights that settings may name, for as long as the page stands: a run keeps its own. */
  readonly #models = new HeldModels();
  readonly #inspector = new Inspector({
    session: () => this.#session,
    ready: readyWorld,
    expectBase: (run, checkpoint) => this.#models.expectBase(run, checkpoint),
    aside: (backend, work) => this.#aside(backend, work),
  });
  /** The file of preference pairs imported last. */
  #imported: Pick<PairImport, 'name' | 'digest'> | null = null;
  readonly #engines = new EngineKeeper((error) => {
    if (this.#opening) this.#opening.break(error);
    else this.#session?.fail(error);
  });

  async listen(listener: Listener): Promise<string> {
    await hold(lifeLock(this.#name));
    this.#news.sendTo((events) => {
      listener(events);
      if (this.#isWatched) this.#tabs.tell({ kind: 'news', events });
      this.#rest();
    });
    // Without its summary a run of an earlier version is listed more slowly, and never wrongly.
    void this.#store.summarise().catch(() => undefined);
    return this.#name;
  }

  async open(request: OpenRequest): Promise<boolean | 'busy'> {
    const { preset, changes = [], imports, fork, asksFirst = false } = request;
    await readyWorld(request.config.world);
    const config = parseConfig(request.config);
    let isBusy = false;
    const isOpen = await this.#prepare(async (gate) => {
      await this.#models.ready(config);
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
      const isTrained = trainsWarmStart(config) || fork !== undefined;
      isBusy = isTrained && !(await this.#tenure.train());
      if (isBusy) return 'idle';
      if (isTrained) this.#tellTabs();
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
            ...{ config, runId, loadShipped, loadModel: (name) => this.#models.get(name) },
            ...(pairs && { pairs }),
            onProgress: (progress) => this.#news.emit({ kind: 'progress', label: spoken`Warm start`, ...progress }),
          }),
        unique: uniqueStoredName,
      });
      if (begun.note) this.#news.emit({ kind: 'note', text: begun.note });
      if (fork) return this.#enterFork(begun, engine);
      await this.#begin(begun.run, begun.checkpoint, engine);
      this.#news.emit({ kind: 'state', state: 'preparing', message: spoken`measuring an iteration` });
      const { example, ...preflight } = await measureIteration(this.#current().trainState);
      this.#news.emit({ kind: 'preflight', preflight });
      this.#news.emit({ kind: 'turn', iteration: begun.run.iteration, trajectory: example });
      return 'idle';
    });
    return isBusy ? 'busy' : isOpen;
  }

  /** The pairs that a run learns from that is opened without a history: those imported last. */
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

  speak = (phrases: Phrases | null): Promise<void> => Promise.resolve(speakIn(() => phrases));

  async resumeRun(id: RunId, back?: GoneBack): Promise<void> {
    const stored = await loadRun(id);
    await readyWorld(stored.config.world);
    const way = await wayOn(id, back?.to);
    if (!way)
      throw new StorageError(
        spoken`run ${stored.name}: it has no checkpoint to resume; start a new run with its settings.`,
      );
    const { checkpoint, damaged } = way;
    // Before the open run is closed: without its model this one cannot be opened.
    await this.#models.expectBase(stored.name, checkpoint);
    await this.#prepare(async () => {
      const engine = await this.#engines.start(checkpoint.config.run.backend);
      const { resumed = 0, plan: _, imports: __, ...kept } = stored;
      const { iteration, config } = checkpoint;
      const went = resumedHistory(stored, checkpoint, this.#files);
      const isDone = iteration >= config.run.iterations;
      const taken = { iteration, config, backend: engine.backend, isDone, resumed: resumed + 1 };
      const goneBack = back && { goneBack: [...(stored.goneBack ?? []), { ...back, to: iteration }] };
      await this.#begin({ ...kept, ...went, ...taken, ...goneBack }, checkpoint, engine);
      this.#tenure.begin(resumed);
      if (damaged[0]) this.#news.emit({ kind: 'note', text: inWords(repeatNote(iteration, damaged[0])) });
      return isDone ? 'done' : 'paused';
    });
  }

  async fork(mode: ForkMode): Promise<void> {
    const parent = this.#current();
    const name = await uniqueStoredName(forkName(parent.run.name, { mode }));
    const createdMs = Date.now();
    const left = await this.#tenure.during(parent.run, () => parent.leave());
    const checkpoint = forkCheckpoint(left, { mode, runId: idOf(name, createdMs) });
    await this.#prepare(async () => {
      const engine = await this.#engines.start(checkpoint.config.run.backend);
      const run = forkedRun(parent.run, checkpoint, { name, createdMs, mode, digest: weightsDigest(left) });
      const { evaluations } = this.#enduring.isUnstored ? { evaluations: [] } : await loadMetrics(parent.run.id);
      const evaluation = evaluations.find(({ iteration }) => iteration === checkpoint.iteration) ?? null;
      return this.#enterFork({ run, checkpoint, evaluation, note: '' }, engine);
    });
  }

  train = async () => this.#training(this.#current(), (session) => void session.train());
  step = async () => this.#training(this.#current(), (session) => session.train(1));
  pause = async () => this.#current().pause();
  stop = () => this.#own((session) => session.stop());
  look: TrainerApi['look'] = (kind, at) => this.#inspector.look(kind, at);
  evaluate = (beside: Beside = null) => this.#own((session) => session.evaluate(beside));
  changeSetting = (path: string, value: SettingValue) => this.#own((session) => session.change(path, value));
  present = async () => (this.#session?.isUnderWay ? null : ((await this.#session?.checkpoint()) ?? null));
  abandon = () => Promise.resolve(this.#opening?.break(abandoned));

  evaluateStored = (seats: readonly StoredSeat[]) => this.#inspector.evaluate(seats);

  /** Does work on the device for which training stands still, and opening a run waits. */
  #aside<T>(backend: BackendChoice, work: () => Promise<T>): Promise<T> {
    if (this.#opening) throw new ConfigError(spoken`run: one is being prepared; wait until it is open, or stop it.`);
    if (this.#session) return this.#session.meanwhile(work);
    const done = this.#engines.start(backend).then(work);
    this.#measuring = done.catch(() => undefined);
    return done;
  }

  exportWeights = async (agent: number, hasOptimiser = false) =>
    (await exporting()).agentZip(this.#current(), agent, hasOptimiser);
  exportModel = async (agent: number, form: ModelForm) =>
    (await exporting()).modelFile(this.#current(), { agent, form, filesOf: (name) => this.#models.filesOf(name) });
  exportVerifier = async () => (await exporting()).zipOfVerifier(this.#current());
  exportSizes = async () => (await exporting()).exportSizes(this.#current());
  exportTrajectories = async (as: TrajectoryFile) => (await exporting()).trajectoryFile(this.#current().run, as);
  exportPreferences = async (by: ComparedBy) => (await exporting()).preferenceLines(this.#current(), by);

  async importPreferences(text: string, name: string): Promise<number> {
    const file = this.#files.read(text, name);
    // Where a run was refused for its pairs none is open, and others are the way out.
    if (this.#session) await this.#own((session) => session.importPairs(file.pairs, { name, digest: file.digest }));
    this.#news.emit({ kind: 'pairs', count: file.pairs.length });
    this.#files.hold(file);
    this.#imported = { name, digest: file.digest };
    return file.pairs.length;
  }

  keepPreferences = async (text: string, name: string) => this.#files.hold(this.#files.read(text, name)).pairs.length;

  async deleteRun(id: RunId): Promise<void> {
    if (this.#session?.isUnderWay && this.#session.run.id === id)
      throw new ConfigError(spoken`run ${this.#session.run.name}: it is under way; stop it first, then delete it.`);
    await whileHeld(id, () => this.#store.deleteRun(id));
    this.#tabs.tell({ kind: 'deleted', id });
  }

  async labelRun(label: RunLabel): Promise<void> {
    const { runId: id, name } = await this.#store.saveLabel(label);
    this.#session?.takeName({ id, name });
    this.#tabs.tell({ kind: 'labelled', id, name });
  }

  holdModel = (model: HeldModel, files: readonly File[]) => this.#models.holdFiles(model, files);
  holdAgent = (seat: StoredSeat, agent: number) => this.#models.holdAgent(seat, agent);
  keepWorld = (world: OwnWorld) => this.#store.saveWorld(world);
  deleteWorld = async (name: OwnName) => {
    const needing = (await listRuns()).runs.find(({ run }) => run.config.world.name === name)?.run;
    if (needing) throw new ConfigError(spoken`world: the run ${needing.name} needs it; delete that run first.`);
    await this.#store.deleteWorld(name);
  };

  #current(): Session {
    if (!this.#session) throw new ConfigError(spoken`run: none is open; choose a preset or resume a stored run first.`);
    return this.#session;
  }

  /** Does what writes to the open run. */
  async #own<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#current();
    try {
      return await this.#tenure.during(session.run, () => work(session));
    } finally {
      this.#rest();
    }
  }

  /** Begins to train, if this tab may. */
  async #training(session: Session, begin: (session: Session) => Promise<void> | void): Promise<TrainingClaim> {
    const claim = await this.#tenure.claim(session.run, true);
    if (claim !== 'own') return claim;
    try {
      const begun = begin(session);
      this.#tellTabs();
      await begun;
      return claim;
    } catch (error) {
      this.#rest();
      throw error;
    }
  }

  /** Lets the locks go where nobody here trains or writes any more. */
  #rest(): void {
    if (this.#tenure.isBusy || this.#opening || this.#session?.state === 'training') return;
    void this.#tenure.release();
  }

  #tellTabs(): void {
    const { run = null } = this.#session ?? {};
    this.#tabs.tell({ kind: 'training', run, engine: this.#engine });
  }

  /** Ends the iteration under way, which leaves a checkpoint, or the preparation; another tab goes on from there. */
  #handOver(): void {
    if (this.#opening) void this.abandon();
    else if (this.#session?.state === 'training') void this.#session.train(1);
  }

  /**
   * Ends the open run, then does the work and tells the state that it answers; answers whether a run is open. A failure
   * becomes the state `failed`, leaves no run open and is thrown on; so is a fault of the device that is heard meanwhile.
   */
  async #prepare(work: (gate: Gate) => Promise<RunState>): Promise<boolean> {
    await this.#measuring;
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
      const { message } = error as Error;
      this.#news.emit({ kind: 'state', state: 'failed', message, remedies: remediesOf(error) });
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
    const session = this.#session;
    if (!session) return;
    // Another tab continued this run; writing here would overwrite it.
    if (session.isUnderWay && (await this.#tenure.claim(session.run, false)) !== 'own') await session.drop();
    else await session.dispose();
    this.#session = null;
    await this.#tenure.release();
  }

  async #begin(run: RunRecord, checkpoint: Checkpoint, engine: ChosenEngine): Promise<void> {
    this.#refuseFaulty();
    this.#tenure.begin(0);
    this.#engine = engine;
    this.#session = new Session({
      run,
      checkpoint,
      store: this.#enduring,
      emit: this.#news.emit,
      now: () => performance.now(),
      revive: (lost, isToCpu) => this.#revive(lost, isToCpu),
      pairsOf: this.#files.pairsOf,
    });
    this.#news.emit({ kind: 'run', run, engine });
    if (checkpoint.pairs) this.#news.emit({ kind: 'pairs', count: checkpoint.pairs.length });
  }

  async #revive(run: RunRecord, isToCpu: boolean): Promise<Revived> {
    const { id, iteration, backend, config } = run;
    const engine = await this.#engines.replace(config.run.backend, backend, isToCpu);
    const { checkpoint = null, damaged = [] } = (await this.#tenure.during(run, () => this.#enduring.goBack(id))) ?? {};
    const from = checkpoint?.iteration ?? iteration;
    const failed = told`The device failed after iteration ${iteration}. ${engine.reason} The run went on from iteration ${from}.`;
    const reason = toldInRow([failed, ...(damaged[0] ? [repeatNote(from, damaged[0])] : [])]);
    return { engine: { ...engine, reason }, checkpoint };
  }
}
