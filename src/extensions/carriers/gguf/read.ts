// Reads a GGUF file completely, and then copies it into a folder.
import { isGguf } from '../../../formats/gguf/model.ts';
import type { Reader } from '../../../../cli/stored/carrier.ts';
import { importModel, modelAt } from '../../../../cli/stored/model.ts';

export const reader: Reader = {
  takes: async (place) => isGguf(place) && (await modelAt(place)) !== null,
  read: async (place, given) => importModel(given, (await modelAt(place)) ?? []),
};
