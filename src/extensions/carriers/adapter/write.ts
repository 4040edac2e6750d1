// Writes the adapter of an agent in the format of PEFT.
import { writeTaken } from '../../../../cli/stored/carried.ts';
import type { Write } from '../../../../cli/stored/carrier.ts';

export const write: Write = (stored, given, file) =>
  writeTaken(stored, given, { file, as: () => Promise.resolve({ as: 'adapter' }) });
