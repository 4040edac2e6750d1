import type { CarrierFacts } from '../../../../cli/stored/carrier.ts';

export const facts = {
  name: 'merged',
  order: 40,
  remark: 'that model with the adapter merged into it, as safetensors',
  ending: '-merged.zip',
} as const satisfies CarrierFacts;
