// The values that a visitor has set in a control and that the run has not reported yet. The oldest comes first. After
// several quick changes, a started run reports the values one after another with a delay. Until the run has reported
// all values, the control shows the newest value. Otherwise the next key press would change an older value.
export class AskedValues<T> {
  #asked = $state.raw<readonly T[]>([]);

  /** The newest value; undefined if the run has reported all values. */
  readonly newest = $derived(this.#asked.at(-1));

  ask(value: T): void {
    this.#asked = [...this.#asked, value];
  }

  /**
   * Called with a value that the run reports. This value, and all values that were set before it, are removed from the
   * list. If the visitor has not set this value, all values are removed, so that the control shows the run's value.
   */
  follow(value: T): void {
    const at = this.#asked.indexOf(value);
    this.#asked = at < 0 ? [] : this.#asked.slice(at + 1);
  }

  drop(): void {
    this.#asked = [];
  }
}
