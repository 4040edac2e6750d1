import type { FamilyFacts } from '../../../config/families/facts.ts';

export const facts = {
  name: 'gemma3_text',
  label: 'Gemma 3',
  order: 50,
  className: 'Gemma3ForCausalLM',
  network: { qkNorm: true, gelu: true, outputNorms: true, scaledEmbeddings: true },
  headSize: 256,
  queryScalar: 256,
  ropeTheta: 1e6,
  isTied: true,
  local: { window: 4096, ropeTheta: 1e4, period: 6 },
  gainOffset: 1,
  // This token stands for parts of an image, and the networks for text have no embedding for it.
  absentTokens: ['<image_soft_token>'],
  gguf: { architecture: 'gemma3' },
} as const satisfies FamilyFacts;
