import type { CarrierFacts } from '../../../records/carrierFacts.ts';

export const facts = {
  name: 'trajectories',
  order: 70,
  remark: 'as JSON Lines',
  ending: '.jsonl',
} as const satisfies CarrierFacts;
