import type { CarrierFacts } from '../../../../cli/stored/carrier.ts';

export const facts = {
  name: 'weights',
  order: 20,
  ending: '-weights.zip',
  options: { optimiser: { says: 'puts what the optimiser keeps beside the weights' } },
} as const satisfies CarrierFacts;
