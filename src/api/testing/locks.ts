// As much of the Web Locks contract as the page asks of it, for Node, which has none: exclusive locks by name, granted in
// the order in which they were asked for.
interface Waiter {
  grant: () => void;
}

export class Locks {
  readonly #queues = new Map<string, Waiter[]>();

  readonly request = (name: string, given: unknown, take?: unknown): Promise<unknown> => {
    const options = (take ? given : {}) as LockOptions;
    const callback = (take ?? given) as (lock: Lock | null) => unknown;
    const queue = this.#queues.get(name) ?? [];
    this.#queues.set(name, queue);
    if (options.ifAvailable && queue.length > 0) return Promise.resolve(callback(null));
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        grant: () => {
          void Promise.resolve(callback({ name, mode: 'exclusive' }))
            .finally(() => {
              queue.shift();
              queue[0]?.grant();
            })
            .then(resolve, reject);
        },
      };
      options.signal?.addEventListener('abort', () => {
        const place = queue.indexOf(waiter);
        if (place > 0) queue.splice(place, 1);
        reject(new DOMException('aborted', 'AbortError'));
      });
      queue.push(waiter);
      if (queue.length === 1) waiter.grant();
    });
  };

  readonly query = () =>
    Promise.resolve({
      held: [...this.#queues].filter(([, queue]) => queue.length > 0).map(([name]) => ({ name, mode: 'exclusive' })),
      pending: [],
    });
}
