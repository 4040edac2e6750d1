// Where a run may be halted. The loop passes the gate at every minibatch and turn: there it lets
// messages in (a synchronous step blocks a worker's messages) and waits while it is closed.

/** A macrotask, not a microtask: pending messages are handled before it goes on. */
function yieldToMessages(): Promise<void> {
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
  #reopen: (() => void) | null = null;
  #halted: (() => void)[] = [];
  #isHalted = false;

  /** Lets messages in; waits while the gate is closed. */
  async pass(): Promise<void> {
    await yieldToMessages();
    while (this.#isClosed) {
      this.#isHalted = true;
      for (const tell of this.#halted.splice(0)) tell();
      await new Promise<void>((resolve) => (this.#reopen = resolve));
      this.#isHalted = false;
    }
  }

  /** Closes the gate; resolves when the loop stands still. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#isHalted ? Promise.resolve() : new Promise((resolve) => this.#halted.push(resolve));
  }

  open(): void {
    this.#isClosed = false;
    this.#reopen?.();
  }

  /** Nobody will pass any more: whoever waits for a halt is told. */
  release(): void {
    for (const tell of this.#halted.splice(0)) tell();
  }
}
