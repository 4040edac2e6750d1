// Sends news to the page in order and in batches, with at most one call per `gapMs`. An event that is replaced by a
// newer one is dropped. A page in the background therefore receives few events, but all important ones.
import type { Listener } from '../../src/api/trainerApi.ts';
import type { TrainerEvent } from '../../src/records/events.ts';

const gapMs = 40;

export class News {
  #listener: Listener | null = null;
  #queue: TrainerEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** Sends all news to this listener from now on, beginning with the queued events. */
  sendTo(listener: Listener): void {
    this.#listener = listener;
    this.#schedule();
  }

  readonly emit = (event: TrainerEvent): void => {
    this.#queue = coalesce(this.#queue, event);
    this.#schedule();
  };

  #schedule(): void {
    if (!this.#listener || this.#queue.length === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      const events = this.#queue;
      this.#queue = [];
      this.#listener?.(events);
    }, gapMs);
  }
}

/** Adds an event to the queue, which keeps only the newest live turn, progress and shown group. */
export function coalesce(queue: readonly TrainerEvent[], event: TrainerEvent): TrainerEvent[] {
  if (event.kind === 'turn' || event.kind === 'progress') {
    return [...queue.filter(({ kind }) => kind !== event.kind), event];
  }
  if (event.kind === 'iteration' && event.shown) {
    const older = queue
      .filter(({ kind }) => kind !== 'turn')
      .map((queued) => (queued.kind === 'iteration' ? { ...queued, shown: null } : queued));
    return [...older, event];
  }
  return [...queue, event];
}
