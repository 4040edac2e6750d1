import type { CarrierFacts } from '../../../records/carrierFacts.ts';

export const facts = {
  name: 'parquet',
  order: 80,
  remark: 'the trajectories as a table',
  ending: '.parquet',
} as const satisfies CarrierFacts;
