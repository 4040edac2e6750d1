// The phrases of the visitor's language for the workers that answer questions: what they say reaches the page. The trainer has
// a verb of its own for it; to the others they go as a message beside the calls.
import { phrasesNow, speakIn, type Phrases } from '../base/spoken.ts';

const sent = new WeakMap<Worker, Phrases | null>();

/** Sends them where the worker has others. To be called before each question: the language may have changed since. */
export function sendPhrases(worker: Worker): void {
  const phrases = phrasesNow();
  if ((sent.get(worker) ?? null) === phrases) return;
  sent.set(worker, phrases);
  worker.postMessage({ phrases });
}

/** In a worker: from now on it speaks as it is told. */
export function hearPhrases(): void {
  addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== 'object' || data === null || !('phrases' in data)) return;
    const phrases = data.phrases as Phrases | null;
    speakIn(() => phrases);
  });
}
