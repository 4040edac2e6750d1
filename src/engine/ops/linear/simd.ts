// Matrix products with every combination of transposes, plain and batched, and the linear map with its gradient.
import * as tf from '@tensorflow/tfjs-core';
import type { SimdBackend } from '../../simd/simdBackend.ts';
import { declare, input, override, roundUp8, sizeOf } from '../../simd/kernel.ts';

/** Depth and columns of one packed block, as in matmul.assembly.ts. */
const depth = 256;
const columns = 256;
/** So few rows are multiplied without packing the other matrix. */
const fewRows = 8;

export const matmulKernels = [
  declare('Linear', (call) => multiply(call.backend, { a: input(call, 'x'), b: input(call, 'w'), flags: 2 })),
  declare('LinearGrad', (call) => {
    const [x, w, dy] = [input(call, 'x'), input(call, 'w'), input(call, 'dy')];
    return [multiply(call.backend, { a: dy, b: w, flags: 0 }), multiply(call.backend, { a: dy, b: x, flags: 1 })];
  }),
  override(tf.BatchMatMul, (call) => {
    const { transposeA, transposeB } = call.attrs as { transposeA: boolean; transposeB: boolean };
    const flags = (transposeA ? 1 : 0) | (transposeB ? 2 : 0);
    const product = { a: input(call, 'a'), b: input(call, 'b'), flags };
    return isPlain(product) ? multiply(call.backend, product) : undefined;
  }),
];

interface Product {
  a: tf.TensorInfo;
  b: tf.TensorInfo;
  /** 1: a is stored transposed, 2: b is. */
  flags: number;
}

/** Rows, columns and depth of one product, and how many products each operand holds. */
function sizesOf({ a, b, flags }: Product) {
  const [aRows, aColumns] = a.shape.slice(-2) as [number, number];
  const [bRows, bColumns] = b.shape.slice(-2) as [number, number];
  const [m, k] = flags & 1 ? [aColumns, aRows] : [aRows, aColumns];
  const [inner, n] = flags & 2 ? [bColumns, bRows] : [bRows, bColumns];
  return { m, n, k, inner, aColumns, aBatch: sizeOf(a) / (m * k), bBatch: sizeOf(b) / (k * n) };
}

/** False where the kernel cannot: other types, no elements, a broadcast of both operands. */
function isPlain(product: Product): boolean {
  const { a, b } = product;
  const { m, n, k, inner, aBatch, bBatch } = sizesOf(product);
  if (a.dtype !== 'float32' || b.dtype !== 'float32' || inner !== k || m * k * n === 0) return false;
  if (aBatch !== bBatch && aBatch !== 1 && bBatch !== 1) return false;
  return tf.util.sizeFromShape(leadingOf(product)) === Math.max(aBatch, bBatch);
}

function leadingOf({ a, b }: Product): number[] {
  return tf.broadcast_util.assertAndGetBroadcastShape(a.shape.slice(0, -2), b.shape.slice(0, -2));
}

function multiply(backend: SimdBackend, product: Product): tf.TensorInfo {
  const { m, n, k, aColumns, aBatch, bBatch } = sizesOf(product);
  const [from, weights] = [backend.address(product.a), backend.address(product.b)];
  const out = backend.allocate([...leadingOf(product), m, n]);
  const batch = sizeOf(out.info) / (m * n);
  if (product.flags === 2 && batch === 1 && m <= fewRows) {
    backend.wasm.fewRows(from, weights, out.address, m, n, k, n);
    return out.info;
  }
  const strides = [aBatch === 1 ? 0 : m * k * 4, bBatch === 1 ? 0 : k * n * 4, m * n * 4] as const;
  backend.withScratch(16 * depth + Math.min(k, depth) * roundUp8(Math.min(n, columns)), (scratch) => {
    const layout = [product.flags, aColumns, batch, ...strides] as const;
    backend.wasm.matmul(from, weights, out.address, m, n, k, ...layout, scratch);
  });
  return out.info;
}
