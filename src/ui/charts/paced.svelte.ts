// A value that is read at most every so often: charts need not follow each of forty iterations a second.

export class Paced<T> {
  #value = $state.raw() as T;
  readonly value = $derived(this.#value);
  #readMs = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Reads at once, then whenever what `read` depends on has changed and `gapMs` milliseconds have passed; each time in
   * a task of its own, so that what is drawn from it never makes another update long.
   */
  constructor(read: () => T, gapMs: number) {
    this.#value = read();
    $effect(() => {
      const value = read();
      clearTimeout(this.#timer);
      const take = () => {
        this.#readMs = performance.now();
        this.#value = value;
      };
      const waitMs = this.#readMs + gapMs - performance.now();
      this.#timer = setTimeout(take, Math.max(0, waitMs));
    });
  }
}
