// Who waits for the engine: one request is served at a time, the others in the order in which they came. Whoever has left is
// taken out of the line, and nothing of the request is kept.
import { BusyError, LeftError } from './http.ts';

/** Requests that may wait or be served. */
const mostWaiting = 64;

export class Line {
  #waiting: (() => Promise<void>)[] = [];
  #isServing = false;

  /** Does something when those before have ended. Throws BusyError where too many wait, LeftError for who leaves before its turn. */
  async join<T>(work: () => Promise<T>, left?: AbortSignal): Promise<T> {
    if (left?.aborted) throw new LeftError();
    if (this.#waiting.length + Number(this.#isServing) >= mostWaiting)
      throw new BusyError('too many requests wait; try again in a moment.');
    return new Promise<T>((resolve, reject) => {
      const turn = async () => {
        left?.removeEventListener('abort', leave);
        await work().then(resolve, reject);
      };
      const leave = () => {
        this.#waiting = this.#waiting.filter((one) => one !== turn);
        reject(new LeftError());
      };
      left?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(turn);
      void this.#serve();
    });
  }

  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    for (let turn = this.#waiting.shift(); turn; turn = this.#waiting.shift()) await turn();
    this.#isServing = false;
  }
}
