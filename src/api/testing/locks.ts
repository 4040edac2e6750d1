// The part of the Web Locks API that the page uses, for Node, which does not have it. Locks have names and are granted
// in the order of the requests; consecutive shared requests are granted together. As in a browser, the request is
// answered after a delay, and a granted lock is already held during this delay.
interface Request {
  mode: LockMode;
  isHeld: boolean;
  grant: () => void;
}

const soon = <T>(answer: () => T) => new Promise<T>((resolve) => setTimeout(() => resolve(answer())));

export class Locks {
  readonly #queues = new Map<string, Request[]>();

  readonly request = (name: string, given: unknown, take?: unknown): Promise<unknown> => {
    const { mode = 'exclusive', ifAvailable, signal } = (take ? given : {}) as LockOptions;
    const callback = (take ?? given) as (lock: Lock | null) => unknown;
    const queue = this.#queues.get(name) ?? [];
    this.#queues.set(name, queue);
    const isFree = mode === 'shared' ? queue.every((one) => one.mode === 'shared') : queue.length === 0;
    if (ifAvailable && !isFree) return soon(() => callback(null));
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.splice(queue.indexOf(request), 1);
        grantNext(queue);
      };
      const request: Request = {
        mode,
        isHeld: false,
        grant: () => void Promise.resolve(callback({ name, mode })).finally(leave).then(resolve, reject),
      };
      signal?.addEventListener('abort', () => {
        if (!request.isHeld && queue.includes(request)) leave();
        reject(new DOMException('aborted', 'AbortError'));
      });
      queue.push(request);
      grantNext(queue);
    });
  };

  readonly query = () =>
    soon(() => ({
      held: [...this.#queues].flatMap(([name, queue]) =>
        queue.filter(({ isHeld }) => isHeld).map(({ mode }) => ({ name, mode })),
      ),
      pending: [],
    }));
}

/**
 * Grants the lock to the first waiting request. If that request is shared, the shared requests directly after it are
 * granted too.
 */
function grantNext(queue: readonly Request[]): void {
  for (const [i, request] of queue.entries()) {
    if (i > 0 && [request, ...queue.slice(0, i)].some(({ mode }) => mode === 'exclusive')) return;
    if (request.isHeld) continue;
    request.isHeld = true;
    setTimeout(request.grant);
  }
}
