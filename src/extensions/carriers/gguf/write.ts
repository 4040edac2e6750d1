// Writes an agent's weights as a GGUF file.
import { typeOf, writeTaken } from '../../../../cli/stored/carried.ts';
import type { Write } from '../../../../cli/stored/carrier.ts';
import { ggufOf } from '../../../../cli/stored/modelNote.ts';

export const write: Write = (stored, given, file) =>
  writeTaken(stored, given, {
    file,
    as: async () => ({ as: 'gguf', type: typeOf(given, ['F16', 'Q8_0']), file: await ggufOf(stored, given) }),
  });
