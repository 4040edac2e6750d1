// A worker for Node that behaves like a real one for the page: it uses real calls of comlink, and holds a lock like
// answerPage.ts.
import { expose } from 'comlink';
import { hold, lifeLock } from '../writerLock.ts';

/** A worker that runs in the current thread: each message to it arrives in a later task, as a clone. */
export class ThreadlessWorker extends EventTarget {
  readonly heard: unknown[] = [];
  isEnded = false;
  readonly #inside = new EventTarget();

  constructor(api: object) {
    super();
    const answer = (data: unknown, transfer: Transferable[]) => this.#arrive(this, data, transfer);
    expose(api, {
      postMessage: answer,
      addEventListener: this.#inside.addEventListener.bind(this.#inside),
      removeEventListener: this.#inside.removeEventListener.bind(this.#inside),
    });
  }
  postMessage(data: unknown, transfer: Transferable[] = []): void {
    this.heard.push(data);
    this.#arrive(this.#inside, data, transfer);
  }
  /** Sends the name of its lock like answerPage.ts. Returns a function that ends the worker from outside. */
  async live(name: string): Promise<() => void> {
    const release = await hold(lifeLock(name));
    this.#arrive(this, { life: name });
    return () => void release?.();
  }
  terminate(): void {
    this.isEnded = true;
  }
  #arrive(target: EventTarget, data: unknown, transfer: Transferable[] = []): void {
    const clone: unknown = structuredClone(data, { transfer });
    setTimeout(() => {
      if (!this.isEnded) target.dispatchEvent(new MessageEvent('message', { data: clone }));
    });
  }
}
