import type { CarrierFacts } from '../../../../cli/stored/carrier.ts';

export const facts = {
  name: 'events',
  order: 120,
  remark: 'the same for TensorBoard',
  // TensorBoard reads the files that have its word in their names.
  ending: '.tfevents',
} as const satisfies CarrierFacts;
