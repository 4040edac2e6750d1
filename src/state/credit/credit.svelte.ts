// The worth of the messages of the group on show, and what they tell of the text that only their sender sees: asked of
// the trainer when the visitor wants to know, and kept while that group is on show.
import { createContext } from 'svelte';
import type { Looks } from '../../api/inspectorApi.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import type { CodebookInTime } from './codebookInTime.svelte.ts';
import { errorWords } from '../visitor/notices.svelte.ts';
import type { Selection } from '../run/selection.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';

/** Continuations that may be chosen. */
export const drawCounts = [16, 64, 256] as const;

type Kind = 'credit' | 'codebook';

interface Asked<K extends Kind> {
  group: GroupInspection;
  /** Null while it is measured, and where it was refused. */
  found: Looks[K]['answer'] | null;
  /** Why it was refused; empty where it was not. */
  refusal: string;
}

export class Question<K extends Kind> {
  readonly #kind: K;
  readonly #parts: { trainer: Pick<TrainerClient, 'look' | 'view'>; selection: Selection };
  #asked = $state.raw<Asked<K> | null>(null);
  /** The answer about the group on show; null where nobody has asked. */
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

  /** Asks about the group on show, which is held meanwhile. */
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

/** The questions, each by its name. */
export interface Questions {
  credit: Question<'credit'>;
  codebook: Question<'codebook'>;
  inTime: CodebookInTime;
}

export const [getQuestions, setQuestions] = createContext<Questions>();
