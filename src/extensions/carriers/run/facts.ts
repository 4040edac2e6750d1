import type { CarrierFacts } from '../../../records/carrierFacts.ts';

export const facts = {
  name: 'run',
  order: 130,
  remark: 'the settings, as a run file',
  ending: '.yaml',
} as const satisfies CarrierFacts;
