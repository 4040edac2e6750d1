// Sends events to the page, in order and in batches, with at most one call in `gapMs` milliseconds. An event is dropped
// if a newer event makes it unnecessary, so that a page in the background receives only a few events, but misses no
// important event.
import type { Listener } from '../../src/api/trainerApi.ts';
import type { TrainerEvent } from '../../src/records/events.ts';

const gapMs = 40;

export class News {
  #listener: Listener | null = null;
  #queue: TrainerEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** From now on, all events are sent to this listener, beginning with those in the queue. */
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

/**
 * Adds an event to a queue. The queue keeps only the newest of the events about turns, progress, glimpses and shown
 * groups.
 */
export function coalesce(queue: readonly TrainerEvent[], event: TrainerEvent): TrainerEvent[] {
  if (event.kind === 'turn' || event.kind === 'progress' || event.kind === 'glimpse') {
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
