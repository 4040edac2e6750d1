// Messages between tabs. They say which tab trains which run, report news to tabs that watch the run, and request to
// take over training.
import type { RunRecord } from '../records/stored/checkpoint.ts';
import type { EngineNotes, TrainerEvent } from '../records/events.ts';
import type { RunId } from '../records/ids.ts';

export type TabMessage =
  /** A trainer begins to train, or replies to a page that watches. `run` is null while a warm start is trained. */
  | { kind: 'training'; run: RunRecord | null; engine: EngineNotes | null }
  | { kind: 'news'; events: TrainerEvent[] }
  | { kind: 'deleted'; id: RunId }
  /** The visitor gave a stored run this name, which is its name from now on. */
  | { kind: 'labelled'; id: RunId; name: string }
  /** A page watches, so the trainer sends it news from now on. */
  | { kind: 'watch' }
  /** A page asks which tab is training. */
  | { kind: 'ask' }
  /** A page asks the training tab to finish its iteration and let this tab train, because the visitor requested it. */
  | { kind: 'yield'; press: Press };

/**
 * A visitor chose the tab that trains. The message contains the time of the choice and the tab's name, and the latest
 * choice counts.
 */
export interface Press {
  ms: number;
  by: string;
}

/**
 * Whether a tab was chosen later than another. If two were chosen in the same millisecond, every tab picks the same
 * one.
 */
export const isLater = (press: Press, than: Press): boolean =>
  press.ms > than.ms || (press.ms === than.ms && press.by > than.by);

/** A message, and the trainer that sent it; the trainer's name is empty if a page sent the message. */
export type SentMessage = TabMessage & { from: string };

export interface TabChannel {
  tell(message: TabMessage): void;
}

/**
 * Joins the channel. Without locks, a tab does not join, because it would be impossible to find out which tab trains.
 */
export function joinTabs(from: string, hear: (message: SentMessage) => void): TabChannel {
  if (!globalThis.navigator?.locks || typeof BroadcastChannel === 'undefined') return { tell: () => undefined };
  const channel = new BroadcastChannel('cothink');
  channel.addEventListener('message', ({ data }: MessageEvent<SentMessage>) => hear(data));
  return { tell: (message) => channel.postMessage({ ...message, from }) };
}
