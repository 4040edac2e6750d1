// The life of a worker, which may end before it has answered. Each question is released with its answer: racing every
// answer against one promise of the end would keep all answers alive as long as the worker.
export class Life {
  readonly #waiting = new Set<(error: Error) => void>();
  #end: Error | null = null;
  /** Never answers; throws when it is over. */
  readonly over = this.until<never>(new Promise(() => undefined));

  constructor() {
    this.over.catch(() => undefined);
  }

  /** The answer, or what it ends with before. */
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
