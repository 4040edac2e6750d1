// The rotary tables of a network, for tests.
import * as tf from '@tensorflow/tfjs-core';
import type { ModelShape } from '../../config/sizes.ts';
import type { Rotations } from '../network/llama.ts';
import { localTables, rotaryTables } from '../network/positions.ts';

/** The tables of the first `length` positions, [1, T, D]. The surrounding tf.tidy frees them. */
export function testRotations(shape: ModelShape, length: number): Rotations {
  const tables = (own: Parameters<typeof rotaryTables>[1]) => {
    const { cos, sin } = rotaryTables(length, own);
    const table = (values: Float32Array) => tf.tensor3d(values, [1, length, shape.headSize]);
    return { cos: table(cos), sin: table(sin) };
  };
  const local = localTables(shape);
  return { ...tables(shape), ...(local && { local: tables(local) }) };
}
