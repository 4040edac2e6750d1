import type { CarrierFacts } from '../../../../cli/stored/carrier.ts';

export const facts = {
  name: 'gguf',
  order: 50,
  remark: 'the same for llama.cpp',
  ending: '.gguf',
} as const satisfies CarrierFacts;
