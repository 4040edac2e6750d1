import type { CarrierFacts } from '../../../records/carrierFacts.ts';

export const facts = {
  name: 'verifier',
  order: 60,
  ending: '-verifier.zip',
} as const satisfies CarrierFacts;
