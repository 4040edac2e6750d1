// The problems of the displayed iteration, each of which can be opened. Messages are read from the store. The numbers
// of each token are stored only for the group that was inspected during training. For other groups, these numbers are
// requested from the trainer.
import { createContext } from 'svelte';
import type { ArchiveApi } from '../../api/archiveConnection.ts';
import type { GroupSummary } from '../../records/trajectoryRow.ts';
import type { RunId } from '../../records/ids.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import { errorWords, type Notices } from '../visitor/notices.svelte.ts';
import type { Selection } from '../run/selection.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { say } from '../visitor/language.svelte.ts';

export interface InspectorParts {
  trainer: TrainerClient;
  selection: Selection;
  notices: Notices;
  archive: ArchiveApi;
}

/**
 * The maximum number of attempts to read the newest iteration, and the time between two attempts in milliseconds. An
 * iteration is announced before it is stored, so the first attempts may find nothing.
 */
const tries = { count: 12, afterMs: 250 };

export class Groups {
  readonly #parts: InspectorParts;
  #listed = $state.raw<{ run: RunId; iteration: number; groups: readonly GroupSummary[] } | null>(null);
  #fault = $state.raw<{ group: GroupInspection; words: string } | null>(null);
  /** The group whose numbers are requested next. */
  #wanted: GroupInspection | null = null;
  #isAsking = false;
  /** A counter of the requests to open a group. Only the result of the newest request is used. */
  #newest = 0;

  readonly #run = $derived.by(() => this.#parts.trainer.view.run);
  /** The problems of the displayed iteration; null until they are read. */
  readonly list = $derived.by(() => {
    const group = this.#parts.selection.group;
    const { run, iteration, groups } = this.#listed ?? {};
    return groups && run === this.#run?.id && iteration === group?.iteration ? groups : null;
  });
  /** The number of problems in the displayed iteration; null if it is unknown. */
  readonly count = $derived.by(() => {
    if (this.list && this.list.length > 0) return this.list.length;
    const { iteration } = this.#parts.selection.group ?? {};
    return iteration ? (this.#run?.config.learning.problemsPerIteration ?? null) : null;
  });
  /**
   * The position of the displayed problem in the list that is sorted by reward, if each problem has a single rollout;
   * otherwise −1.
   */
  readonly place = $derived.by(() => {
    const { problems, group } = this.#parts.selection.group ?? {};
    return problems?.group.findIndex((one) => one === group) ?? -1;
  });
  /** Says why the displayed group has no numbers. */
  readonly fault = $derived.by(() => {
    const held = this.#parts.selection.group;
    const { group, words = '' } = this.#fault ?? {};
    return group && held?.iteration === group.iteration && held.group === group.group ? words : '';
  });

  constructor(parts: InspectorParts) {
    this.#parts = parts;
  }

  /**
   * Reads the problems of the displayed iteration. This iteration is selected, so that it stays displayed while
   * training continues.
   */
  async read(): Promise<readonly GroupSummary[]> {
    const { selection, archive, notices } = this.#parts;
    selection.hold();
    const [run, iteration] = [this.#run, selection.group?.iteration ?? 0];
    if (!run || iteration === 0) return [];
    if (this.list) return this.list;
    const groups = await notices.attempt(() => this.#stored(() => archive.groups(run.id, iteration), iteration));
    if (groups && this.#run?.id === run.id) this.#listed = { run: run.id, iteration, groups };
    return groups ?? [];
  }

  /** Opens a problem of an iteration; returns whether the problem is still stored. */
  async open(iteration: number, group: number, at: { index?: number; turn?: number } = {}): Promise<boolean> {
    const { selection, archive, notices } = this.#parts;
    const run = this.#run;
    const number = ++this.#newest;
    if (!run) return false;
    const read = () => archive.group(run.id, iteration, group).then((one) => (one ? [one] : []));
    const [found] = (await notices.attempt(() => this.#stored(read, iteration))) ?? [];
    if (number !== this.#newest) return true;
    if (!found) return false;
    const place = found.rollouts.findIndex(({ trajectory }) => trajectory.index === at.index);
    const isChosen = at.index !== undefined || at.turn !== undefined;
    selection.show(found, {
      ...(isChosen && { rollout: Math.max(0, place) }),
      ...(at.turn !== undefined && { turn: at.turn }),
    });
    if (found.rollouts.every(({ turns }) => turns.length === 0)) this.#ask(found);
    return true;
  }

  /**
   * Opens the problem that is `step` positions after the displayed one. The last problem is followed by the first
   * problem. Does nothing while the iteration is being read.
   */
  async move(by: number): Promise<void> {
    if (this.#parts.selection.isOnWay) return;
    const groups = await this.read();
    const { group } = this.#parts.selection;
    if (!group) return;
    if (groups.length < 2) return this.#parts.notices.news(say('No other problem of this iteration is stored.'));
    const at = groups.findIndex((one) => one.group === group.group);
    const next = groups[(at + by + groups.length) % groups.length];
    if (next) await this.open(group.iteration, next.group);
  }

  /**
   * Opens the rollout that is this many positions after the displayed one. If each problem has a single rollout, this
   * is the rollout of another problem.
   */
  async beside(by: number): Promise<void> {
    const { selection } = this.#parts;
    if (this.place < 0) selection.chooseRollout(selection.rolloutIndex + by);
    else await this.openPlace(this.place + by);
  }

  /**
   * Opens a problem by its position in the list that is sorted by reward. Does nothing if there is no such position.
   */
  async openPlace(place: number): Promise<void> {
    const { selection } = this.#parts;
    if (selection.isOnWay) return;
    selection.hold();
    const { iteration, problems } = selection.group ?? {};
    const group = problems?.group[place];
    if (iteration !== undefined && group !== undefined) await this.open(iteration, group);
  }

  /**
   * Requests the numbers of a group. Only one request is sent at a time. If several groups are waiting, only the newest
   * of them is requested.
   */
  #ask(group: GroupInspection): void {
    this.#wanted = group;
    this.#fault = null;
    if (!this.#isAsking) void this.#askAll();
  }

  async #askAll(): Promise<void> {
    const { trainer, selection } = this.#parts;
    this.#isAsking = true;
    while (this.#wanted) {
      const asked = this.#wanted;
      this.#wanted = null;
      const run = this.#run;
      if (!run) break;
      try {
        const numbers = await trainer.look('group', { run: run.id, iteration: asked.iteration, group: asked.group });
        selection.renew(numbers);
      } catch (thrown) {
        this.#fault = { group: asked, words: errorWords(thrown).text };
      }
    }
    this.#isAsking = false;
  }

  /** Repeats the read operation if nothing is found, because the newest iteration may not be stored yet. */
  async #stored<T>(read: () => Promise<T[]>, iteration: number): Promise<T[]> {
    for (let i = 1; ; i++) {
      // This must be checked before reading. If nothing is found and a newer iteration is announced meanwhile, the
      // requested iteration has certainly been stored, so another attempt is made.
      const isNewest = iteration === this.#parts.trainer.view.iteration;
      const found = await read();
      if (found.length > 0 || !isNewest || i === tries.count) return found;
      await new Promise((resolve) => setTimeout(resolve, tries.afterMs));
    }
  }
}

export const [getGroups, setGroups] = createContext<Groups>();
