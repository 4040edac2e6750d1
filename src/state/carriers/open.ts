// The interface for opening files that are dropped on the page. If the page can open the files of a carrier, the
// carrier’s module `extensions/carriers/NAME/open.ts` exports `opener`.
import type { Models } from '../models/models.svelte.ts';
import type { OwnWorlds } from '../library/ownWorlds.svelte.ts';
import type { Looking } from '../run/looking.svelte.ts';
import type { Run } from '../run/run.svelte.ts';
import type { Sharing } from '../run/sharing.ts';
import type { Notices } from '../visitor/notices.svelte.ts';

/** The parts of the page's state that are needed to open files. */
export interface Opening {
  models: Models;
  ownWorlds: OwnWorlds;
  looking: Looking;
  run: Run;
  sharing: Sharing;
  notices: Notices;
  /** Shows the dialog of models. */
  onmodel: () => void;
  /** Reads the text of a run file. Throws FormatError if the file is too large or is not text. */
  textOf: (file: File) => Promise<string>;
}

export interface Opener {
  /** Whether a file is of this kind, according to its name and some of its bytes. */
  takes: (file: File) => Promise<boolean> | boolean;
  /** Opens the file. Errors are shown on the page. */
  open: (file: File, opening: Opening) => Promise<void> | void;
}
