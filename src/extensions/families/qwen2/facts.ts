import type { FamilyFacts } from '../../../config/families/facts.ts';

export const facts = {
  name: 'qwen2',
  label: 'Qwen 2',
  order: 30,
  className: 'Qwen2ForCausalLM',
  network: { attentionBias: true },
  window: 'asked',
  gguf: { architecture: 'qwen2' },
} as const satisfies FamilyFacts;
