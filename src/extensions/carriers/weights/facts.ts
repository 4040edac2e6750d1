import type { CarrierFacts } from '../../../records/carrierFacts.ts';

export const facts = {
  name: 'weights',
  order: 20,
  ending: '-weights.zip',
  options: { optimiser: { says: 'also writes the state of the optimiser' } },
} as const satisfies CarrierFacts;
