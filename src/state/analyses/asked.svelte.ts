// Sends one question at a time, and stores the answer to the newest question, or the reason why there is no answer. If
// the newest question is asked again, nothing happens.
import type { LookKind, Looks } from '../../records/looks.ts';
import { errorWords } from '../visitor/notices.svelte.ts';
import type { AnalysisParts } from './analysis.ts';

export class Asked<K extends LookKind> {
  readonly #kind: K;
  readonly #trainer: Pick<AnalysisParts['trainer'], 'look'>;
  #key = $state('');
  #found = $state.raw<{ key: string; answer: Looks[K]['answer'] | null; fault: string } | null>(null);
  /** The answer; null while the request is pending, or if there is no answer. */
  readonly answer = $derived(this.#found?.key === this.#key ? this.#found.answer : null);
  /** Says why there is no answer. */
  readonly fault = $derived(this.#found?.key === this.#key ? this.#found.fault : '');

  constructor(kind: K, trainer: Pick<AnalysisParts['trainer'], 'look'>) {
    this.#kind = kind;
    this.#trainer = trainer;
  }

  async ask(at: Looks[K]['at']): Promise<void> {
    const key = JSON.stringify(at);
    if (key === this.#key) return;
    this.#key = key;
    const found = (answer: Looks[K]['answer'] | null, fault = '') => {
      if (key === this.#key) this.#found = { key, answer, fault };
    };
    try {
      found(await this.#trainer.look(this.#kind, at));
    } catch (thrown) {
      found(null, errorWords(thrown).text);
    }
  }
}
