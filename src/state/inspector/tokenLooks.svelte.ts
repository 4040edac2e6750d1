// Further facts about an open token, requested from the trainer on demand: its group under other learners, and the
// attention when the token was sampled. An answer is kept while its token or group is displayed.
import { createContext } from 'svelte';
import type { LookKind, Looks } from '../../api/inspectorApi.ts';
import { errorWords } from '../visitor/notices.svelte.ts';
import type { InspectorParts } from './groups.svelte.ts';

/** Answers one question at a time: holds the answer to the newest, or why there is none. */
class Asked<K extends LookKind> {
  readonly #kind: K;
  readonly #parts: TokenParts;
  #key = $state('');
  #found = $state.raw<{ key: string; answer: Looks[K]['answer'] | null; fault: string } | null>(null);
  /** The answer; null while the request is pending, or if there is none. */
  readonly answer = $derived(this.#found?.key === this.#key ? this.#found.answer : null);
  /** Why there is no answer, in words. */
  readonly fault = $derived(this.#found?.key === this.#key ? this.#found.fault : '');

  constructor(kind: K, parts: TokenParts) {
    this.#kind = kind;
    this.#parts = parts;
  }

  async ask(at: Looks[K]['at']): Promise<void> {
    const key = JSON.stringify(at);
    if (key === this.#key) return;
    this.#key = key;
    const found = (answer: Looks[K]['answer'] | null, fault = '') => {
      if (key === this.#key) this.#found = { key, answer, fault };
    };
    try {
      found(await this.#parts.trainer.look(this.#kind, at));
    } catch (thrown) {
      found(null, errorWords(thrown).text);
    }
  }
}

type TokenParts = Pick<InspectorParts, 'trainer' | 'selection'>;

export class TokenLooks {
  readonly #parts: TokenParts;
  readonly learners: Asked<'learners'>;
  readonly attention: Asked<'attention'>;
  /** The open sections below the formula; they stay open from token to token. */
  isOpen = $state({ learners: false, attention: false });

  constructor(parts: TokenParts) {
    this.#parts = parts;
    this.learners = new Asked('learners', parts);
    this.attention = new Asked('attention', parts);
  }

  /** Requests the content of the open sections for a token of the displayed turn. */
  ask(token: number): void {
    const { trainer, selection } = this.#parts;
    const { group, rollout, turnIndex } = selection;
    const run = trainer.view.run?.id;
    if (!run || !group || !rollout) return;
    const { iteration } = group;
    if (this.isOpen.learners) void this.learners.ask({ run, iteration, group: group.group });
    const { index } = rollout.trajectory;
    if (this.isOpen.attention) void this.attention.ask({ run, iteration, trajectory: index, turn: turnIndex, token });
  }
}

export const [getTokenLooks, setTokenLooks] = createContext<TokenLooks>();
