// Tests, for each family of language models, that its models are read and written according to the facts about the
// family.
import { describe, expect, it } from 'vitest';
import { families, familyOf, ggufFamilies, ownFamily } from '../../config/families/registry.ts';
import { readLlamaConfig } from './llamaConfig.ts';

const sizes = {
  ...{ vocab_size: 32, hidden_size: 64, intermediate_size: 96, num_hidden_layers: 2 },
  ...{ num_attention_heads: 4, max_position_embeddings: 8192 },
};

const factNames = ['attentionBias', 'qkNorm', 'gelu', 'outputNorms', 'scaledEmbeddings'] as const;

describe.each(families)('the family $label', (family) => {
  const { name, className, network, window, local, headSize = 16 } = family;

  it.each([{ architectures: [className] }, { model_type: name }])('is recognised by %j, with its facts', (named) => {
    const { shape } = readLlamaConfig({ ...sizes, ...named });
    const facts = Object.fromEntries(factNames.flatMap((fact) => (shape[fact] ? [[fact, shape[fact]]] : [])));
    expect(facts).toEqual(network);
    expect(shape.local).toEqual(local);
    expect(shape.headSize).toBe(headSize);
    expect(shape.maxPositions).toBe(typeof window === 'number' ? window : 8192);
  });

  it('has a name that no other family has', () => {
    const others = families.filter((other) => other !== family);
    expect(others.map((other) => other.name)).not.toContain(name);
    expect(others.map((other) => other.className)).not.toContain(className);
    if (family.gguf) expect(ggufFamilies.get(family.gguf.architecture)).toBe(family);
  });

  it('is written for a network with its facts, unless its attention has a window', () => {
    expect(familyOf(network)).toBe(typeof window === 'number' ? ownFamily : family);
  });
});
