// The page as a whole: the parts of its state, and the verbs that need more than one of them.
import { createContext } from 'svelte';
import { fieldAt } from '../config/describe.ts';
import { ConfigError } from '../base/errors.ts';
import { forkedConfig, type ForkMode } from '../config/fork.ts';
import type { SettingValue } from '../config/field.ts';
import { difference } from '../config/parse.ts';
import { presetConfig, type PresetName } from '../config/presets.ts';
import { isRunHeld } from '../api/writerLock.ts';
import type { Claim } from '../api/trainerApi.ts';
import type { Config } from '../config/schema.ts';
import type { RunRecord } from '../records/checkpoint.ts';
import { beyondLink, historyOf } from '../records/runHistory.ts';
import type { RunId } from '../records/ids.ts';
import { metricsCsv, metricsJson } from '../formats/metricsTable.ts';
import { readRunFile, writeRunFile } from '../formats/runFile.ts';
import { remedyOf } from './draft.ts';
import { Library, storedView } from './library.svelte.ts';
import { marksOf, type Mark } from './marks.ts';
import { messageWords, type MessageWords } from './messageWords.ts';
import { Notices } from './notices.svelte.ts';
import { runDifference, runName } from '../config/runName.ts';
import { Replay } from './replay.svelte.ts';
import { Selection } from './selection.svelte.ts';
import { Session } from './session.svelte.ts';
import { Settings } from './settings.svelte.ts';
import { Tabs } from './tabs.svelte.ts';
import { TakingUp } from './takingUp.ts';
import { linkTo, readStart } from './start.ts';
import { Theme } from './theme.svelte.ts';
import { judge } from './verdict.ts';
import { WakeLock } from './wakeLock.ts';

/** Rest after an edit before the new settings are opened and measured, in milliseconds. */
const settleMs = 700;

const isReload = () =>
  (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined)?.type === 'reload';

const failureWords = (failure: { name: string; message: string } | null) =>
  failure ? `${failure.message} (${failure.name})` : '';

export class Page {
  readonly notices = new Notices();
  readonly session = new Session(this.notices, (config) => this.#hearSettings(config));
  readonly replay = new Replay((text, name) => this.session.keepPreferences(text, name));
  readonly settings = new Settings();
  readonly library = new Library(this.notices);
  readonly selection = new Selection(this.session, this.notices);
  readonly theme = new Theme();
  readonly wakeLock = new WakeLock();
  /** Changes of the visitor on their way to the worker. */
  #changing = 0;
  readonly #parts = {
    ...{ session: this.session, settings: this.settings, notices: this.notices },
    resume: (run: RunRecord) => this.resume(run),
    train: () => this.train(),
    newRun: () => this.newRun(),
    onWatch: () => this.#stopOffering(),
    onDeleted: (id: RunId) => this.#forget(id),
  };
  readonly tabs = new Tabs(this.#parts);
  readonly #takingUp = new TakingUp(this.#parts);
  #settling: ReturnType<typeof setTimeout> | undefined;
  /** Undefined before the store was looked at. */
  #offered = $state.raw<RunRecord | null>();

  readonly #name = $derived(this.session.view.run?.name ?? runName(this.settings.config));
  readonly #marks = $derived(this.session.view.run ? marksOf(this.session.view.run) : []);
  readonly #difference = $derived(runDifference(this.settings.config, presetConfig('default')));
  readonly #verdict = $derived(
    judge(
      this.session.view.evaluations,
      this.session.view.metrics,
      failureWords(this.session.view.failure),
      this.messages,
    ),
  );

  get name(): string {
    return this.#name;
  }
  /** What was done to the open run on its way. */
  get marks(): readonly Mark[] {
    return this.#marks;
  }
  /** What passes between the agents of this run, in words. */
  get messages(): MessageWords {
    return messageWords[(this.session.view.run?.config ?? this.settings.config).agents.protocol];
  }
  /** What sets the run apart from the default, in words; empty for the default itself. */
  get difference(): string {
    return this.#difference;
  }
  get verdict() {
    return this.#verdict;
  }
  /** A run that stopped half-way and can go on; null when there is none or the visitor has decided. */
  get offered(): RunRecord | null {
    return this.#offered ?? null;
  }
  /** Whether what is on the form has not been measured yet. */
  get isStale(): boolean {
    return !this.session.isUnderWay && this.session.opened !== this.settings.config;
  }

  constructor() {
    this.session.onConnected = (name) => this.tabs.know(name);
    this.session.onBusy = () => this.tabs.watch();
    this.session.onLost = (state) => void this.#takingUp.afterLoss(state);
  }

