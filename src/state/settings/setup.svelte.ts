// The settings in the form: a draft and its error, the preset on which it is based, and the methods that open a run
// with the settings.
import { createContext } from 'svelte';
import type { Settings as Values } from '../../base/errors.ts';
import { fieldAt, type Field } from '../../config/describe.ts';
import type { SettingValue } from '../../config/field.ts';
import type { PublishedForm } from '../../config/learners/facts.ts';
import type { LearnerName } from '../../config/learners/registry.ts';
import { difference, parseConfig, withSettings } from '../../config/parse.ts';
import { firstPreset, presetConfig, presets, type PresetName } from '../../config/presets.ts';
import { learnerChange, publishedForm } from '../../config/recipe.ts';
import { runDifference } from '../../config/runName.ts';
import type { Config } from '../../config/schema.ts';
import { formIn } from '../../config/worlds/registry.ts';
import type { RunHistory } from '../../records/stored/history.ts';
import { protocolOf, writtenProtocol } from '../../records/protocol.ts';
import type { ShownPrompts } from '../../records/shownPrompts.ts';
import { draftOf, edited, liveError, remedyOf, withEdits, type Draft } from './draft.ts';
import type { Notices } from '../visitor/notices.svelte.ts';
import { Replay } from './replay.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { say } from '../visitor/language.svelte.ts';

/** The time in milliseconds after an edit until a run with the new settings is opened and measured. */
const settleMs = 700;

/**
 * Changes of settings that were made with one click, and the draft before these changes, so that the visitor can undo
 * them.
 */
interface Mended {
  /** The field next to which the change is shown. */
  at: string;
  changes: readonly string[];
  before: Draft;
}

