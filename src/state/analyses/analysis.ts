// The interface of the state that an analysis has on the page, which consists of its questions and the displayed
// answers. Each analysis creates its own state in `extensions/analyses/NAME/state/state.ts`, and its panel receives
// this state.
import type { Notices } from '../visitor/notices.svelte.ts';
import type { Selection } from '../run/selection.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';

/** The parts of the page's state that an analysis may use. */
export interface AnalysisParts {
  trainer: Pick<TrainerClient, 'look' | 'view'>;
  selection: Selection;
  notices: Notices;
}

/** The state of an analysis whose question can be asked by a lesson. */
export interface AskedInLessons {
  /** Asks the question about the displayed group, with this number of samples. Never throws. */
  ask: (draws: number) => Promise<void>;
  /**
   * The measures that the facts of the analysis list. Each is read from the displayed answer; null if there is none.
   */
  measures: Readonly<Record<string, () => number | null>>;
}

/**
 * Creates the state. It contains `AskedInLessons` if the facts of the analysis say that lessons can use it. Only the
 * analysis itself uses the rest.
 */
export type MakeState = (parts: AnalysisParts) => Partial<AskedInLessons>;
