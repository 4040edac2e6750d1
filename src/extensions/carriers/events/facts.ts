import type { CarrierFacts } from '../../../../cli/stored/carrier.ts';

export const facts = {
  name: 'events',
  order: 120,
  remark: 'the metrics for TensorBoard',
  // TensorBoard reads files whose names contain the keyword `tfevents`.
  ending: '.tfevents',
} as const satisfies CarrierFacts;
