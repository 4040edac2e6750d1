import type { CarrierFacts } from '../../../records/carrierFacts.ts';

export const facts = {
  name: 'world',
  order: 125,
  remark: 'the world of the run, if it was written or imported',
  ending: '.world',
} as const satisfies CarrierFacts;
