// The queue for the engine: one request is served at a time, and the others wait in order of arrival. When a client
// disconnects, its request is removed from the queue.
import { BusyError, LeftError } from './http.ts';

/** Maximum number of requests in the queue, including the one that is being served. */
const mostWaiting = 64;

export class Line {
  #waiting: (() => Promise<void>)[] = [];
  #isServing = false;

  /**
   * Runs a task after all previous ones. Throws BusyError if too many requests are waiting, and LeftError if the client
   * disconnects before the task starts.
   */
  async join<T>(work: () => Promise<T>, left?: AbortSignal): Promise<T> {
    if (left?.aborted) throw new LeftError();
    if (this.#waiting.length + Number(this.#isServing) >= mostWaiting)
      throw new BusyError('too many requests are waiting; try again in a moment.');
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
