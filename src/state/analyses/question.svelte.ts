// A question about the displayed group that the visitor asks the trainer. The answer is stored as long as the group is
// displayed.
import type { GroupAt, Looks } from '../../records/looks.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import { errorWords } from '../visitor/notices.svelte.ts';
import type { AnalysisParts } from './analysis.ts';

/** The names of the questions that concern one group and have a number of samples. */
type Kind = {
  [K in keyof Looks]: GroupAt & { draws: number } extends Looks[K]['at']
    ? 'draws' extends keyof Looks[K]['at']
      ? K
      : never
    : never;
}[keyof Looks];

interface Asked<K extends Kind> {
  group: GroupInspection;
  /** The answer; null while it is being computed, or if the request was refused. */
  found: Looks[K]['answer'] | null;
  /** The reason why the request was refused; empty if the request was not refused. */
  refusal: string;
}

type QuestionParts = Pick<AnalysisParts, 'trainer' | 'selection'>;

export class Question<K extends Kind> {
  readonly #kind: K;
  readonly #parts: QuestionParts;
  #asked = $state.raw<Asked<K> | null>(null);
  /** The answer about the displayed group; null before the first request. */
  readonly asked = $derived.by(() => {
    const { group } = this.#parts.selection;
    const asked = this.#asked;
    return asked && group && asked.group.iteration === group.iteration && asked.group.group === group.group
      ? asked
      : null;
  });

  constructor(kind: K, parts: QuestionParts) {
    this.#kind = kind;
    this.#parts = parts;
  }

  /**
   * Requests the answer about the displayed group. The displayed group is selected, so that it stays displayed while
   * training continues.
   */
  async ask(draws: number): Promise<void> {
    const { trainer, selection } = this.#parts;
    selection.hold();
    const { group } = selection;
    const { run } = trainer.view;
    if (!group || !run) return;
    const asked: Asked<K> = { group, found: null, refusal: '' };
    this.#asked = asked;
    const settle = (settled: Partial<Asked<K>>) => {
      if (this.#asked === asked) this.#asked = { ...asked, ...settled };
    };
    try {
      settle({
        found: await trainer.look(this.#kind, { run: run.id, iteration: group.iteration, group: group.group, draws }),
      });
    } catch (thrown) {
      settle({ refusal: errorWords(thrown).text });
    }
  }
}
