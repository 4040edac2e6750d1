// Kernels that only copy or convert numbers, in whole blocks: casts, transpose, slice, concat, and gather of rows.
import * as tf from '@tensorflow/tfjs-core';
import { input, type KernelCall, override, sizeOf } from '../kernel.ts';

const product = tf.util.sizeFromShape;

export const layoutKernels = [
  override(tf.Cast, floatsOf),
  override(tf.Transpose, transpose),
  override(tf.Slice, slice),
  override(tf.Concat, concat),
  override(tf.GatherV2, gatherRows),
];

/**
 * Converts integers to floats. TensorFlow.js only changes the type of the tensor and leaves the numbers as they are, so
 * the project's own kernels would read the bits of integers as floats.
 */
function floatsOf(call: KernelCall): tf.TensorInfo | undefined {
  const { backend } = call;
  const x = input(call, 'x');
  if (x.dtype !== 'int32' || call.attrs['dtype'] !== 'float32') return undefined;
  const { info } = backend.allocate(x.shape);
  backend.view(info).set(backend.view(x));
  return info;
}

/** Handles every permutation that exchanges two neighbouring groups of axes, such as [0, 2, 1, 3]. */
function transpose(call: KernelCall): tf.TensorInfo | undefined {
  const { backend } = call;
  const x = input(call, 'x');
  const perm = call.attrs['perm'] as number[];
  const first = perm.findIndex((axis, i) => axis !== i);
  const last = perm.findLastIndex((axis, i) => axis !== i);
  if (x.dtype !== 'float32' || first < 0 || sizeOf(x) === 0) return undefined;
  const split = perm[first] as number;
  const width = last - first + 1;
  const isRotation = perm.every(
    (axis, i) => i < first || i > last || axis === first + ((split - first + i - first) % width),
  );
  if (!isRotation) return undefined;
  const from = backend.address(x);
  const out = backend.allocate(perm.map((axis) => x.shape[axis] as number));
  const [batch, m] = [product(x.shape.slice(0, first)), product(x.shape.slice(first, split))];
  const [n, block] = [product(x.shape.slice(split, last + 1)), product(x.shape.slice(last + 1))];
  backend.wasm.transposeBlocks(from, out.address, batch, m, n, block);
  return out.info;
}

function slice(call: KernelCall): tf.TensorInfo | undefined {
  const { backend } = call;
  const x = input(call, 'x');
  const { begin, size } = call.attrs as { begin: number[]; size: number[] };
  if (x.dtype !== 'float32') return undefined;
  const [starts, sizes] = tf.slice_util.parseSliceParams(x as tf.Tensor, begin, size) as [number[], number[]];
  tf.slice_util.assertParamsValid(x as tf.Tensor, starts, sizes);
  if (product(sizes) === 0 || sizes.length === 0) return undefined;
  const strides = x.shape.map((_, axis) => product(x.shape.slice(axis + 1)) * 4);
  // In the last axis from which only a part is taken, and in the axes after it, the numbers form a contiguous block. If
  // the axes before it are taken as a whole, the blocks are at equal distances.
  const cut = sizes.findLastIndex((length, axis) => length !== x.shape[axis]);
  const inner = Math.max(cut, 0);
  const bytes = (sizes[inner] as number) * (strides[inner] as number);
  let outer = inner - 1;
  let rows = 1;
  const step = outer >= 0 ? (strides[outer] as number) : 0;
  if (outer >= 0) rows = sizes[outer--] as number;
  while (outer >= 0 && sizes[outer + 1] === x.shape[outer + 1]) rows *= sizes[outer--] as number;
  const source = backend.address(x) + starts.reduce((sum, start, axis) => sum + start * (strides[axis] as number), 0);
  const out = backend.allocate(sizes);
  const groups = product(sizes.slice(0, outer + 1));
  for (let group = 0; group < groups; group++) {
    let rest = group;
    let from = source;
    for (let axis = outer; axis >= 0; axis--) {
      from += (rest % (sizes[axis] as number)) * (strides[axis] as number);
      rest = Math.floor(rest / (sizes[axis] as number));
    }
    backend.wasm.copyBlocks(from, step, out.address + group * rows * bytes, bytes, rows, bytes);
  }
  return out.info;
}

function concat(call: KernelCall): tf.TensorInfo | undefined {
  const { backend } = call;
  const parts = Object.values(call.inputs).filter((part) => sizeOf(part) > 0);
  const first = parts[0];
  if (!first || parts.length < 2 || parts.some(({ dtype }) => dtype !== 'float32')) return undefined;
  const axis = tf.util.parseAxisParam(call.attrs['axis'] as number, first.shape)[0] as number;
  const shapes = parts.map(({ shape }) => shape);
  tf.backend_util.assertParamsConsistent(shapes, axis);
  const sources = parts.map((part) => backend.address(part));
  const out = backend.allocate(tf.backend_util.computeOutShape(shapes, axis));
  const rows = product(first.shape.slice(0, axis));
  const rowBytes = (sizeOf(out.info) / rows) * 4;
  let offset = 0;
  parts.forEach((part, i) => {
    const bytes = (sizeOf(part) / rows) * 4;
    backend.wasm.copyBlocks(sources[i] as number, bytes, out.address + offset, rowBytes, rows, bytes);
    offset += bytes;
  });
  return out.info;
}

/**
 * Selects rows along the first axis. If an index is out of range, the kernel of TensorFlow.js is called, which reports
 * the error.
 */
function gatherRows(call: KernelCall): tf.TensorInfo | undefined {
  const { backend } = call;
  const [x, indices] = [input(call, 'x'), input(call, 'indices')];
  const { axis, batchDims } = call.attrs as { axis: number; batchDims: number };
  const [count, row] = [x.shape[0] ?? 0, x.shape.slice(1)];
  const isPlain = x.dtype === 'float32' && indices.dtype === 'int32' && sizeOf(x) > 0 && sizeOf(indices) > 0;
  if (!isPlain || axis !== 0 || batchDims !== 0) return undefined;
  const operands = [backend.address(indices), backend.address(x)] as const;
  const out = backend.allocate([...indices.shape, ...row]);
  if (backend.wasm.embed(...operands, out.address, sizeOf(indices), count, product(row)) < 0) return out.info;
  backend.disposeData(out.info.dataId);
  return undefined;
}
