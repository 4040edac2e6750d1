// The gate at which a run may be halted. The loop passes the gate at every minibatch and turn. There it lets messages
// in, because a synchronous step blocks a worker's messages; it also waits while the gate is closed.

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

  /** Lets messages in; waits while the gate is closed. Throws the error with which the gate was broken. */
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

  /** Breaks the gate: all callers of `pass`, waiting and later ones, receive the error. */
  break(error: Error): void {
    this.#fault = error;
    this.open();
  }

  /** The error that broke the gate; null while it is not broken. */
  get fault(): Error | null {
    return this.#fault;
  }

  /** Throws the error that broke the gate, if there is one: results computed before it cannot be trusted. */
  throwFault(): void {
    if (this.#fault) throw this.#fault;
  }

  /** Mends the gate: from now on callers can pass again. */
  mend(): void {
    this.#fault = null;
  }

  /** Closes the gate; resolves once the loop has paused, or when the gate was opened again before it did. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#waiting.length > 0 ? Promise.resolve() : new Promise((resolve) => this.#halted.push(resolve));
  }

  open(): void {
    this.#isClosed = false;
    for (const goOn of this.#waiting.splice(0)) goOn();
    this.release();
  }

  /** Resolves all callers that wait for the loop to pause, because the loop will not reach the gate again. */
  release(): void {
    for (const tell of this.#halted.splice(0)) tell();
  }
}
