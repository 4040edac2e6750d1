// The life of a worker, which may end before it has answered. Each question is removed from memory once it is answered.
// If every answer were raced against a single promise of the worker's end, all answers would stay in memory as long as
// the worker lives.
export class Life {
  readonly #waiting = new Set<(error: Error) => void>();
  #end: Error | null = null;
  /** Never resolves; rejects when the worker has ended. */
  readonly over = this.until<never>(new Promise(() => undefined));

  constructor() {
    this.over.catch(() => undefined);
  }

  /** The worker's answer. If the worker ends first, rejects with the error for that. */
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
