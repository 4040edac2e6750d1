// Arithmetic of float32 tensors. Either the shapes are equal, or one operand is a scalar, a block that is repeated ([N,
// C] with [C]), or one number for each row ([N, C] with [N, 1]). For all other combinations of shapes and for other
// types, the kernel of TensorFlow.js is used.
import * as tf from '@tensorflow/tfjs-core';
import { input, override, sizeOf } from '../kernel.ts';

const binaryOps = [tf.Add, tf.Sub, tf.Multiply, tf.RealDiv, tf.Maximum, tf.Minimum];
const unaryOps = [tf.Exp, tf.Log, tf.Neg, tf.Square, tf.Sqrt];

export const elementwiseKernels = [...binaryOps.map(binaryKernel), ...unaryOps.map(unaryKernel)];

function unaryKernel(name: string, op: number): tf.KernelConfig {
  return override(name, (call) => {
    const { backend } = call;
    const x = input(call, 'x');
    if (x.dtype !== 'float32') return undefined;
    const from = backend.address(x);
    const out = backend.allocate(x.shape);
    backend.wasm.unary(op, from, out.address, sizeOf(x));
    return out.info;
  });
}

function binaryKernel(name: string, op: number): tf.KernelConfig {
  return override(name, (call) => {
    const { backend } = call;
    const [a, b] = [input(call, 'a'), input(call, 'b')];
    if (a.dtype !== 'float32' || b.dtype !== 'float32') return undefined;
    const shape = tf.broadcast_util.assertAndGetBroadcastShape(a.shape, b.shape);
    const walk = broadcastWalk(a.shape, b.shape, shape);
    if (!walk) return undefined;
    const [from, other] = [backend.address(a), backend.address(b)];
    const out = backend.allocate(shape);
    backend.wasm.binary(op, from, other, out.address, walk.rows, walk.count, walk.aStep, walk.bStep, walk.mode);
    return out.info;
  });
}

interface Walk {
  rows: number;
  count: number;
  /** Bytes from one row of the operand to the next. */
  aStep: number;
  bStep: number;
  /**
   * The mode of the kernel, as in elementwise.assembly.ts: 0 if both operands have full rows, 1 if the first operand
   * has one number per row, 2 if the second operand has one number per row.
   */
  mode: 0 | 1 | 2;
}

/** How the kernel goes through two operands; undefined if it does not support their shapes. */
function broadcastWalk(a: number[], b: number[], shape: number[]): Walk | undefined {
  const [aSize, bSize, size] = [a, b, shape].map(tf.util.sizeFromShape) as [number, number, number];
  if (size === 0) return undefined;
  if (aSize === size && bSize === size) return { rows: 1, count: size, aStep: 0, bStep: 0, mode: 0 };
  if (aSize !== size && bSize !== size) return undefined;
  const isSecondSmall = aSize === size;
  const small = isSecondSmall ? b : a;
  const smallSize = isSecondSmall ? bSize : aSize;
  const padded = [...shape.slice(small.length).map(() => 1), ...small];
  const leading = padded.findIndex((length) => length !== 1);
  const isTrailingBlock = leading < 0 || padded.slice(leading).every((length, i) => length === shape[leading + i]);
  if (isTrailingBlock && smallSize > 1) {
    const rows = size / smallSize;
    const step = smallSize * 4;
    return { rows, count: smallSize, aStep: isSecondSmall ? step : 0, bStep: isSecondSmall ? 0 : step, mode: 0 };
  }
  const lastFull = padded.findLastIndex((length) => length !== 1);
  const isPerRow = padded.slice(0, lastFull + 1).every((length, i) => length === shape[i]);
  if (!isPerRow) return undefined;
  const count = size / smallSize;
  return isSecondSmall
    ? { rows: smallSize, count, aStep: count * 4, bStep: 4, mode: 2 }
    : { rows: smallSize, count, aStep: 4, bStep: count * 4, mode: 1 };
}
