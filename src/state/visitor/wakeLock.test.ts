import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WakeLock } from './wakeLock.ts';

/** A fake of the browser's wake lock interface, whose locks are granted and released by the test. */
class Screen extends EventTarget {
  visibilityState = 'visible';
  readonly sentinels: { released: boolean; release: () => Promise<void> }[] = [];
  readonly #asked: (() => void)[] = [];

  readonly request = async () => {
    await new Promise<void>((resolve) => this.#asked.push(resolve));
    const sentinel = {
      released: false,
      release: () => {
        sentinel.released = true;
        return Promise.resolve();
      },
    };
    this.sentinels.push(sentinel);
    return sentinel;
  };

  /** Grants all pending requests, and all requests that are made as a result. */
  async settle(): Promise<void> {
    for (let i = 0; i < 10; i++) {
      for (const answer of this.#asked.splice(0)) answer();
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }

  show(visibilityState: string): void {
    this.visibilityState = visibilityState;
    this.dispatchEvent(new Event('visibilitychange'));
  }

  get held(): number {
    return this.sentinels.filter(({ released }) => !released).length;
  }
}

let screen: Screen;

beforeEach(() => {
  screen = new Screen();
  vi.stubGlobal('document', screen);
  vi.stubGlobal('navigator', { wakeLock: { request: screen.request } });
});
afterEach(() => vi.unstubAllGlobals());

describe('the wake lock', () => {
  it('is held while it is wanted and given back afterwards', async () => {
    const lock = new WakeLock();
    lock.want(true);
    await screen.settle();
    expect(screen.held).toBe(1);
    lock.want(false);
    await screen.settle();
    expect(screen.held).toBe(0);
  });

  it('is not left over when it is given up before the browser has granted it', async () => {
    const lock = new WakeLock();
    lock.want(true);
    lock.want(false);
    await screen.settle();
    expect(screen.held).toBe(0);
  });

  it('is asked for once by two updates at a time', async () => {
    const lock = new WakeLock();
    lock.want(true);
    screen.show('visible');
    lock.want(true);
    await screen.settle();
    expect(screen.sentinels).toHaveLength(1);
    lock.want(false);
    await screen.settle();
    expect(screen.held).toBe(0);
  });

  it('is asked for again when a page that was hidden is shown', async () => {
    const lock = new WakeLock();
    lock.want(true);
    await screen.settle();
    await screen.sentinels[0]?.release(); // the browser's doing
    screen.show('hidden');
    await screen.settle();
    expect(screen.held).toBe(0);
    screen.show('visible');
    await screen.settle();
    expect(screen.held).toBe(1);
  });
});
