// The queue for the engine: one request is served at a time, the others in order of arrival. A disconnected client is
// removed from the queue, and nothing of its request is kept.
import { BusyError, LeftError } from './http.ts';

/** Maximum number of waiting and served requests. */
const mostWaiting = 64;

export class Line {
  #waiting: (() => Promise<void>)[] = [];
  #isServing = false;

  /**
   * Runs a task after the previous ones have ended. Throws BusyError if too many wait, LeftError for a client that
   * disconnects before its turn.
   */
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
