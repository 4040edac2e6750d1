// The interface of an analysis's state on the page: its questions and the displayed answers. Each analysis creates its
// own state in `extensions/analyses/NAME/state/state.ts`, and the analysis's panel receives this state.
import type { Notices } from '../visitor/notices.svelte.ts';
import type { Selection } from '../run/selection.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';

/** The parts of the page's state that an analysis may use. */
export interface AnalysisParts {
  trainer: Pick<TrainerClient, 'look' | 'view'>;
  selection: Selection;
  notices: Notices;
}

/** The state of an analysis that a lesson can run. */
export interface AskedInLessons {
  /** Runs the analysis on the displayed group, with this number of samples. Never throws. */
  ask: (draws: number) => Promise<void>;
  /**
   * The measures that the facts of the analysis list. Each measure is read from the displayed answer, and is null if no
   * answer is displayed.
   */
  measures: Readonly<Record<string, () => number | null>>;
}

/**
 * Creates the state. If lessons can use the analysis according to its facts, the state implements `AskedInLessons`. All
 * other members are used only by the analysis itself.
 */
export type MakeState = (parts: AnalysisParts) => Partial<AskedInLessons>;
