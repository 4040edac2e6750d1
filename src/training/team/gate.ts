// The gate at which a run can be paused. The training loop passes the gate at every minibatch and turn. At the gate,
// the loop lets the worker handle pending messages, and waits as long as the gate is closed.

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

  /**
   * The milliseconds spent at the gate so far: `yieldedMs` for handling messages, and `heldMs` for waiting while the
   * gate was closed.
   */
  get waits(): { yieldedMs: number; heldMs: number } {
    return { yieldedMs: this.#yieldedMs, heldMs: this.#heldMs };
  }

  /**
   * Lets pending messages be handled, and waits as long as the gate is closed. If the gate was broken with an error,
   * this error is thrown.
   */
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

  /** Breaks the gate, so that `pass` throws the error for all callers that wait now or call it later. */
  break(error: Error): void {
    this.#fault = error;
    this.open();
  }

  /** The error that broke the gate; null if the gate is not broken. */
  get fault(): Error | null {
    return this.#fault;
  }

  /**
   * Throws the error that broke the gate, if there is one. Such an error means that the device failed, so earlier
   * results may be wrong.
   */
  throwFault(): void {
    if (this.#fault) throw this.#fault;
  }

  /** Removes the error with which the gate was broken, so that callers can pass again. */
  mend(): void {
    this.#fault = null;
  }

  /** Closes the gate. Resolves once the training loop waits at the gate, or if the gate is opened before that. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#waiting.length > 0 ? Promise.resolve() : new Promise((resolve) => this.#halted.push(resolve));
  }

  open(): void {
    this.#isClosed = false;
    for (const goOn of this.#waiting.splice(0)) goOn();
    this.release();
  }

  /**
   * Resolves all promises that wait for the training loop to pause. This method is called when the loop has ended and
   * will not reach the gate again.
   */
  release(): void {
    for (const tell of this.#halted.splice(0)) tell();
  }
}
