// Imports and exports runs through links, the address of the page, and run files.
import { createContext } from 'svelte';
import { addressIn, pagePath } from '../../api/framing.ts';
import { remediesOf } from '../../base/errors.ts';
import type { Config } from '../../config/schema.ts';
import { isOwn, ownNameOf } from '../../config/worlds/own.ts';
import { isBare, readLink, readVisit, writeLink } from '../../formats/link.ts';
import { metricsCsv, metricsJson } from '../../formats/numbers/metricsTable.ts';
import { tensorBoardFile } from '../../formats/numbers/tensorBoard.ts';
import { isLessonLink } from '../../lessons/lessonLink.ts';
import { type RunRecord, beyondLink, historyOf } from '../../records/stored/checkpoint.ts';
import type { Evaluation, IterationMetrics } from '../../records/metrics.ts';
import { loadMetrics, loadWorld } from '../../storage/reading.ts';
import { remedyOf } from '../settings/draft.ts';
import type { Notices } from '../visitor/notices.svelte.ts';
import type { OwnWorlds } from '../library/ownWorlds.svelte.ts';
import type { Run } from './run.svelte.ts';
import type { Setup } from '../settings/setup.svelte.ts';
import { say } from '../visitor/language.svelte.ts';

/** Loads the code that reads and writes run files only when it is needed. */
const runFiles = () => import('../../formats/runFile.ts');

/**
 * The minimum time in milliseconds between two updates of the page's address. Browsers allow only a limited number of
 * updates.
 */
const restMs = 400;

/**
 * The query of a link with these settings and this view, and with the language of `search`. Null if `search` already
 * contains the same settings and opens the same view.
 */
export function addressFor(search: string, preset: string, config: Config, view: string | null): string | null {
  const { preset: named, config: said } = readLink(search);
  const link = writeLink({ preset, config });
  const { lesson, lang, view: asked } = readVisit(search);
  const isSameView = isBare(search) || (asked === 'lab' ? null : asked) === view;
  if (lesson === null && isSameView && writeLink({ preset: named, config: said }) === link) return null;
  const rest = Object.entries({ lang, view }).flatMap(([part, text]) =>
    text === null ? [] : `&${part}=${encodeURIComponent(text)}`,
  );
  return link + rest.join('');
}

/**
 * Joins two lists of rows in the order of iterations: the stored rows up to the last displayed iteration, and later
 * rows that are only in the page's memory.
 */
function continued<T extends { iteration: number }>(stored: readonly T[], known: readonly T[]): T[] {
  const [storedEnd, end] = [stored, known].map((list) => list.at(-1)?.iteration ?? -1) as [number, number];
  return [...stored.filter(({ iteration }) => iteration <= end), ...known.filter((row) => row.iteration > storedEnd)];
}

const addressNow = (): string => window.location.search + window.location.hash;

/** The content of the page's address. */
interface Followed {
  preset: string;
  config: Config;
  /** The name of the view; null for the laboratory. */
  view: string | null;
}

export class Sharing {
  readonly #setup: Setup;
  readonly #run: Run;
  readonly #notices: Notices;
  readonly #worlds: OwnWorlds;
  #wanted: Followed | null = null;
  /** The settings and the view of the last update of the address, and the query and hash after it. */
  #written: (Followed & { address: string }) | null = null;
  #isResting = false;

  constructor({ setup, run, notices, ownWorlds }: { setup: Setup; run: Run; notices: Notices; ownWorlds: OwnWorlds }) {
    this.#setup = setup;
    this.#run = run;
    this.#notices = notices;
    this.#worlds = ownWorlds;
  }

