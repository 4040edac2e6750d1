// The contract of the exports on the page, and the list of all exports. A carrier that the page can write exports
// `take` from `extensions/carriers/NAME/take.ts`: the buttons that it offers for the displayed run.
import type { Run } from '../../state/run/run.svelte.ts';
import type { Sharing } from '../../state/run/sharing.ts';

/** One button of the list. */
export interface Offer {
  label: string;
  title: string;
  /** The part of the run that the export needs. */
  needs: 'nothing' | 'weights' | 'dialogues';
  make: () => Promise<void> | void;
}

/** The displayed run, and the state of the page that exports use. */
export interface Taking {
  run: Run;
  sharing: Sharing;
  /** The agents, with only one of several identical ones. */
  agents: readonly { agent: number; role: string }[];
  /** Whether the agents are based on a model too large to be copied as a whole. */
  isHeld: boolean;
  /** A part of the description that is added if agents have different adapters for different turns. */
  each: string;
  /** Whether the visitor also wants the state of the optimiser. */
  hasOptimiser: () => boolean;
  /** Shows a notice. */
  tell: (words: string) => void;
}

export type Take = (taking: Taking) => readonly Offer[];

/** A file name that begins with the name of the run. */
export const fileName = (run: Pick<Run, 'name'>, rest: string): string =>
  `${run.name.replaceAll(/[^a-z0-9]+/gi, '-')}${rest}`;

/** The name of a zip file with the weights of an agent. */
export const zipName = (run: Pick<Run, 'name'>, role: string): string =>
  fileName(run, `-${role.replaceAll(' ', '-')}.zip`);
