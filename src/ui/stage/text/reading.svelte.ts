// The state of reading a dialogue in plain words: which turns are unfolded, and the search.
import { SvelteSet } from 'svelte/reactivity';
import type { TurnInspection } from '../../../records/inspection.ts';
import type { Trajectory, Turn } from '../../../records/trajectory.ts';
import { findAll, partsOf, type Part } from './find.ts';

/** The dialogue in the lanes. */
export interface ShownDialogue {
  /** The iteration of the dialogue. */
  iteration: number;
  trajectory: Trajectory | null;
  /** The inspection of each turn; null while the dialogue is being sampled. */
  inspections: readonly TurnInspection[] | null;
  isLive: boolean;
}

/** Whether the turn is still being sampled. Such a turn has no log-probabilities yet. */
export const isUnfinished = ({ tokens, logprobs }: Turn): boolean => tokens.length > 0 && logprobs.length === 0;

/**
 * The tokens of a turn, which together are its text. Before the tokens are inspected, only the text is known; it is then
 * divided into words.
 */
export function textTokens(turn: Turn, inspection: TurnInspection | null | undefined): string[] {
  if (inspection && inspection.tokens.length > 0) return inspection.tokens;
  const words = turn.text.match(/\s*\S+|\s+$/g) ?? [];
  return turn.isTruncated || isUnfinished(turn) ? words : [...words, '⏎'];
}

export class Reading {
  readonly #shown: () => ShownDialogue;
  /** The unfolded turns, by dialogue and turn. */
  readonly #unfolded = new SvelteSet<string>();
  #query = $state('');
  /** The match that the visitor went to, and the dialogue that contains it. */
  #reached = $state.raw<{ match: number; dialogue: string } | null>(null);

  readonly #dialogue = $derived.by(() => {
    const { iteration, trajectory } = this.#shown();
    return [iteration, trajectory?.group, trajectory?.index, trajectory?.problem.id].join(' ');
  });
  /** The tokens of each turn. */
  readonly tokens: readonly string[][] = $derived.by(() => {
    const { trajectory, inspections } = this.#shown();
    return trajectory?.turns.map((turn, i) => textTokens(turn, inspections?.[i])) ?? [];
  });
  readonly #texts = $derived(this.tokens.map((tokens) => tokens.join('')));
  readonly query = $derived(this.#query);
  readonly #matches = $derived(findAll(this.#texts, this.#query));
  readonly count = $derived(this.#matches.length);
  /** The index of the match that the visitor went to; null if the visitor has not gone to any. */
  readonly current = $derived(
    this.#reached?.dialogue === this.#dialogue && this.#reached.match < this.count ? this.#reached.match : null,
  );
  /**
   * The index of the first of the turns that are being sampled; the number of turns if the dialogue is not being
   * sampled. If several agents speak simultaneously, there are several such turns.
   */
  readonly newestFrom = $derived.by(() => {
    const { trajectory, isLive } = this.#shown();
    const last = trajectory?.turns.at(-1);
    if (!trajectory || !last) return 0;
    return isLive ? (last.set ?? trajectory.turns.length - 1) : trajectory.turns.length;
  });

  constructor(shown: () => ShownDialogue) {
    this.#shown = shown;
  }

  /** The tokens of a turn in parts, divided where a match begins or ends. */
  partsOf = (turn: number): Part[][] => partsOf(this.tokens[turn] ?? [], turn, this.#matches);

  isUnfolded = (turn: number): boolean => this.#unfolded.has(`${this.#dialogue} ${turn}`);

  toggle(turn: number): void {
    const key = `${this.#dialogue} ${turn}`;
    if (!this.#unfolded.delete(key)) this.#unfolded.add(key);
  }

  search(query: string): void {
    this.#query = query;
    this.#reached = null;
  }

  /**
   * Goes to the next match or, if `by` is −1, to the one before, and unfolds its turn. After the last match comes the
   * first one. Returns whether there is a match.
   */
  go(by: 1 | -1): boolean {
    if (this.count === 0) return false;
    const from = this.current ?? (by === 1 ? -1 : 0);
    const match = (from + by + this.count) % this.count;
    this.#reached = { match, dialogue: this.#dialogue };
    this.#unfolded.add(`${this.#dialogue} ${this.#matches[match]?.turn}`);
    return true;
  }
}
