// Kernels that process each row: softmax, and sums over the last axes.
import * as tf from '@tensorflow/tfjs-core';
import { input, override, sizeOf } from '../kernel.ts';

export const rowKernels = [
  override(tf.Softmax, (call) => {
    const { backend } = call;
    const logits = input(call, 'logits');
    const width = logits.shape.at(-1) ?? 1;
    if (logits.dtype !== 'float32' || call.attrs['dim'] !== logits.shape.length - 1 || sizeOf(logits) === 0)
      return undefined;
    const from = backend.address(logits);
    const out = backend.allocate(logits.shape);
    backend.wasm.softmaxRows(from, out.address, sizeOf(logits) / width, width);
    return out.info;
  }),
  override(tf.Sum, (call) => {
    const { backend } = call;
    const x = input(call, 'x');
    const { axis, keepDims } = call.attrs as { axis: number | number[] | undefined; keepDims: boolean };
    const axes = tf.util.parseAxisParam(axis ?? [], x.shape).sort((a, b) => a - b);
    const rank = x.shape.length;
    const isTrailing = axes.every((value, i) => value === rank - axes.length + i);
    if (x.dtype !== 'float32' || !isTrailing || axes.length === 0 || sizeOf(x) === 0) return undefined;
    const rows = tf.util.sizeFromShape(x.shape.slice(0, rank - axes.length));
    const from = backend.address(x);
    const kept = x.shape.slice(0, rank - axes.length);
    const out = backend.allocate(keepDims ? [...kept, ...axes.map(() => 1)] : kept);
    backend.wasm.sumRows(from, out.address, rows, sizeOf(x) / rows);
    return out.info;
  }),
];
