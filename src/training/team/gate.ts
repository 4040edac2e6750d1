// The gate at which a run can be paused. The loop passes the gate at every minibatch and turn. At the gate, the loop
// handles the worker's messages, which a synchronous step would block, and waits while the gate is closed.

/** Waits for a macrotask instead of a microtask, so that pending messages are handled first. */
export function yieldToMessages(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(null);
  });
}

export class Gate {
  #isClosed = false;
  #fault: Error | null = null;
  #yieldedMs = 0;
  #heldMs = 0;
  /** Callers waiting for the gate to open. */
  #waiting: (() => void)[] = [];
  /** Callers waiting for the loop to pause. */
  #halted: (() => void)[] = [];

  /** Milliseconds spent at the gate so far: handling messages, and waiting while it was closed. */
  get waits(): { yieldedMs: number; heldMs: number } {
    return { yieldedMs: this.#yieldedMs, heldMs: this.#heldMs };
  }

  /** Handles pending messages, and waits while the gate is closed. Throws the error with which the gate was broken. */
  async pass(): Promise<void> {
    const came = performance.now();
    await yieldToMessages();
    this.#yieldedMs += performance.now() - came;
    while (this.#isClosed && !this.#fault) {
      const from = performance.now();
      const opened = new Promise<void>((resolve) => this.#waiting.push(resolve));
      this.release();
      await opened;
      this.#heldMs += performance.now() - from;
    }
    this.throwFault();
  }

  /** Breaks the gate, so that all waiting and later callers of `pass` receive the error. */
  break(error: Error): void {
    this.#fault = error;
    this.open();
  }

  /** The error that broke the gate; null while it is not broken. */
  get fault(): Error | null {
    return this.#fault;
  }

  /**
   * Throws the error that broke the gate, if there is one, because results that were computed before it cannot be
   * trusted.
   */
  throwFault(): void {
    if (this.#fault) throw this.#fault;
  }

  /** Repairs the gate. After that, callers can pass again. */
  mend(): void {
    this.#fault = null;
  }

  /** Closes the gate. Resolves once the loop has paused, or if the gate is opened again before that. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#waiting.length > 0 ? Promise.resolve() : new Promise((resolve) => this.#halted.push(resolve));
  }

  open(): void {
    this.#isClosed = false;
    for (const goOn of this.#waiting.splice(0)) goOn();
    this.release();
  }

  /** Resolves all calls that wait for the loop to pause, because the loop will not reach the gate again. */
  release(): void {
    for (const tell of this.#halted.splice(0)) tell();
  }
}
