// The values that a visitor has set in a control and that the run has not reported yet. The oldest comes first. A
// started run reports each of several quick changes after a moment. Until then the control keeps the newest value,
// because the next key would otherwise start from an older one.
export class AskedValues<T> {
  #asked = $state.raw<readonly T[]>([]);

  /** The newest value; undefined if the run has reported all values. */
  readonly newest = $derived(this.#asked.at(-1));

  ask(value: T): void {
    this.#asked = [...this.#asked, value];
  }

  /**
   * Handles a value that the run reports, by removing this value and all values that were set before it. If the visitor
   * has not set this value, all are removed, because the run's value counts.
   */
  follow(value: T): void {
    const at = this.#asked.indexOf(value);
    this.#asked = at < 0 ? [] : this.#asked.slice(at + 1);
  }

  drop(): void {
    this.#asked = [];
  }
}
