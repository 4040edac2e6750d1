import type { CarrierFacts } from '../../../records/carrierFacts.ts';

export const facts = {
  name: 'gguf',
  order: 50,
  remark: 'the merged model for llama.cpp',
  ending: '.gguf',
} as const satisfies CarrierFacts;
