import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import type { ModelShape } from '../../config/sizes.ts';
import { DecodingStates } from './decodingStates.ts';
import { disposeTree, initialWeights, uploadTree } from '../network/parameters.ts';
import { testShapes } from '../testing/reference.ts';

const shape = testShapes['micro'] as ModelShape;

beforeAll(async () => {
  await tf.setBackend('cpu');
});

it('a state is reused for the same tree, rows and shape, the longest unused first', () => {
  const [tree, other] = [uploadTree(initialWeights(shape, 1), shape), uploadTree(initialWeights(shape, 2), shape)];
  const rooms = new DecodingStates(true);
  const [first, second] = [rooms.take(tree, shape, 3), rooms.take(tree, shape, 3)];
  rooms.giveBack(first);
  rooms.giveBack(second);
  const strangers = [
    rooms.take(other, shape, 3),
    rooms.take(tree, shape, 4),
    rooms.take(tree, { ...shape, maxPositions: 20 }, 3),
  ];
  expect(strangers).not.toContain(first);
  expect(strangers).not.toContain(second);
  expect(rooms.take(tree, { ...shape }, 3)).toBe(first);
  expect(rooms.take(tree, shape, 3)).toBe(second);
  for (const state of [first, second, ...strangers]) state.dispose();
  disposeTree(tree);
  disposeTree(other);
});

it('at most six unused states are kept, with at most 64 MiB together', () => {
  const tree = uploadTree(initialWeights(shape, 1), shape);
  const rooms = new DecodingStates(true);
  const { numTensors } = tf.memory();
  const held = () => tf.memory().numTensors - numTensors;
  const states = Array.from({ length: 8 }, () => rooms.take(tree, shape, 1));
  const one = held() / 8;
  for (const state of states) rooms.giveBack(state);
  expect(held()).toBe(6 * one);
  // Each row takes 6 KiB: 8 bytes (a key and a value) · 1 layer · 96 slots · 8 numbers of one key head.
  rooms.giveBack(rooms.take(tree, shape, 8000));
  expect(held()).toBe(6 * one); // 47 MiB: the oldest of the small ones went
  rooms.giveBack(rooms.take(tree, shape, 8001));
  expect(held()).toBe(one); // both are too much: all older ones went
  rooms.dispose();
  expect(tf.memory().numTensors).toBe(numTensors);
  disposeTree(tree);
});
