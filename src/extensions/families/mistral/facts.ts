import type { FamilyFacts } from '../../../config/families/facts.ts';

export const facts = {
  name: 'mistral',
  label: 'Mistral',
  order: 20,
  className: 'MistralForCausalLM',
  network: {},
  window: 4096,
} as const satisfies FamilyFacts;
