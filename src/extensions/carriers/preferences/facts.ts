import type { CarrierFacts } from '../../../records/carrierFacts.ts';

export const facts = {
  name: 'preferences',
  order: 100,
  ending: '-pairs.jsonl',
  options: { by: { value: 'reward|verifier', says: 'how the dialogues of a pair are compared; default: reward' } },
} as const satisfies CarrierFacts;
