// The life of a worker, which may end before it has answered. Each question is released with its answer: racing every
// answer against a single promise of the worker's end would keep all answers in memory as long as the worker lives.
export class Life {
  readonly #waiting = new Set<(error: Error) => void>();
  #end: Error | null = null;
  /** Never resolves; rejects when the worker has ended. */
  readonly over = this.until<never>(new Promise(() => undefined));

  constructor() {
    this.over.catch(() => undefined);
  }

  /** The answer, or the error of the worker's end if that comes first. */
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
