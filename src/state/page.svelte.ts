// The page as a whole: the parts of its state, and the verbs that need more than one of them.
import { createContext } from 'svelte';
import { ConfigError } from '../base/errors.ts';
import { fieldAt } from '../config/describe.ts';
import { forkedConfig, type ForkMode } from '../config/fork.ts';
import type { SettingValue } from '../config/field.ts';
import { difference } from '../config/parse.ts';
import { presetConfig, type PresetName } from '../config/presets.ts';
import type { RunRecord } from '../records/checkpoint.ts';
import { historyOf } from '../records/history.ts';
import type { RunId } from '../records/ids.ts';
import { metricsCsv, metricsJson } from '../formats/metricsTable.ts';
import { readRunFile, writeRunFile } from '../formats/runFile.ts';
import { Library, storedView, watchedView } from './library.svelte.ts';
import { messageWords, type MessageWords } from './messageWords.ts';
import { errorWords, Notices } from './notices.svelte.ts';
import { runDifference, runName } from '../config/runName.ts';
import { Selection } from './selection.svelte.ts';
import { Session } from './session.svelte.ts';
import { Settings } from './settings.svelte.ts';
import { linkTo, readStart } from './start.ts';
import { Theme } from './theme.svelte.ts';
import { judge } from './verdict.ts';
import { WakeLock } from './wakeLock.ts';

/** Rest after an edit before the new settings are opened and measured, in milliseconds. */
const settleMs = 700;
/** How often a second tab looks at the store, in milliseconds. */
const watchMs = 2000;

const isReload = () =>
  (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined)?.type === 'reload';

const failureWords = (failure: { name: string; message: string } | null) =>
  failure ? `${failure.message} (${failure.name})` : '';

export class Page {
  readonly notices = new Notices();
  readonly session = new Session(this.notices);
  readonly settings = new Settings();
  readonly library = new Library(this.notices);
  readonly selection = new Selection(this.session, this.notices);
  readonly theme = new Theme();
  readonly wakeLock = new WakeLock();
  #settling: ReturnType<typeof setTimeout> | undefined;
  /** Undefined before the store was looked at. */
  #offered = $state.raw<RunRecord | null>();

  readonly #name = $derived(this.session.view.run?.name ?? runName(this.settings.config));
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

