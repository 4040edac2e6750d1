import type { FamilyFacts } from '../../../config/families/facts.ts';

export const facts = {
  name: 'llama',
  label: 'Llama',
  order: 10,
  className: 'LlamaForCausalLM',
  network: {},
  gguf: { architecture: 'llama', hasNeighbours: true },
} as const satisfies FamilyFacts;
