// Stores the run from an archive in the library or, if it cannot be stored, shows it without storing it.
import type { Opener } from '../../../state/carriers/open.ts';
import { zipNames } from '../../../state/carriers/zipNames.ts';
import { runEntryName } from '../../../storage/archive/runEntryName.ts';

export const opener: Opener = {
  takes: (file) => zipNames(file, runEntryName),
  open: async (file, { looking, ownWorlds }) => {
    if (!(await looking.open(file, false))) await ownWorlds.refresh();
  },
};
