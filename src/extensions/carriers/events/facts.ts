import type { CarrierFacts } from '../../../../cli/stored/carrier.ts';

export const facts = {
  name: 'events',
  order: 120,
  remark: 'the same for TensorBoard',
  // TensorBoard reads the files whose names contain its keyword.
  ending: '.tfevents',
} as const satisfies CarrierFacts;
