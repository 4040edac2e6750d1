// The worker's end of the connection in askedWorker.ts. Every worker that answers questions of the page calls
// `answerPage` first.
import { expose } from 'comlink';
import { speakIn, type Phrases } from '../base/spoken.ts';
import { trustOwnWorkers } from '../base/trustedTypes.ts';
import type { LifeMessage } from './askedWorker.ts';
import { hold, lifeLock } from './writerLock.ts';

/**
 * Makes the worker answer calls with the object that is being loaded, in the page's language, and lets the page notice
 * when the worker ends. Calls that arrive before the object is loaded wait. If the object cannot be loaded, the page
 * treats the worker as ended.
 */
export function answerPage(loading: Promise<object>): void {
  trustOwnWorkers();
  addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== 'object' || data === null || !('phrases' in data)) return;
    const phrases = data.phrases as Phrases | null;
    speakIn(() => phrases);
  });
  const early: MessageEvent<unknown>[] = [];
  const wait = (message: MessageEvent<unknown>) => early.push(message);
  addEventListener('message', wait);
  void loading.then((api) => {
    removeEventListener('message', wait);
    expose(api);
    for (const { data } of early) dispatchEvent(new MessageEvent('message', { data }));
  }, reportError);
  void tellLife();
}

/** Holds a lock for as long as the worker exists, and sends the name of that lock to the page. */
async function tellLife(): Promise<void> {
  const life = globalThis.crypto.randomUUID?.() ?? '';
  await hold(lifeLock(life));
  postMessage({ life } satisfies LifeMessage);
}
