// Keeps the screen awake while agents train. The browser lets go when the page is hidden, so it is asked again.
export class WakeLock {
  #isWanted = false;
  #sentinel: WakeLockSentinel | null = null;

  constructor() {
    document.addEventListener('visibilitychange', () => void this.#update());
  }

  want(isWanted: boolean): void {
    this.#isWanted = isWanted;
    void this.#update();
  }

  async #update(): Promise<void> {
    try {
      if (this.#isWanted && document.visibilityState === 'visible') {
        if (this.#sentinel && !this.#sentinel.released) return;
        this.#sentinel = (await navigator.wakeLock?.request('screen')) ?? null;
      } else {
        await this.#sentinel?.release();
        this.#sentinel = null;
      }
    } catch {
      this.#sentinel = null; // a low battery or a policy may refuse; training does not depend on it
    }
  }
}
