// The worker's side of the connection in askedWorker.ts: every worker that answers the page's questions calls this
// first.
import { expose } from 'comlink';
import { speakIn, type Phrases } from '../base/spoken.ts';
import { trustOwnWorkers } from '../base/trustedTypes.ts';
import type { LifeMessage } from './askedWorker.ts';
import { hold, lifeLock } from './writerLock.ts';

/**
 * From now on, answers calls with the object that is being loaded, in the page's language. The page also learns when
 * the worker has ended. Calls that arrive before the object is loaded wait. If loading fails, the page treats the
 * worker as ended.
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

/** Holds a lock for as long as the worker lives, and sends the name of that lock to the page. */
async function tellLife(): Promise<void> {
  const life = globalThis.crypto.randomUUID?.() ?? '';
  await hold(lifeLock(life));
  postMessage({ life } satisfies LifeMessage);
}
