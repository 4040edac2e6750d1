// Matrix products, for single matrices and batches, with every combination of transposes; also the linear map and its
// gradient, with and without the product of an adapter.
import * as tf from '@tensorflow/tfjs-core';
import type { SimdBackend } from '../../simd/simdBackend.ts';
import { declare, input, override, roundUp8, sizeOf } from '../../simd/kernel.ts';

/** The depth and the number of columns of a block of panels, as in matmul.assembly.ts. */
const depth = 256;
const columns = 256;
/**
 * For at most this many rows, a large matrix is multiplied without copying it into panels, because the copy would take
 * longer than the product. Such products are summed in another order, so they are rounded differently. The networks
 * that Cothink trains itself are smaller and always use panels, so their results do not depend on the number of rows.
 */
const fewRows = 8;
const largeMatrix = 600_000;

export const matmulKernels = [
  declare('Linear', (call) => multiply(call.backend, { a: input(call, 'x'), b: input(call, 'w'), flags: 2 })),
  declare('LinearGrad', (call) => {
    const [x, w, dy] = [input(call, 'x'), input(call, 'w'), input(call, 'dy')];
    const dx = multiply(call.backend, { a: dy, b: w, flags: 0 });
    return call.attrs['isFrozen'] === true ? [dx] : [dx, multiply(call.backend, { a: dy, b: x, flags: 1 })];
  }),
  declare('LowRank', (call) => {
    const { backend } = call;
    const narrow = multiply(backend, { a: input(call, 'x'), b: input(call, 'a'), flags: 2 });
    scaleInPlace(backend, narrow, input(call, 'scale'));
    const sum = backend.writable(input(call, 'y'));
    multiplyInto(backend, { a: narrow, b: input(call, 'b'), flags: 2 | added }, sum.address);
    return [sum.info, narrow];
  }),
  // The gradient of (x·aᵀ)·bᵀ uses dy·b, which has as few columns as x·aᵀ.
  declare('LowRankGrad', (call) => {
    const { backend } = call;
    const [x, a, b, dy] = [input(call, 'x'), input(call, 'a'), input(call, 'b'), input(call, 'dy')];
    const dNarrow = multiply(backend, { a: dy, b, flags: 0 });
    scaleInPlace(backend, dNarrow, input(call, 'scale'));
    const dx = multiply(backend, { a: dNarrow, b: a, flags: 0 });
    const da = multiply(backend, { a: dNarrow, b: x, flags: 1 });
    const db = multiply(backend, { a: dy, b: input(call, 'narrow'), flags: 1 });
    backend.disposeData(dNarrow.dataId);
    return [dx, da, db];
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
  /**
   * 1 means that a is stored transposed, 2 that b is stored transposed, and 4 (`added`) that the product is added to
   * the existing values.
   */
  flags: number;
}

const added = 4;
/**
 * The number that stands for multiplication in the kernel `binary`, and the mode in which the second operand of this
 * kernel is a single number.
 */
const [times, oneNumber] = [2, 2];

function scaleInPlace(backend: SimdBackend, x: tf.TensorInfo, scale: tf.TensorInfo): void {
  const [at, by] = [backend.address(x), backend.address(scale)];
  backend.wasm.binary(times, at, by, at, 1, sizeOf(x), 0, 0, oneNumber);
}

/** The rows, columns and depth of one product, and the number of matrices in each operand. */
function sizesOf({ a, b, flags }: Product) {
  const [aRows, aColumns] = a.shape.slice(-2) as [number, number];
  const [bRows, bColumns] = b.shape.slice(-2) as [number, number];
  const [m, k] = flags & 1 ? [aColumns, aRows] : [aRows, aColumns];
  const [inner, n] = flags & 2 ? [bColumns, bRows] : [bRows, bColumns];
  return { m, n, k, inner, aColumns, aBatch: sizeOf(a) / (m * k), bBatch: sizeOf(b) / (k * n) };
}

/**
 * Whether the kernel supports the inputs. The kernel supports only float32. It does not support empty tensors and
 * products in which both operands are broadcast.
 */
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
  const { m, n } = sizesOf(product);
  const out = backend.allocate([...leadingOf(product), m, n]);
  multiplyInto(backend, product, out.address);
  return out.info;
}

function multiplyInto(backend: SimdBackend, product: Product, to: number): void {
  const { m, n, k, aColumns, aBatch, bBatch } = sizesOf(product);
  const [from, weights] = [backend.address(product.a), backend.address(product.b)];
  const batch = Math.max(aBatch, bBatch);
  if (product.flags === 2 && batch === 1 && m <= fewRows && n * k >= largeMatrix) {
    backend.wasm.fewRows(from, weights, to, m, n, k, n);
    return;
  }
  const strides = [aBatch === 1 ? 0 : m * k * 4, bBatch === 1 ? 0 : k * n * 4, m * n * 4] as const;
  backend.withScratch(16 * depth + Math.min(k, depth) * roundUp8(Math.min(n, columns)), (scratch) => {
    const layout = [product.flags, aColumns, batch, ...strides] as const;
    backend.wasm.matmul(from, weights, to, m, n, k, ...layout, scratch);
  });
}
