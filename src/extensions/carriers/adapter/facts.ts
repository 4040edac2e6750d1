import type { CarrierFacts } from '../../../records/carrierFacts.ts';

export const facts = {
  name: 'adapter',
  order: 30,
  remark: 'for PEFT, if the agent is based on an external model',
  ending: '-adapter.zip',
} as const satisfies CarrierFacts;
