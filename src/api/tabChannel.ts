// Messages between tabs. With these messages, tabs report which tab trains which run, send news of the training to tabs
// that show the run, and ask the training tab to let another tab train.
import type { RunRecord } from '../records/stored/checkpoint.ts';
import type { EngineNotes, TrainerEvent } from '../records/events.ts';
import type { RunId } from '../records/ids.ts';

export type TabMessage =
  /**
   * A trainer starts to train, or answers the message `watch` or `ask`. `run` is null while a warm start is trained.
   */
  | { kind: 'training'; run: RunRecord | null; engine: EngineNotes | null }
  | { kind: 'news'; events: TrainerEvent[] }
  | { kind: 'deleted'; id: RunId }
  /** The visitor has renamed a stored run. */
  | { kind: 'labelled'; id: RunId; name: string }
  /** A tab shows a run that another tab trains, so the trainer must send it news from now on. */
  | { kind: 'watch' }
  /** A page asks which tab is training. */
  | { kind: 'ask' }
  /**
   * A tab asks the training tab to finish its iteration and then let the asking tab train, because the visitor has
   * requested this.
   */
  | { kind: 'yield'; press: Press };

/**
 * A visitor's choice of the tab that trains. It contains the time of the choice and the tab's name. The latest choice
 * counts.
 */
export interface Press {
  ms: number;
  by: string;
}

/**
 * Whether one choice was made later than another. If both were made in the same millisecond, the names of the tabs
 * decide, so that all tabs get the same result.
 */
export const isLater = (press: Press, than: Press): boolean =>
  press.ms > than.ms || (press.ms === than.ms && press.by > than.by);

/** A message, and the trainer that sent it; the trainer's name is empty if a page sent the message. */
export type SentMessage = TabMessage & { from: string };

export interface TabChannel {
  tell(message: TabMessage): void;
}

/**
 * Joins the channel. A tab without the Web Locks API does not join, because tabs then cannot find out which of them
 * trains.
 */
export function joinTabs(from: string, hear: (message: SentMessage) => void): TabChannel {
  if (!globalThis.navigator?.locks || typeof BroadcastChannel === 'undefined') return { tell: () => undefined };
  const channel = new BroadcastChannel('cothink');
  channel.addEventListener('message', ({ data }: MessageEvent<SentMessage>) => hear(data));
  return { tell: (message) => channel.postMessage({ ...message, from }) };
}
