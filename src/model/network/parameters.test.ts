import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { FormatError, ShapeError } from '../../base/errors.ts';
import { sizes, type ModelShape } from '../../config/sizes.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import { parameterNames } from '../../records/parameters.ts';
import { disposeTree, downloadTree, initialWeights, uploadTree, weight } from './parameters.ts';
import { livelyWeights, testShapes } from '../testing/reference.ts';

beforeAll(async () => {
  await tf.setBackend('cpu');
});

const untied = testShapes['untied'] as ModelShape;
const named = (arrays: readonly NamedArray[]) => arrays.map(({ name, shape }) => ({ name, shape }));

describe('initial weights', () => {
  const shape: ModelShape = { ...sizes.small, vocabSize: 32, maxPositions: 96 };
  const weights = initialWeights(shape, 1);
  const deviation = (name: string) => {
    const { values } = weights.find((array) => array.name === name) as NamedArray;
    const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
    expect(Math.abs(mean)).toBeLessThan(0.002);
    return Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length);
  };

  it('have the names and shapes of the Hugging Face state dict, in its order', () => {
    expect(named(weights)).toEqual(parameterNames(shape));
    expect(named(initialWeights(untied, 1)).at(-1)).toEqual({ name: 'lm_head.weight', shape: [32, 16] });
  });

  it('are normal with deviation 0.7/√width, divided by √(2·layers) into the residual stream', () => {
    const base = 0.7 / Math.sqrt(128);
    expect(deviation('model.layers.2.self_attn.q_proj.weight') / base).toBeCloseTo(1, 1);
    expect(deviation('model.layers.0.mlp.up_proj.weight') / base).toBeCloseTo(1, 1);
    expect((deviation('model.layers.2.self_attn.o_proj.weight') * Math.sqrt(10)) / base).toBeCloseTo(1, 1);
    expect((deviation('model.layers.4.mlp.down_proj.weight') * Math.sqrt(10)) / base).toBeCloseTo(1, 1);
  });

  it('have every gain at 1', () => {
    for (const { shape: dimensions, values } of weights) {
      if (dimensions.length === 1) expect(values.every((x) => x === 1)).toBe(true);
    }
  });

  it('are the same for the same seed, and different for another seed or network', () => {
    const first = (arrays: NamedArray[]) => (arrays[0] as NamedArray).values;
    expect(initialWeights(untied, 1)).toEqual(initialWeights(untied, 1));
    expect(first(initialWeights(untied, 2))).not.toEqual(first(initialWeights(untied, 1)));
    expect(first(initialWeights(untied, 1, 1))).not.toEqual(first(initialWeights(untied, 1)));
  });
});

describe('a parameter tree', () => {
  it('returns exactly the uploaded arrays, and frees all of them', async () => {
    const before = tf.memory().numTensors;
    const weights = livelyWeights(untied, 2);
    const tree = uploadTree(weights, untied);
    expect(await downloadTree(tree, untied)).toEqual(weights);
    disposeTree(tree);
    expect(tree.size).toBe(0);
    expect(tf.memory().numTensors).toBe(before);
  });

  it('accepts arrays in any order, and keeps its own order', async () => {
    const tree = uploadTree(livelyWeights(untied, 2).reverse(), untied);
    expect(named(await downloadTree(tree, untied))).toEqual(parameterNames(untied));
    disposeTree(tree);
  });

  it('refuses missing and misshapen arrays by name', () => {
    const weights = livelyWeights(untied, 2);
    expect(() => uploadTree(weights.slice(1), untied)).toThrow(FormatError);
    expect(() => uploadTree(weights.slice(1), untied)).toThrow(
      'model.embed_tokens.weight must have the shape [32, 16], got nothing',
    );
    const misshapen = weights.with(1, { ...(weights[1] as NamedArray), shape: [16, 32] });
    expect(() => uploadTree(misshapen, untied)).toThrow('q_proj.weight must have the shape [32, 16], got [16, 32]');
    const short = weights.with(0, { ...(weights[0] as NamedArray), values: new Float32Array(5) });
    expect(() => uploadTree(short, untied)).toThrow(
      'embed_tokens.weight must have the shape [32, 16], got [32, 16] with 5 numbers',
    );
  });

  it('leaves nothing on the device when it refuses', () => {
    const before = tf.memory().numTensors;
    expect(() => uploadTree(livelyWeights(untied, 2).slice(0, -1), untied)).toThrow('lm_head.weight');
    expect(tf.memory().numTensors).toBe(before);
  });

  it('names a missing parameter', () => {
    expect(() => weight(new Map(), 'lm_head.weight')).toThrow(ShapeError);
    expect(() => weight(new Map(), 'lm_head.weight')).toThrow('lm_head.weight is missing');
  });
});
