import { describe, expect, it } from 'vitest';
import { sizeNames } from './names.ts';
import { parameterCount, sizes, type ModelShape } from './sizes.ts';

const shapeOf = (name: (typeof sizeNames)[number]): ModelShape => ({ ...sizes[name], vocabSize: 32, maxPositions: 96 });
const count = (name: (typeof sizeNames)[number]) => parameterCount(shapeOf(name));

describe('the sizes', () => {
  it('have about the number of parameters that their names state', () => {
    expect(count('tiny')).toBeGreaterThan(50_000);
    expect(count('tiny')).toBeLessThan(100_000);
    expect(count('small') / 1e6).toBeCloseTo(1, 0);
    expect(count('medium') / 1e7).toBeCloseTo(1, 0);
  });

  it('are shapes a Llama can have: key heads divide the heads, heads have an even size', () => {
    for (const name of sizeNames) {
      const { numHeads, numKvHeads, headSize } = sizes[name];
      expect([numHeads % numKvHeads, headSize % 2], name).toEqual([0, 0]);
    }
  });
});

it('a network of width 4 with one layer, two heads of 2 and one key head has 116 parameters, and 20 more untied', () => {
  const shape: ModelShape = {
    ...{ vocabSize: 5, hiddenSize: 4, intermediateSize: 3, numLayers: 1, numHeads: 2, numKvHeads: 1, headSize: 2 },
    ...{ ropeTheta: 10000, normEps: 1e-5, isTied: true, maxPositions: 8 },
  };
  // Numbers of parameters: 5·4 in the embedding; 16 each in q and o, and 8 each in k and v; 3·4 in each of three
  // matrices; and 4 in each of three gains.
  expect(parameterCount(shape)).toBe(20 + 48 + 36 + 8 + 4);
  expect(parameterCount({ ...shape, isTied: false })).toBe(20 + 20 + 48 + 36 + 8 + 4);
});
