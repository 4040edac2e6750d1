// Matrix products with every combination of transposes, plain and batched.
import * as tf from '@tensorflow/tfjs-core';
import { input, type KernelDeclaration, override, sizeOf } from './kernel.ts';

/** Depth of one packed block, as in assembly/matmul.ts. */
const depth = 256;

export function matmulKernels(): KernelDeclaration[] {
  return [
    override(tf.BatchMatMul, (call) => {
      const [a, b] = [input(call, 'a'), input(call, 'b')];
      const { transposeA, transposeB } = call.attrs as { transposeA: boolean; transposeB: boolean };
      const [aRows, aColumns] = a.shape.slice(-2) as [number, number];
      const [bRows, bColumns] = b.shape.slice(-2) as [number, number];
      const [m, k] = transposeA ? [aColumns, aRows] : [aRows, aColumns];
      const [inner, n] = transposeB ? [bColumns, bRows] : [bRows, bColumns];
      const aBatch = sizeOf(a) / (m * k);
      const bBatch = sizeOf(b) / (k * n);
      const isPlain = a.dtype === 'float32' && b.dtype === 'float32' && inner === k && m * k * n > 0;
      if (!isPlain || (aBatch !== bBatch && aBatch !== 1 && bBatch !== 1)) return undefined;
      const leading = tf.broadcast_util.assertAndGetBroadcastShape(a.shape.slice(0, -2), b.shape.slice(0, -2));
      const batch = tf.util.sizeFromShape(leading);
      if (batch !== Math.max(aBatch, bBatch)) return undefined;
      const { backend } = call;
      const [from, weights] = [backend.address(a), backend.address(b)];
      const out = backend.allocate([...leading, m, n]);
      const flags = (transposeA ? 1 : 0) | (transposeB ? 2 : 0);
      const strides = [aBatch === 1 ? 0 : m * k * 4, bBatch === 1 ? 0 : k * n * 4, m * n * 4] as const;
      backend.withScratch(4 * depth + Math.min(k, depth) * Math.ceil(n / 8) * 8, (scratch) => {
        backend.wasm.matmul(from, weights, out.address, m, n, k, flags, batch, ...strides, scratch);
      });
      return out.info;
    }),
  ];
}
