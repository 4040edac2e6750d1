// The worker's side of askedWorker.ts: the first call of every worker that answers the page's questions.
import { expose } from 'comlink';
import { speakIn, type Phrases } from '../base/spoken.ts';
import { trustOwnWorkers } from '../base/trustedTypes.ts';
import type { LifeMessage } from './askedWorker.ts';
import { hold, lifeLock } from './writerLock.ts';

/**
 * Answers calls from now on with what is being loaded, in the page's language, and lets the page know when the worker
 * has ended. Calls that come sooner wait; a failure to load ends the worker for the page.
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

/** Holds a lock for as long as the worker lives, and tells the page which. */
async function tellLife(): Promise<void> {
  const life = globalThis.crypto.randomUUID?.() ?? '';
  await hold(lifeLock(life));
  postMessage({ life } satisfies LifeMessage);
}
