// Reads a Hugging Face model from a folder or a zip file completely, and then copies it into a folder.
import type { Reader } from '../../../../cli/stored/carrier.ts';
import { importModel, modelAt } from '../../../../cli/stored/model.ts';

export const reader: Reader = {
  takes: async (place) => (await modelAt(place)) !== null,
  read: async (place, given) => importModel(given, (await modelAt(place)) ?? []),
};
