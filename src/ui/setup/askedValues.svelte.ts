// The values that a visitor has set in a control and the run has not reported yet, the oldest first. A run under way
// reports each of several quick changes after a moment; the control keeps the newest one until then, or the next key would
// start from an older value.
export class AskedValues<T> {
  #asked = $state.raw<readonly T[]>([]);

  /** The newest value; undefined if the run has followed. */
  readonly newest = $derived(this.#asked.at(-1));

  ask(value: T): void {
    this.#asked = [...this.#asked, value];
  }

  /** The run reports a value: it and all values set before it are done. If none of them is it, the run decides. */
  follow(value: T): void {
    const at = this.#asked.indexOf(value);
    this.#asked = at < 0 ? [] : this.#asked.slice(at + 1);
  }

  drop(): void {
    this.#asked = [];
  }
}
