import type { CarrierFacts } from '../../../../cli/stored/carrier.ts';

export const facts = {
  name: 'preferences',
  order: 100,
  ending: '-pairs.jsonl',
  options: { by: { value: 'reward|verifier', says: 'what pairs are compared by' } },
} as const satisfies CarrierFacts;
