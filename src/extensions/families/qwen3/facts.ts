import type { FamilyFacts } from '../../../config/families/facts.ts';

export const facts = {
  name: 'qwen3',
  label: 'Qwen 3',
  order: 40,
  className: 'Qwen3ForCausalLM',
  network: { qkNorm: true },
  window: 'asked',
  headSize: 128,
  gguf: { architecture: 'qwen3' },
} as const satisfies FamilyFacts;
