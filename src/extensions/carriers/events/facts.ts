import type { CarrierFacts } from '../../../records/carrierFacts.ts';

export const facts = {
  name: 'events',
  order: 120,
  remark: 'the metrics for TensorBoard',
  // TensorBoard only reads files whose names contain `tfevents`.
  ending: '.tfevents',
} as const satisfies CarrierFacts;
