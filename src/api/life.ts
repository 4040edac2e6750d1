// Lets the page notice that a worker has ended before it has answered. A question is removed from memory once it is
// answered. If instead every answer were combined with one promise of the worker's end by `Promise.race`, all answers
// would stay in memory for as long as the worker exists.
export class Life {
  readonly #waiting = new Set<(error: Error) => void>();
  #end: Error | null = null;
  /** A promise that never resolves, and rejects when the worker has ended. */
  readonly over = this.until<never>(new Promise(() => undefined));

  constructor() {
    this.over.catch(() => undefined);
  }

  /** Resolves with the worker's answer. If the worker ends first, rejects with the error that describes its end. */
  until<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(this.#end);
      this.#waiting.add(reject);
      void answer.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }

  end(error: Error): void {
    this.#end ??= error;
    for (const reject of this.#waiting) reject(this.#end);
    this.#waiting.clear();
  }
}
