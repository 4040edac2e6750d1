import type { CarrierFacts } from '../../../../cli/stored/carrier.ts';

export const facts = {
  name: 'run',
  order: 130,
  remark: 'the settings, as a run file',
  ending: '.yaml',
} as const satisfies CarrierFacts;
