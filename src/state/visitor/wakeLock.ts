// Keeps the screen awake while agents train. The browser releases the wake lock when the page is hidden, so the lock is
// requested again when the page is visible. Requests and releases are asynchronous. Each of them waits for the previous
// one, and then checks whether the lock is needed at this moment.
export class WakeLock {
  #isWanted = false;
  #sentinel: WakeLockSentinel | null = null;
  #settled: Promise<void> = Promise.resolve();

  constructor() {
    document.addEventListener('visibilitychange', () => this.#update());
  }

  want(isWanted: boolean): void {
    this.#isWanted = isWanted;
    this.#update();
  }

  #update(): void {
    this.#settled = this.#settled.then(() => this.#agree());
  }

  async #agree(): Promise<void> {
    const held = this.#sentinel?.released === false ? this.#sentinel : null;
    const isDue = this.#isWanted && document.visibilityState === 'visible';
    try {
      if (isDue && !held) this.#sentinel = (await navigator.wakeLock?.request('screen')) ?? null;
      if (!isDue && held) await held.release();
    } catch {
      this.#sentinel = null; // a low battery or a policy may refuse; training does not depend on it
    }
  }
}