  /** Reads the link, starts the worker and opens the run the link asks for. */
  async begin(search: string): Promise<void> {
    const start = readStart(search);
    for (const problem of start.problems) this.notices.problem(problem);
    this.settings.accept(start.config, start.preset);
    const isWriter = await this.session.connect();
    if (!isWriter) return this.#watch();
    const stored = this.library.refresh();
    if (start.isAutostart && isReload()) {
      await stored;
      const unfinished = this.library.unfinished;
      // The page that starts by itself also goes on by itself.
      if (unfinished && difference(unfinished.config, start.config).length === 0) {
        await this.resume(unfinished);
        return this.train();
      }
    }
    if (!start.isAutostart) void stored.then(() => this.#offer());
    const isOpen = await this.session.open(this.settings.config, this.settings.preset, !start.isAutostart);
    if (start.isAutostart && isOpen) await this.train();
  }

  /** Offers what can go on, unless the visitor has decided already. */
  #offer(): void {
    if (this.#offered === undefined) this.#offered = this.library.unfinished;
  }

  /** One field of the form. In a run under way it goes to the worker and must be a live one. */
  async edit(path: string, value: unknown): Promise<void> {
    if (this.session.isUnderWay) return this.#change(path, value);
    this.settings.edit(path, value);
    this.#openSoon();
  }

  usePreset(name: PresetName): void {
    if (this.session.isUnderWay) this.notices.news(`${this.name} is kept in the library.`);
    this.settings.usePreset(name);
    this.#reopen();
  }

  /** Puts the run under way aside, stored, and opens a new one with the settings on the form. */
  newRun(): void {
    if (this.session.isUnderWay) this.notices.news(`${this.name} is kept in the library.`);
    this.#reopen();
  }

  /** Trains the warm start that the settings ask for, and opens the run. */
  async prepare(): Promise<void> {
    await this.#isReady();
  }

  /** Trains, after opening what is on the form if that has changed. */
  async train(): Promise<void> {
    if (!(await this.#isReady())) return;
    void this.library.askToPersist();
    await this.session.train();
  }

  async toggleTraining(): Promise<void> {
    await (this.session.view.state === 'training' ? this.session.pause() : this.train());
  }

  async step(): Promise<void> {
    if (this.session.view.state !== 'training' && (await this.#isReady())) await this.session.step();
  }

  async resume(run: RunRecord): Promise<void> {
    clearTimeout(this.#settling);
    this.#offered = null;
    this.selection.follow();
    try {
      const stored = await storedView(run, true);
      const { config, preset } = this.settings;
      this.settings.accept(run.config, run.preset);
      const isOpen = await this.session.resume(run.id, run.config, stored);
      if (!isOpen && this.session.view.run?.id !== run.id) this.settings.accept(config, preset);
    } catch (thrown) {
      this.notices.problem(thrown);
    }
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

  /** The address that opens this run anywhere, with the backend that was used. */
  link(): string {
    const backend = this.session.view.engine?.backend;
    const used = backend === undefined ? undefined : backend === 'webgpu' ? 'webgpu' : 'cpu';
    return linkTo(this.settings.preset, this.settings.config, used);
  }

  /** Copies the link; shows it where the clipboard is refused. */
  async share(): Promise<void> {
    const link = this.link();
    try {
      await navigator.clipboard.writeText(link);
      this.notices.news('The link to this run is copied.');
    } catch {
      this.notices.say(`Copying was blocked; select the link: ${link}`);
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

  /** Takes the settings of a run file; a bad one leaves everything as it was. */
  openRunFile(text: string, fileName: string): void {
    this.notices.settle('file');
    try {
      const { preset, config } = readRunFile(text);
      if (this.session.isUnderWay) this.notices.news(`${this.name} is kept in the library.`);
      this.settings.accept(config, preset);
      this.#reopen();
    } catch (thrown) {
      this.notices.problem(thrown, 'file', fileName);
    }
  }

  startFresh(): void {
    this.#offered = null;
  }

  async deleteRun(id: RunId): Promise<void> {
    try {
      await this.session.deleteRun(id);
      this.library.forget(id);
      if (this.#offered?.id === id) this.#offered = null;
    } catch (thrown) {
      this.notices.problem(thrown);
    }
  }

  async #change(path: string, value: unknown): Promise<void> {
    if (!fieldAt(path)?.isLive) return;
    try {
      this.settings.accept(await this.session.change(path, value as SettingValue));
    } catch (thrown) {
      const { name, text } = errorWords(thrown);
      if (name === ConfigError.name) this.settings.refuse(path, text);
      else this.notices.problem(thrown);
    }
  }

  /** Whether there is an open run that agrees with the form. */
  async #isReady(): Promise<boolean> {
    clearTimeout(this.#settling);
    this.#offered = null;
    if (!this.session.isWriter || this.settings.error || this.session.view.state === 'failed') return false;
    this.selection.follow();
    if (!this.isStale && this.session.view.run) return true;
    return this.session.open(this.settings.config, this.settings.preset);
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
    this.#offered = null;
    this.selection.follow();
    void this.session.open(this.settings.config, this.settings.preset, true).then(() => this.library.refresh());
  }

  /** In a second tab: shows the newest stored run again and again. */
  async #watch(): Promise<void> {
    try {
      const stored = await watchedView();
      if (stored.run) this.settings.accept(stored.run.config, stored.run.preset);
      this.session.watch(stored);
    } catch (thrown) {
      this.notices.problem(thrown);
    }
    setTimeout(() => void this.#watch(), watchMs);
  }
}

export const [getPage, setPage] = createContext<Page>();
