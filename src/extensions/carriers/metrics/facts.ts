import type { CarrierFacts } from '../../../records/carrierFacts.ts';

export const facts = {
  name: 'metrics',
  order: 110,
  remark: 'as CSV',
  ending: '.csv',
} as const satisfies CarrierFacts;
