// The value of the messages in the displayed group, and their information about the text that only their sender sees.
// Both are requested from the trainer when the visitor opens them, and kept while the group is displayed.
import { createContext } from 'svelte';
import type { Looks } from '../../api/inspectorApi.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import type { CodebookInTime } from './codebookInTime.svelte.ts';
import { errorWords } from '../visitor/notices.svelte.ts';
import type { Selection } from '../run/selection.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';

/** The selectable numbers of continuations. */
export const drawCounts = [16, 64, 256] as const;

type Kind = 'credit' | 'codebook';

interface Asked<K extends Kind> {
  group: GroupInspection;
  /** The answer; null during the measurement, and if the request was refused. */
  found: Looks[K]['answer'] | null;
  /** Why the request was refused; empty if it was not. */
  refusal: string;
}

export class Question<K extends Kind> {
  readonly #kind: K;
  readonly #parts: { trainer: Pick<TrainerClient, 'look' | 'view'>; selection: Selection };
  #asked = $state.raw<Asked<K> | null>(null);
  /** The answer about the displayed group; null before the first request. */
  readonly asked = $derived.by(() => {
    const { group } = this.#parts.selection;
    const asked = this.#asked;
    return asked && group && asked.group.iteration === group.iteration && asked.group.group === group.group
      ? asked
      : null;
  });

  constructor(kind: K, parts: { trainer: Pick<TrainerClient, 'look' | 'view'>; selection: Selection }) {
    this.#kind = kind;
    this.#parts = parts;
  }

  /** Requests the answer about the displayed group, which stays open meanwhile. */
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

/** The questions by name. */
export interface Questions {
  credit: Question<'credit'>;
  codebook: Question<'codebook'>;
  inTime: CodebookInTime;
}

export const [getQuestions, setQuestions] = createContext<Questions>();
