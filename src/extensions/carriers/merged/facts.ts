import type { CarrierFacts } from '../../../records/carrierFacts.ts';

export const facts = {
  name: 'merged',
  order: 40,
  remark: 'the external model with the adapter merged into it, as safetensors',
  ending: '-merged.zip',
} as const satisfies CarrierFacts;
