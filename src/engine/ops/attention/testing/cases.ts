// A test case of attention over whole rows.
import * as tf from '@tensorflow/tfjs-core';
import { type Numbers, normals } from '../../testing/numbers.ts';
import type { OpCase } from '../../testing/opCase.ts';
import { causalAttention, causalAttentionComposed } from '../causalAttention.ts';
import { attentionReference, ropeReference } from './reference.ts';

export function attentionCase(
  sizes: [number, number, number, number, number],
  { isMasked, tables, window }: { isMasked: boolean; tables: number; window?: number },
): OpCase {
  const [batch, length, heads, keyHeads, size] = sizes;
  const columns = (heads + 2 * keyHeads) * size;
  const mask = Float32Array.from(normals(batch * length, 17), (x) => (x > 0.3 ? 0 : 1));
  const { cos, sin } = rotaryCase(tables, length, size);
  const table = (values: Numbers) => tf.tensor3d(Float32Array.from(values), [tables, length, size]);
  const inputs = ([qkv]: tf.Tensor[]) => ({
    ...{ qkv: qkv as tf.Tensor2D, heads, keyHeads, cos: table(cos), sin: table(sin) },
    ...{ keyMask: isMasked ? tf.tensor2d(mask, [batch, length]) : undefined, window },
  });
  const isVisible = (b: number, query: number, key: number) =>
    key === query || (key < query && query - key < (window ?? Infinity) && (!isMasked || mask[b * length + key] === 1));
  return {
    title: `causalAttention [${sizes.join(', ')}] ${isMasked ? 'masked' : 'unmasked'}, ${String(tables)} tables${window === undefined ? '' : `, window ${String(window)}`}`,
    shapes: [[batch * length, columns]],
    shipped: (tensors) => causalAttention(inputs(tensors)),
    composed: (tensors) => causalAttentionComposed(inputs(tensors)),
    reference: ([qkv]) => {
      const part = (from: number, count: number) =>
        Float64Array.from({ length: batch * length * count * size }, (_, at) => {
          const row = Math.floor(at / (count * size));
          return (qkv as Numbers)[row * columns + from * size + (at % (count * size))] as number;
        });
      const turned = (x: Numbers, count: number) => ropeReference(x, cos, sin, [batch, length, count, size]);
      return attentionReference(
        turned(part(0, heads), heads),
        turned(part(heads, keyHeads), keyHeads),
        part(heads + keyHeads, keyHeads),
        { ...{ batch, queries: length, keys: length, heads, keyHeads, size }, isVisible },
      );
    },
  };
}

/** cos and sin of random angles, [tables, length, size]; both halves of the last axis are equal. */
function rotaryCase(tables: number, length: number, size: number): { cos: Numbers; sin: Numbers } {
  const angles = normals((tables * length * size) / 2, 91);
  const table = (f: (x: number) => number) =>
    Float64Array.from({ length: angles.length * 2 }, (_, at) => {
      const row = Math.floor(at / size);
      return Math.fround(f(angles[(row * size) / 2 + (at % (size / 2))] as number));
    });
  return { cos: table(Math.cos), sin: table(Math.sin) };
}
