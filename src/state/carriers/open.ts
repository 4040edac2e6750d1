// The contract for opening files that are dropped on the page. A carrier that the page can open exports `opener` from
// `extensions/carriers/NAME/open.ts`.
import type { Models } from '../models/models.svelte.ts';
import type { OwnWorlds } from '../library/ownWorlds.svelte.ts';
import type { Looking } from '../run/looking.svelte.ts';
import type { Run } from '../run/run.svelte.ts';
import type { Sharing } from '../run/sharing.ts';
import type { Notices } from '../visitor/notices.svelte.ts';

/** The parts of the page that open files. */
export interface Opening {
  models: Models;
  ownWorlds: OwnWorlds;
  looking: Looking;
  run: Run;
  sharing: Sharing;
  notices: Notices;
  /** Shows the dialog of models. */
  onmodel: () => void;
  /** The text of a run file. Throws FormatError if the file cannot be a run file. */
  textOf: (file: File) => Promise<string>;
}

export interface Opener {
  /** Whether a file is of this kind, judged by its name and its parts. */
  takes: (file: File) => Promise<boolean> | boolean;
  /** Opens the file, and reports its errors. */
  open: (file: File, opening: Opening) => Promise<void> | void;
}