  /** Reads the link, starts the worker and opens the run the link asks for. */
  async begin(search: string): Promise<void> {
    const start = readStart(search);
    this.settings.accept(start.config, start.preset);
    for (const problem of start.problems) this.#tellOfLink(problem);
    if (start.isHeld) this.notices.say('Nothing has started by itself, as part of the link was refused.');
    const stored = this.library.refresh();
    if (start.isAutostart && isReload()) {
      await stored;
      const unfinished = this.library.unfinished;
      // The page that starts by itself also goes on by itself.
      if (unfinished && difference(unfinished.begun ?? unfinished.config, start.config).length === 0) {
        await this.resume(unfinished);
        return this.train();
      }
    }
    if (!start.isAutostart) void stored.then(() => this.#offer());
    const isOpen = await this.#open(!start.isAutostart);
    if (start.isAutostart && isOpen) await this.train();
  }

  /** Offers what can go on, unless the visitor has decided already; a run that another tab trains has not stopped. */
  async #offer(): Promise<void> {
    const { unfinished } = this.library;
    if (unfinished && (await isRunHeld(unfinished.id))) return;
    if (this.#offered === undefined) this.#offered = unfinished;
  }

  /** One field of the form. In a run under way it goes to the worker and must be a live one. */
  async edit(path: string, value: unknown): Promise<void> {
    if (this.session.isUnderWay) return this.#change(path, value);
    this.settings.edit(path, value);
    this.#openSoon();
  }

  /** Follows the remedy of what is wrong on the form: in an open run one setting after the other. */
  async mend(): Promise<void> {
    const settings = Object.entries(this.settings.error?.remedy?.settings ?? {});
    if (this.session.isUnderWay) {
      for (const [path, value] of settings) await this.#change(path, value);
      return;
    }
    this.settings.mend();
    this.#openSoon();
  }

  /** Takes back what `mend` has set. */
  undoMend(): void {
    this.settings.undoMend();
    this.#openSoon();
  }

  usePreset(name: PresetName): void {
    if (this.session.isUnderWay) this.notices.news(`${this.name} is kept in the library.`);
    this.settings.usePreset(name);
    this.#reopen();
  }

  /** Puts the run under way aside, stored, and opens a new one with the settings on the form. */
  newRun(): void {
    if (!this.settings.mayBegin()) return;
    if (this.session.isUnderWay) {
      this.notices.news(`${this.name} is kept in the library.`);
      this.replay.forget();
    }
    this.#reopen();
  }

  /** Trains the warm start that the settings ask for, and opens the run. */
  async prepare(): Promise<void> {
    await this.#isReady();
  }

  /** Trains, after opening what is on the form if that has changed. */
  train(): Promise<void> {
    void this.library.askToPersist();
    return this.#go(this.session.train);
  }

  async toggleTraining(): Promise<void> {
    if (!this.session.isWriter) return;
    await (this.session.view.state === 'training' ? this.session.pause() : this.train());
  }

  async step(): Promise<void> {
    if (this.session.view.state !== 'training') await this.#go(this.session.step);
  }

  /** Loads a stored run at its newest checkpoint. Answers false, and says why on the page, where that fails. */
  async resume(run: RunRecord): Promise<boolean> {
    clearTimeout(this.#settling);
    this.#stopOffering();
    this.replay.forget();
    this.tabs.leave();
    try {
      const stored = await storedView(run, true);
      const { config, preset } = this.settings;
      this.settings.accept(run.config, run.preset);
      const isOpen = await this.session.resume(run.id, run.config, stored);
      if (!isOpen && this.session.view.run?.id !== run.id) this.settings.accept(config, preset);
      return isOpen;
    } catch (thrown) {
      this.notices.problem(thrown);
      return false;
    }
  }

  /** Resumes a run that was cut short and trains on; files of pairs that it is still to learn from are asked for first. */
  goOn(run: RunRecord): void {
    this.#offered = null;
    const later = [...(run.imports ?? []), ...(run.plan?.imports ?? [])].filter((one) => one.iteration > run.iteration);
    this.replay.ask(later, () => void this.#resumeAndTrain(run));
  }

  async #resumeAndTrain(run: RunRecord): Promise<void> {
    if (await this.resume(run)) await this.train();
  }

  /** Goes on from the run that stands still under other parameters, as a new run; the one before is kept. */
  async fork(mode: ForkMode): Promise<void> {
    const { run, iteration, shown } = this.session.view;
    if (!run) return;
    try {
      const config = forkedConfig(run.config, mode);
      this.selection.follow();
      this.settings.accept(config, run.preset);
      // The worker may finish an iteration first; what it says of the new run takes the place of this.
      if (!(await this.session.fork(mode, config, { iteration, shown }))) return;
      this.notices.news(`${run.name} is kept in the library.`);
      await this.library.refresh();
    } catch (thrown) {
      this.notices.problem(thrown);
    }
  }

  /** What a link can hold: the settings that the open run began with, else those on the form. */
  get linked(): { preset: string; config: Config } {
    const { run } = this.session.view;
    if (!run || !this.session.isUnderWay) return { preset: this.settings.preset, config: this.settings.config };
    return { preset: run.preset, config: run.begun ?? run.config };
  }

  /** The address that opens these settings anywhere, with the backend that was used. */
  link(): string {
    const backend = this.session.view.engine?.backend;
    const used = backend === undefined ? undefined : backend === 'webgpu' ? 'webgpu' : 'cpu';
    return linkTo(this.linked.preset, this.linked.config, used);
  }

  /** Copies the link, and says what it cannot hold; shows it where the clipboard is refused. */
  async share(): Promise<void> {
    const link = this.link();
    const { run } = this.session.view;
    const rest = run && this.session.isUnderWay ? beyondLink(run) : '';
    const limits =
      rest && ` It holds the settings that the run began with, not ${rest}: “Run file” under Take away has all.`;
    try {
      await navigator.clipboard.writeText(link);
      if (limits) this.notices.say(`The link is copied.${limits}`);
      else this.notices.news('The link to this run is copied.');
    } catch {
      this.notices.say(`Copying was blocked; select the link: ${link}${limits}`);
    }
  }

  /** The settings, and what was changed on the way, as YAML. */
  runFile(): string {
    const { run } = this.session.view;
    const { preset, config } = this.settings;
    const history = run && !this.isStale ? historyOf(run) : { preset, config, changes: [], imports: [] };
    return writeRunFile({ name: this.name, ...history });
  }
  /** The same of a stored run. */
  runFileOf(run: RunRecord): string {
    return writeRunFile({ name: run.name, ...historyOf(run) });
  }
  /** The metrics of every iteration so far, with where its time went. */
  metricsFile(kind: 'csv' | 'json'): string {
    return (kind === 'csv' ? metricsCsv : metricsJson)(this.session.view.metrics.rows);
  }

  /** Takes the settings of a run file; a bad one leaves everything as it was, and offers what would mend it. */
  openRunFile({ text, name, isMended = false }: { text: string; name: string; isMended?: boolean }): void {
    this.notices.settle('file');
    try {
      const history = readRunFile(text, isMended);
      if (this.session.isUnderWay) this.notices.news(`${this.name} is kept in the library.`);
      this.settings.accept(history.config, history.preset);
      this.replay.plan(history, () => this.#reopen());
    } catch (thrown) {
      const remedy = thrown instanceof ConfigError ? remedyOf(thrown.refusal?.remedies[0] ?? {}) : null;
      const words = remedy?.changes.length === 1 ? `Open it with ${remedy.changes[0]}` : 'Open it with these';
      const run = () => this.openRunFile({ text, name, isMended: true });
      this.notices.problem(thrown, 'file', { fileName: name, ...(remedy && { action: { ...remedy, words, run } }) });
    }
  }

  /** What a link asks for and does not get, with the click that gets it. */
  #tellOfLink(problem: ConfigError): void {
    const remedy = remedyOf(problem.refusal?.remedies[0] ?? {});
    const take = () => {
      if (this.settings.take(remedy?.settings ?? {})) this.newRun();
    };
    this.notices.problem(problem, '', remedy ? { action: { ...remedy, run: take } } : {});
  }

  startFresh(): void {
    this.#offered = null;
  }

  async deleteRun(id: RunId): Promise<void> {
    try {
      await this.session.deleteRun(id);
      this.#forget(id);
    } catch (thrown) {
      this.notices.problem(thrown);
    }
  }

  async #change(path: string, value: unknown): Promise<void> {
    if (!fieldAt(path)?.isLive || !this.settings.mayChange(path, value)) return;
    this.#changing++;
    try {
      this.settings.accept(await this.session.change(path, value as SettingValue));
    } catch (thrown) {
      this.settings.revert();
      this.notices.problem(thrown);
    } finally {
      this.#changing--;
    }
  }

  /** Trains by one of the verbs; where another tab trains, that one is watched instead. */
  async #go(verb: () => Promise<Claim | null>): Promise<void> {
    if (!(await this.#isReady())) return;
    if ((await this.#takingUp.go(verb)) === 'busy') this.tabs.watch();
  }

  #stopOffering(): void {
    this.#offered = null;
    this.selection.follow();
  }

  #forget(id: RunId): void {
    this.library.forget(id);
    if (this.#offered?.id === id) this.#offered = null;
  }

  /** Whether there is an open run that agrees with the form. */
  async #isReady(): Promise<boolean> {
    clearTimeout(this.#settling);
    this.#offered = null;
    if (this.replay.wanted.length > 0) return false;
    if (!this.session.isWriter || this.settings.error || this.session.view.state === 'failed') return false;
    this.selection.follow();
    if (!this.isStale && this.session.view.run) return true;
    return this.#open();
  }

  /** Opens what is on the form: with its history where it came with one and is still what it was. */
  #open(asksFirst = false): Promise<boolean> {
    const { config, preset } = this.settings;
    const history = this.replay.historyFor(config);
    if (!history) this.replay.forget();
    return this.session.open({ ...history, config, preset, asksFirst });
  }

  /** The settings of the open run, which may change by a history that is made again; the visitor's own edits are known. */
  #hearSettings(config: Config): void {
    if (this.#changing === 0) this.settings.accept(config);
  }

  #openSoon(): void {
    clearTimeout(this.#settling);
    if (this.settings.error) return;
    this.#settling = setTimeout(() => {
      if (this.isStale) this.#reopen();
    }, settleMs);
  }

  #reopen(): void {
    clearTimeout(this.#settling);
    this.#stopOffering();
    void this.#open(true).then(() => this.library.refresh());
  }
}

export const [getPage, setPage] = createContext<Page>();
