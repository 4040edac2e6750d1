// Writes a foreign model with the adapter of an agent merged into it, as safetensors.
import { typeOf, writeTaken } from '../../../../cli/stored/carried.ts';
import type { Write } from '../../../../cli/stored/carrier.ts';

export const write: Write = (stored, given, file) =>
  writeTaken(stored, given, { file, as: () => Promise.resolve({ as: 'merged', type: typeOf(given, ['F16', 'F32']) }) });
