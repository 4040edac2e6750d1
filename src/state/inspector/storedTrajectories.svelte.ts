// The list of all stored dialogues of the open run. The dialogues are read once in a worker; searching, filtering and
// sorting are done here. Each dialogue can be shown on the stage or exported as JSON Lines.
import { createContext } from 'svelte';
import type { TrajectoryRow } from '../../records/trajectoryRow.ts';
import { filteredTrajectories, noFilter, valuesOf, type TrajectoryFilter } from './trajectoryFilter.ts';
import type { Groups, InspectorParts } from './groups.svelte.ts';
import { refusalOf } from '../visitor/notices.svelte.ts';
import { say } from '../visitor/language.svelte.ts';

/**
 * Rows that arrive are collected for this many milliseconds before they are added, because the list is drawn again
 * after each addition.
 */
const gatheredMs = 200;
/** Maximum number of dialogues that can be copied to the clipboard; a larger number is saved as a file instead. */
const mostCopied = 2000;

interface DialogueParts extends InspectorParts {
  groups: Groups;
}

export class StoredTrajectories {
  readonly #parts: DialogueParts;
  #rows = $state.raw<readonly TrajectoryRow[]>([]);
  #share = $state(0);
  #refusal = $state('');
  #filter = $state.raw<TrajectoryFilter>(noFilter);
  #chosen = $state(0);
  /** A counter of the read operations. Rows of older read operations are ignored. */
  #newest = 0;
  readonly #run = $derived.by(() => this.#parts.trainer.view.run);
  readonly rows = $derived(this.#rows);
  /** The share of the iterations that have been read, in [0, 1]. */
  readonly share = $derived(this.#share);
  /** Says why the dialogues cannot be read; empty if they can be read. */
  readonly refusal = $derived(this.#refusal);
  readonly filter = $derived(this.#filter);
  readonly found = $derived(filteredTrajectories(this.#rows, this.#filter));
  readonly worlds = $derived(valuesOf(this.#rows, 'world'));
  readonly slices = $derived(valuesOf(this.#rows, 'slice'));
  /** The index of the selected dialogue in the filtered list. */
  readonly chosen = $derived(Math.min(this.#chosen, Math.max(0, this.found.length - 1)));
  /** Whether the filtered list has too many dialogues for the clipboard. */
  readonly isFile = $derived(this.found.length > mostCopied);

  constructor(parts: DialogueParts) {
    this.#parts = parts;
  }

  /** Reads everything stored so far. */
  async read(): Promise<void> {
    const run = this.#run;
    const number = ++this.#newest;
    this.#refusal = '';
    // A run that has not begun is not stored yet.
    const isEmpty = !run || this.#parts.trainer.view.iteration === 0;
    this.#share = isEmpty ? 1 : 0;
    if (isEmpty) {
      this.#rows = [];
      return;
    }
    const gathered: TrajectoryRow[] = [];
    let shownMs = -Infinity;
    const refusal = await refusalOf(
      this.#parts.archive.readTrajectories(run.id, (rows, share) => {
        if (number !== this.#newest) return;
        gathered.push(...rows);
        if (share < 1 && performance.now() - shownMs < gatheredMs) return;
        shownMs = performance.now();
        this.#rows = [...gathered];
        this.#share = share;
      }),
    );
    if (number === this.#newest) this.#refusal = refusal;
  }

  /** Changes the filter or the order, and clears the selection. */
  change(change: Partial<TrajectoryFilter>): void {
    this.#filter = { ...this.#filter, ...change };
    this.#chosen = 0;
  }

  choose(place: number): void {
    this.#chosen = place;
  }

  /** Shows a dialogue on the stage. If the dialogue was deleted meanwhile, reports this and returns false. */
  async open(row: TrajectoryRow): Promise<boolean> {
    const { groups, selection, notices } = this.#parts;
    const isKept = await groups.open(row.iteration, row.group, { index: row.index });
    const { index } = selection.trajectory ?? {};
    if (isKept && index !== row.index)
      notices.say(
        say(
          'Candidates that were not chosen are shown only with the best rollout of a problem. This candidate belongs to another rollout.',
        ),
      );
    if (!isKept)
      notices.say(say('The dialogues of iteration {iteration} are no longer stored.', { iteration: row.iteration }));
    return isKept;
  }

  /** Writes some dialogues as JSON Lines. If the dialogues cannot be read, reports the error and returns undefined. */
  async lines(rows: readonly TrajectoryRow[]): Promise<Blob | undefined> {
    const run = this.#run;
    const asked = rows.map(({ iteration, index }) => ({ iteration, index }));
    return run ? this.#parts.notices.attempt(() => this.#parts.archive.lines(run.id, asked)) : undefined;
  }

  /** Copies lines to the clipboard. Returns false if the browser does not allow it. */
  async copy(lines: Blob, count: number): Promise<boolean> {
    try {
      await navigator.clipboard.writeText(await lines.text());
    } catch {
      return false;
    }
    this.#parts.notices.news(
      say('{count, plural, one {The dialogue is copied.} other {# dialogues are copied.}}', { count }),
    );
    return true;
  }
}

export const [getDialogues, setDialogues] = createContext<StoredTrajectories>();