  /**
   * The settings that a link can contain: the initial settings of the open run if there is one, otherwise the settings
   * in the form.
   */
  get linked(): { preset: string; config: Config } {
    const { run } = this.#run.view;
    if (!run || !this.#run.isUnderWay) return this.#setup;
    return { preset: run.preset, config: run.begun ?? run.config };
  }

  /**
   * Updates the address of the page when the settings or the view change, so that a reload opens the same page. The first update is
   * made immediately. All changes within the delay after an update are combined into the next update. The original
   * address stays unchanged as long as it contains the same settings. When a setting is changed, a request for an
   * automatic start is removed from the address.
   */
  follow(linked: Followed): void {
    if (this.#isFollowed(linked)) return;
    this.#wanted = linked;
    if (this.#isResting) return;
    this.#isResting = true;
    this.#write(linked);
    setTimeout(() => {
      this.#isResting = false;
      if (this.#wanted !== linked && this.#wanted) this.follow(this.#wanted);
    }, restMs);
  }

  /** Whether the address already follows these settings. The page asks after every event of a run. */
  #isFollowed({ preset, config, view }: Followed): boolean {
    const now = this.#written;
    const isSame = now?.preset === preset && now.config === config && now.view === view;
    return isSame && now.address === addressNow();
  }

  #write(linked: Followed): void {
    const { preset, config, view } = linked;
    const { pathname, search, hash } = window.location;
    const next = addressFor(search, preset, config, view);
    const isLeft = isLessonLink(hash);
    if (next !== null || isLeft)
      window.history.replaceState(window.history.state, '', `${pathname}${next ?? search}${isLeft ? '' : hash}`);
    this.#written = { ...linked, address: addressNow() };
  }

  /** The address that opens the same settings on any machine, with the current backend; from the stage, it opens the stage. */
  link(): string {
    const { preset, config } = this.linked;
    const backend = this.#run.view.engine?.backend;
    const used = backend && { backend: backend === 'webgpu' ? ('webgpu' as const) : ('cpu' as const) };
    const { origin, pathname } = window.location;
    const view = ['stage', 'embed'].includes(this.#wanted?.view ?? '') ? '&view=stage' : '';
    return origin + pagePath(pathname) + writeLink({ preset, config, ...used }) + view;
  }

  /** The line of HTML with which another site shows the same settings in a frame, each visitor on the own machine. */
  frame(): string {
    const { origin, pathname } = window.location;
    const address = addressIn('embed', { origin, pathname, search: writeLink(this.linked) });
    return `<iframe src="${address.replaceAll('&', '&amp;')}" width="960" height="720" title="Cothink" loading="lazy"></iframe>`;
  }

  /** Copies a text. If the browser does not allow copying, the reader is told to copy it by hand. */
  async copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.#notices.news(say('Copied.'));
    } catch {
      this.#notices.say(say('Copying was blocked. Select this text and copy it: {text}', { text }));
    }
  }

  /**
   * Copies the link, with `place` (a position in the run) at its end, and reports settings that a link cannot contain.
   * If the browser does not allow copying, the link is shown.
   */
  async share(place = ''): Promise<void> {
    const link = this.link() + place;
    const { run } = this.#run.view;
    const rest = run && this.#run.isUnderWay ? beyondLink(run) : '';
    const limits =
      rest &&
      ` ${say('The link contains the settings that the run began with, but not {rest}. “Run file” under Export contains everything.', { rest })}`;
    try {
      await navigator.clipboard.writeText(link);
      if (limits) this.#notices.say(say('The link is copied.') + limits);
      else this.#notices.news(say(place ? 'The link to this token is copied.' : 'The link to this run is copied.'));
    } catch {
      this.#notices.say(say('Copying was blocked. Select this link and copy it: {link}', { link }) + limits);
    }
  }

  /**
   * A run file as YAML: the settings of a stored run or of the page, and the changes during the run. The file includes
   * the world if the visitor wrote it. Throws StorageError if the world cannot be read.
   */
  async runFile(stored?: RunRecord): Promise<string> {
    const { preset, config, isStale } = this.#setup;
    const run = stored ?? (isStale ? null : this.#run.view.run);
    const history = run ? historyOf(run) : { preset, config, changes: [], imports: [] };
    const { name } = history.config.world;
    const archived = this.#run.view.archive?.world;
    const world = isOwn(name) && (archived?.form.name === name ? archived : await loadWorld(name));
    const { writeRunFile } = await runFiles();
    return writeRunFile({ name: run?.name ?? this.#run.name, ...history, ...(world && { world }) });
  }

  /**
   * Checks and stores the world that a run file contains, because the settings in the file refer to it. Throws
   * SandboxError if the code of the world cannot be run.
   */
  async #keepWorldOf(text: string): Promise<void> {
    const carried = (await runFiles()).readRunWorld(text);
    // If an archive with a world was viewed before, the name of this world is registered, although the world is not
    // stored.
    if (!carried || this.#worlds.forms.some(({ name }) => name === ownNameOf(carried.content))) return;
    const world = await this.#worlds.opened(carried.content);
    await this.#worlds.keep({ ...world, form: { ...world.form, label: carried.label } });
  }

  /** The metrics and the profile of all iterations so far. */
  async metricsFile(kind: 'csv' | 'json'): Promise<string> {
    return (kind === 'csv' ? metricsCsv : metricsJson)((await this.#numbers()).rows);
  }

  /** The metrics of all iterations so far, together with all evaluations, in TensorBoard's format. */
  async tensorBoardFile() {
    return tensorBoardFile({ createdMs: this.#run.view.run?.createdMs ?? 0, ...(await this.#numbers()) });
  }

  /**
   * All rows of the run: the stored or archived ones, then newer rows that are only in the page's memory. If nothing
   * could be stored, all rows are in the page's memory.
   */
  async #numbers(): Promise<{ rows: IterationMetrics[]; evaluations: Evaluation[] }> {
    const { run, archive, metrics, evaluations } = this.#run.view;
    const stored = archive ?? (run && (await this.#notices.attempt(() => loadMetrics(run.id))));
    return {
      rows: continued(stored?.metrics ?? [], metrics.known),
      evaluations: continued(stored?.evaluations ?? [], evaluations),
    };
  }

  /** Opens a run file. `read` returns the text of the file; an error of `read` is reported. */
  async openFile(name: string, read: () => Promise<string>): Promise<void> {
    try {
      await this.openRunFile(await read(), name);
    } catch (thrown) {
      this.#notices.problem(thrown, 'file');
    }
  }

  /**
   * Applies the settings of a run file. If the file is invalid, nothing is changed; the error is reported, with a fix
   * if possible.
   */
  async openRunFile(text: string, name: string, isMended = false): Promise<void> {
    this.#notices.settle('file');
    try {
      await this.#keepWorldOf(text);
      const notes: string[] = [];
      const { readRunFile } = await runFiles();
      this.#setup.makeAgain(readRunFile(text, isMended, notes));
      if (notes.length > 0) this.#notices.say(`${name}: ${notes.join(' ')}`);
    } catch (thrown) {
      const remedy = remedyOf(remediesOf(thrown)[0]);
      const [change, ...others] = remedy?.changes ?? [];
      const words =
        change && others.length === 0 ? say('Open it with {change}', { change }) : say('Open it with these');
      const run = () => void this.openRunFile(text, name, true);
      this.#notices.problem(thrown, 'file', { fileName: name, ...(remedy && { action: { ...remedy, words, run } }) });
    }
  }
}

export const [getSharing, setSharing] = createContext<Sharing>();
