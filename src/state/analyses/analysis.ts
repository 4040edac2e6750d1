// The contract of an analysis's state on the page: its questions and the answers on display. Each analysis makes its own
// in `extensions/analyses/NAME/state/state.ts`; its panel receives it.
import type { Notices } from '../visitor/notices.svelte.ts';
import type { Selection } from '../run/selection.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';

/** The parts of the page that an analysis may use. */
export interface AnalysisParts {
  trainer: Pick<TrainerClient, 'look' | 'view'>;
  selection: Selection;
  notices: Notices;
}

/** The state of an analysis that lessons can ask. */
export interface AskedInLessons {
  /** Puts its question about the displayed group, with this number of draws. Never throws. */
  ask: (draws: number) => Promise<void>;
  /** The measures of its facts, each read from the answer on display; null while there is none. */
  measures: Readonly<Record<string, () => number | null>>;
}

/** Makes the state. It has the parts for lessons if the facts name any; only the analysis knows the others. */
export type MakeState = (parts: AnalysisParts) => Partial<AskedInLessons>;