export class Setup {
  readonly #trainer: TrainerClient;
  readonly #notices: Notices;
  /** The history that the next run replays, and the files that are needed for the replay. */
  readonly replay: Replay;
  #draft = $state.raw<Draft>(draftOf(presetConfig(firstPreset)));
  #mended = $state.raw<Mended | null>(null);
  #preset = $state<string>(firstPreset);
  /** The path of the setting that was edited last. Its row stays visible until a section is closed. */
  touched = $state('');
  #settling: ReturnType<typeof setTimeout> | undefined;
  /** The values in the fields. */
  readonly values = $derived(this.#draft.values);
  /** The last valid settings. A run is opened with these settings. */
  readonly config = $derived(this.#draft.config);
  readonly error = $derived(this.#draft.error);
  /** The settings of the preset. */
  readonly #startedFrom = $derived(presetConfig(Object.hasOwn(presets, this.#preset) ? this.#preset : firstPreset));
  /** The settings that the last click on a fix changed; null if the visitor has edited a setting since this click. */
  readonly mended = $derived(this.#mended);
  readonly preset = $derived(this.#preset);
  /** How many settings differ from the preset. */
  readonly changedCount = $derived(difference(this.config, this.#startedFrom).length);
  /** The changes of live settings that were sent to the worker and are not answered yet, in order. */
  readonly #unanswered: Values[] = [];
  /** Lists the settings that differ from the preset; empty if there are none. */
  readonly difference = $derived(runDifference(this.config, this.#startedFrom));
  /** Whether no run has been opened with the settings in the form yet. */
  readonly isStale = $derived.by(() => !this.#trainer.isUnderWay && this.#trainer.opened !== this.config);
  /** Called before a run is opened or trained, so that offers and views of the previous run are removed. */
  onBegin: () => void = () => undefined;
  /** Called when another run was opened. */
  onOpened: () => void = () => undefined;

  constructor(trainer: TrainerClient, notices: Notices) {
    this.#trainer = trainer;
    this.#notices = notices;
    this.replay = new Replay((...file) => trainer.ofRun.keepFile(...file));
    trainer.onSettings = (config) => {
      this.accept(config);
      this.#showUnanswered();
    };
  }

  /** The prompts of a team that talks in plain words with the valid settings of the form. */
  prompts = (): Promise<ShownPrompts | null> => this.#trainer.worker.prompts($state.snapshot(this.config) as Config);

  /** Whether a field cannot be edited at the moment. */
  isLocked(field: Field): boolean {
    return !this.#trainer.isWriter || (this.#trainer.isUnderWay && !field.isLive);
  }

  /**
   * Edits one field. After the run has started, only settings that can be changed during a run can be edited, and the
   * edit is sent to the worker.
   */
  async edit(path: string, value: unknown): Promise<void> {
    this.touched = path;
    if (this.#trainer.isUnderWay) return this.#change(path, value);
    if (path === 'learning.learner') {
      return this.#takeForm(learnerChange(value as LearnerName, this.config, this.#startedFrom));
    }
    this.#show(edited(this.#draft, path, value));
    this.#openSoon();
  }

  /** Applies the settings from the publication of the chosen learner, or from another paper about this learner. */
  usePublished(form?: PublishedForm): void {
    this.#takeForm(publishedForm(this.config.learning.learner, this.config, form));
  }

  /**
   * All settings of a learner, and all other settings that the learner needs, are changed together. The page lists the
   * changes, and the visitor can undo them with one click.
   */
  #takeForm(settings: Values): void {
    const at = 'learning.learner';
    const { config } = this.#draft;
    this.#show(withEdits(this.#draft, at, settings));
    const { remedy } = this.#draft.error ?? {};
    if (remedy) this.#show(withEdits(this.#draft, at, remedy.settings));
    const others = difference(this.config, config).filter(({ field }) => field.path !== at);
    const also = remedyOf(Object.fromEntries(others.map(({ field, value }) => [field.path, value])) as Values);
    if (also && !this.error) this.#mended = { at, changes: also.changes, before: draftOf(config) };
    this.#openSoon();
  }

  /** Applies the fix for the error in the form. If a run is open, its settings are changed one after the other. */
  async mend(): Promise<void> {
    const { error, config } = this.#draft;
    if (!error?.remedy) return;
    const { at, remedy } = error;
    if (this.#trainer.isUnderWay) {
      this.revert();
      for (const [path, value] of Object.entries(remedy.settings)) await this.#send(path, value);
      return;
    }
    this.#show(withEdits(this.#draft, at, remedy.settings));
    if (!this.#draft.error) this.#mended = { at, changes: remedy.changes, before: draftOf(config) };
    this.#openSoon();
  }

  /** Undoes the changes that `mend` made, and the edit that required these changes. */
  undoMend(): void {
    if (this.#mended) this.#show(this.#mended.before);
    this.#openSoon();
  }

  /**
   * Makes a copy of the chosen protocol that the visitor can edit, and selects this copy. Other settings that the copy
   * needs are changed too; the page lists these changes.
   */
  async makeOwn(): Promise<void> {
    this.touched = 'agents.own';
    const { agents, world } = this.config;
    const form = formIn(world);
    const protocol = protocolOf(agents, form);
    const settings: Values = {
      'agents.own': writtenProtocol(protocol, form),
      'agents.protocol': 'own',
      ...(protocol.isOneRound && { 'agents.roundLimit': 1 }),
    };
    this.#show(withEdits(this.#draft, 'agents.own', settings));
    if (this.error) await this.mend();
    else this.#openSoon();
  }

  /** Applies settings that are offered outside the form, and opens a run with these settings. */
  take(settings: Values): void {
    this.#show(withEdits(this.#draft, Object.keys(settings)[0] ?? '', settings));
    if (!this.#draft.error) this.newRun();
  }

  /** Restores the last valid settings in the form. */
  revert(): void {
    this.#show(draftOf(this.#draft.config));
  }

  /** Puts settings into the form. The settings must be valid; they come from a link, a stored run, or the worker. */
  accept(config: Config, preset = this.#preset): void {
    this.#preset = preset;
    this.#show(draftOf(config));
  }

  /** Opens a new run with a preset, and with these settings instead of those of the preset. Throws ConfigError. */
  usePreset(name: PresetName, settings: Values = {}): void {
    const config = parseConfig(withSettings(presetConfig(name), settings));
    this.#keep();
    this.accept(config, name);
    this.#reopen();
  }

  /** Puts the settings of a run file into the form, and replays its run. */
  makeAgain(history: RunHistory): void {
    this.#keep();
    this.accept(history.config, history.preset);
    this.replay.plan(history, () => this.#reopen());
  }

  /** Stores and closes the current run, and opens a new one with the settings in the form. */
  newRun(): void {
    if (!this.#mayBegin()) return;
    if (this.#trainer.isUnderWay) this.replay.forget();
    this.#keep();
    this.#reopen();
  }

  /**
   * Imports a file of chats and opens a run that imitates them. Throws FormatError if the file is invalid; in this case,
   * nothing changes.
   */
  async takeChats(text: string, name: string): Promise<void> {
    await this.#trainer.ofRun.importFile('chats', text, name);
    this.replay.forget();
    this.newRun();
  }

  /**
   * Opens a run with the settings in the form, unless such a run is already open. Returns whether such a run is open.
   */
  async isReady(): Promise<boolean> {
    this.settle();
    const { view, isWriter } = this.#trainer;
    if (this.replay.wanted.length > 0 || !isWriter || this.error || view.state === 'failed') return false;
    this.onBegin();
    if (!this.isStale && view.run) return true;
    return this.open();
  }

  /**
   * Opens a run with the settings in the form. If the settings came with a history and have not changed, the history is
   * replayed.
   */
  open(asksFirst = false): Promise<boolean> {
    const { config, preset } = this;
    const history = this.replay.historyFor(config);
    if (!history) this.replay.forget();
    return this.#trainer.open({ ...history, config, preset, asksFirst });
  }

  /** Cancels the automatic opening of a run after the last edit. */
  settle(): void {
    clearTimeout(this.#settling);
  }

  /**
   * Changes a setting of the open run. The form shows the new value immediately, because the worker may be busy for
   * seconds. The new settings then arrive as an event.
   */
  async #change(path: string, value: unknown): Promise<void> {
    if (!fieldAt(path)?.isLive) return;
    const { config, values } = this.#draft;
    const error = liveError(config, path, value);
    if (error) return this.#show({ ...draftOf(config), error });
    this.#show({ ...draftOf(config), values: withSettings(values, { [path]: value } as Values) });
    const sent = { [path]: value } as Values;
    this.#unanswered.push(sent);
    await this.#send(path, value);
    this.#unanswered.splice(this.#unanswered.indexOf(sent), 1);
  }

  /** Sends a change to the worker. If the worker refuses it, the form shows the settings of the run again. */
  async #send(path: string, value: unknown): Promise<void> {
    const change = () => this.#trainer.ofRun.changeSetting(path, value as SettingValue).then(() => true);
    if (!(await this.#notices.attempt(change))) this.revert();
  }

  /** Shows the changes that the worker has not answered yet, so that an answer to an earlier change does not undo them. */
  #showUnanswered(): void {
    if (this.#unanswered.length === 0) return;
    const values = this.#unanswered.reduce((all: Values, sent) => ({ ...all, ...sent }), {});
    this.#show({ ...this.#draft, values: withSettings(this.#draft.values, values) });
  }

  /**
   * Whether a new run may start with these settings. Settings of a run from an earlier version may no longer be
   * possible.
   */
  #mayBegin(): boolean {
    if (this.#draft.error) return false;
    const { error } = withEdits(this.#draft, '', {});
    if (error) this.#show({ ...this.#draft, error: { ...error, at: error.path } });
    return error === null;
  }

  /** Tells the visitor what happens to the current run when another one is opened. */
  #keep(): void {
    const { isUnderWay, view } = this.#trainer;
    if (isUnderWay && view.run) this.#notices.news(say('{name} is kept in the library.', { name: view.run.name }));
  }

  #openSoon(): void {
    this.settle();
    if (this.error) return;
    this.#settling = setTimeout(() => {
      if (this.isStale) this.#reopen();
    }, settleMs);
  }

  #reopen(): void {
    this.settle();
    this.onBegin();
    void this.open(true).then(() => this.onOpened());
  }

  #show(draft: Draft): void {
    this.#draft = draft;
    this.#mended = null;
  }
}

export const [getSetup, setSetup] = createContext<Setup>();
