// Copies a Hugging Face model, given as a folder or a zip, into a folder, after reading it completely.
import type { Reader } from '../../../../cli/stored/carrier.ts';
import { importModel, modelAt } from '../../../../cli/stored/model.ts';

export const reader: Reader = {
  takes: async (place) => (await modelAt(place)) !== null,
  read: async (place, given) => importModel(given, (await modelAt(place)) ?? []),
};
