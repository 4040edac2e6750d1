// A value that is updated at a limited rate. Charts use it, because they need not be redrawn forty times a second if a
// run has forty iterations a second.

export class Paced<T> {
  #value = $state.raw() as T;
  readonly value = $derived(this.#value);
  #readMs = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Reads the value immediately, and again when the dependencies of `read` have changed and `gapMs` milliseconds have
   * passed. Each update is a separate task, so that rendering the value never delays another update.
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
