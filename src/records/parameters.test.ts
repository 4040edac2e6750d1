import { describe, expect, it } from 'vitest';
import { sizeNames } from '../config/names.ts';
import { parameterCount, sizes } from '../config/sizes.ts';
import { parameterNames } from './parameters.ts';

const size = (shape: number[]) => shape.reduce((product, n) => product * n, 1);

describe('parameterNames', () => {
  it('counts as many numbers as parameterCount, for every size, tied and untied', () => {
    for (const name of sizeNames) {
      for (const isTied of [true, false]) {
        const shape = { ...sizes[name], isTied, vocabSize: 32, maxPositions: 64 };
        for (const facts of [
          {},
          { attentionBias: true },
          { qkNorm: true },
          { qkNorm: true, outputNorms: true },
        ] as const) {
          const named = parameterNames({ ...shape, ...facts });
          const total = named.reduce((sum, parameter) => sum + size(parameter.shape), 0);
          expect(total).toBe(parameterCount({ ...shape, ...facts }));
        }
      }
    }
  });

  it('lists nine arrays a layer between embedding and final norm', () => {
    const shape = { ...sizes.tiny, vocabSize: 32, maxPositions: 64 };
    const names = parameterNames(shape).map((parameter) => parameter.name);
    expect(names).toHaveLength(2 + 9 * shape.numLayers);
    expect(names[0]).toBe('model.embed_tokens.weight');
    expect(names[1]).toBe('model.layers.0.self_attn.q_proj.weight');
    expect(names.at(-1)).toBe('model.norm.weight');
    expect(new Set(names).size).toBe(names.length);
  });

  it('puts biases after the three matrices, and norms of heads after the fourth', () => {
    const shape = { ...sizes.tiny, vocabSize: 32, maxPositions: 64, attentionBias: true, qkNorm: true } as const;
    const names = parameterNames(shape).map(({ name, shape: dimensions }) => [
      name.replace('model.layers.0.self_attn.', ''),
      dimensions,
    ]);
    expect(names.slice(4, 10)).toEqual([
      ['q_proj.bias', [48]],
      ['k_proj.bias', [48]],
      ['v_proj.bias', [48]],
      ['o_proj.weight', [48, 48]],
      ['q_norm.weight', [12]],
      ['k_norm.weight', [12]],
    ]);
  });

  it('gives keys and values the rows of the grouped heads only', () => {
    const shape = { ...sizes.small, isTied: false, vocabSize: 32, maxPositions: 64 };
    const byName = new Map(parameterNames(shape).map((parameter) => [parameter.name, parameter.shape]));
    expect(byName.get('model.layers.4.self_attn.k_proj.weight')).toEqual([64, 128]);
    expect(byName.get('model.layers.4.self_attn.q_proj.weight')).toEqual([128, 128]);
    expect(byName.get('lm_head.weight')).toEqual([32, 128]);
  });
});
