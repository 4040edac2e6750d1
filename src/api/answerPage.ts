// The worker's side of askedWorker.ts: the first call of every worker that answers the page's questions.
import { expose } from 'comlink';
import { speakIn, type Phrases } from '../base/spoken.ts';
import { trustOwnWorkers } from '../base/trustedTypes.ts';
import type { LifeMessage } from './askedWorker.ts';
import { hold, lifeLock } from './writerLock.ts';

/** Answers calls to `api` from now on, in the page's language, and lets the page know when it has ended. */
export function answerPage(api: object): void {
  trustOwnWorkers();
  addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== 'object' || data === null || !('phrases' in data)) return;
    const phrases = data.phrases as Phrases | null;
    speakIn(() => phrases);
  });
  expose(api);
  void tellLife();
}

/** Holds a lock for as long as the worker lives, and tells the page which. */
async function tellLife(): Promise<void> {
  const life = globalThis.crypto.randomUUID?.() ?? '';
  await hold(lifeLock(life));
  postMessage({ life } satisfies LifeMessage);
}
