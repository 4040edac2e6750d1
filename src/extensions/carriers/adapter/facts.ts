import type { CarrierFacts } from '../../../records/carrierFacts.ts';

export const facts = {
  name: 'adapter',
  order: 30,
  remark: 'for PEFT, if the agent is based on a model of somebody else',
  ending: '-adapter.zip',
} as const satisfies CarrierFacts;
