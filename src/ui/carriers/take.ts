// The types of the exports on the page. If the page can write the file format of a carrier,
// `extensions/carriers/NAME/take.ts` exports `take`, which returns the export buttons for the displayed run.
import type { Run } from '../../state/run/run.svelte.ts';
import type { Sharing } from '../../state/run/sharing.ts';

/** One button of the list. */
export interface Offer {
  label: string;
  title: string;
  /** The part of the run that must exist, so that the export is possible. */
  needs: 'nothing' | 'weights' | 'dialogues';
  make: () => Promise<void> | void;
}

/** The displayed run, and the parts of the page's state that exports use. */
export interface Taking {
  run: Run;
  sharing: Sharing;
  /** The agents. If several agents have the same network and role, only one of them is listed. */
  agents: readonly { agent: number; role: string }[];
  /** Whether the agents are based on a model too large to be copied as a whole. */
  isHeld: boolean;
  /** A text that is added to the description if agents have different adapters for different turns. */
  each: string;
  /** Whether the visitor has chosen to include the state of the optimiser. */
  hasOptimiser: () => boolean;
  /** Shows a notice on the page. */
  tell: (words: string) => void;
}

export type Take = (taking: Taking) => readonly Offer[];

/** A file name that begins with the name of the run. */
export const fileName = (run: Pick<Run, 'name'>, rest: string): string =>
  `${run.name.replaceAll(/[^a-z0-9]+/gi, '-')}${rest}`;

/** The name of a zip file with the weights of an agent. */
export const zipName = (run: Pick<Run, 'name'>, role: string): string =>
  fileName(run, `-${role.replaceAll(' ', '-')}.zip`);
