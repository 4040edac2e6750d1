import type { CarrierFacts } from '../../../../cli/stored/carrier.ts';

export const facts = {
  name: 'verifier',
  order: 60,
  ending: '-verifier.zip',
} as const satisfies CarrierFacts;
