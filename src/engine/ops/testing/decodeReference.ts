// The in-place ops of decoding again in float64 and plain loops, over arrays that they change as the kernels do:
// slow, and easy to check by eye. `emulatedKernels` gives a backend of the cpu family all of them, so that what is
// built on the kernels can be tried and compared without a compiled one.
import type { MathBackendCPU } from '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { uniformAt } from '../../../base/random.ts';
import { attentionReference, logSoftmaxReference, ropeReference, sampleReference } from './reference.ts';

type Mutable = Float32Array | Float64Array | Int32Array;

export interface CacheSizes {
  rows: number;
  capacity: number;
  /** New positions of each row. */
  steps: number;
  heads: number;
  keyHeads: number;
  size: number;
}

export interface CacheArrays {
  /** [B, cap, KV·D]; changed */
  keys: Mutable;
  /** [B, cap, KV·D]; changed */
  values: Mutable;
  /** [B·S, (H + 2·KV)·D] */
  qkv: ArrayLike<number>;
  /** [P, D] */
  cos: ArrayLike<number>;
  sin: ArrayLike<number>;
  /** [B·S] */
  positions: ArrayLike<number>;
  /** [B, cap] */
  mask: ArrayLike<number>;
  /** [2] */
  state: ArrayLike<number>;
}

/** Writes the new keys and values, returns [B·S, H·D]. */
export function cachedAttentionReference(arrays: CacheArrays, sizes: CacheSizes): Float64Array {
  const { rows, capacity, steps, heads, keyHeads, size } = sizes;
  const { keys, values, positions, mask } = arrays;
  const used = get(arrays.state, 0);
  const width = (heads + 2 * keyHeads) * size;
  const keyWidth = keyHeads * size;
  const table = (from: ArrayLike<number>) =>
    Float64Array.from({ length: rows * steps * size }, (_, i) =>
      get(from, get(positions, Math.floor(i / size)) * size + (i % size)),
    );
  const [cos, sin] = [table(arrays.cos), table(arrays.sin)];
  const part = (from: number, count: number) =>
    Float64Array.from({ length: rows * steps * count * size }, (_, i) =>
      get(arrays.qkv, Math.floor(i / (count * size)) * width + from * size + (i % (count * size))),
    );
  const rotated = (x: Float64Array, count: number) => ropeReference(x, cos, sin, [1, rows * steps, count, size]);
  const freshKeys = rotated(part(heads, keyHeads), keyHeads);
  const freshValues = part(heads + keyHeads, keyHeads);
  for (let b = 0; b < rows; b++)
    for (let i = 0; i < steps * keyWidth; i++) {
      const to = (b * capacity + used) * keyWidth + i;
      keys[to] = get(freshKeys, b * steps * keyWidth + i);
      values[to] = get(freshValues, b * steps * keyWidth + i);
    }
  const total = used + steps;
  // What lies behind the slots in use may be anything, so it is left out, not multiplied by 0.
  const inUse = (cache: Mutable) =>
    Float64Array.from({ length: rows * total * keyWidth }, (_, i) => {
      const row = Math.floor(i / (total * keyWidth));
      return get(cache, row * (capacity - total) * keyWidth + i);
    });
  return attentionReference(rotated(part(0, heads), heads), inUse(keys), inUse(values), {
    ...{ batch: rows, queries: steps, keys: total, heads, keyHeads, size },
    isVisible: (b, s, j) => j === used + s || (j < used + s && get(mask, b * capacity + j) === 1),
  });
}

/** mask[b, state[0] + s] ← fresh[b, s]. */
export function writeSlotsReference(
  mask: Mutable,
  fresh: ArrayLike<number>,
  state: ArrayLike<number>,
  rows: number,
): void {
  const [capacity, steps] = [mask.length / rows, fresh.length / rows];
  for (let b = 0; b < rows; b++)
    for (let s = 0; s < steps; s++) mask[b * capacity + get(state, 0) + s] = get(fresh, b * steps + s);
}

export interface TakeArrays {
  ids: Mutable;
  out: Mutable;
  logits: ArrayLike<number>;
  uniforms: ArrayLike<number>;
  alive: Mutable;
  mask: Mutable;
  starts: ArrayLike<number>;
  positions: Mutable;
  state: ArrayLike<number>;
}

/** As `takeTokens`, over arrays. */
export function takeTokensReference(
  { ids, out, logits, uniforms, alive, mask, starts, positions, state }: TakeArrays,
  { temperature, endIds, maxPosition }: { temperature: number; endIds: readonly number[]; maxPosition: number },
): void {
  const rows = ids.length;
  const vocabulary = logits.length / rows;
  const capacity = mask.length / rows;
  const [slot, step] = [get(state, 0), get(state, 1)];
  const wide = Float64Array.from(logits);
  const draws = Array.from({ length: rows }, (_, b) => get(uniforms, step * rows + b));
  const drawn = sampleReference(wide, draws, vocabulary, temperature);
  const logprobs = logSoftmaxReference(wide, vocabulary, temperature);
  drawn.forEach((id, b) => {
    ids[b] = id;
    out[2 * step * rows + b] = id;
    out[(2 * step + 1) * rows + b] = get(logprobs, b * vocabulary + id);
    mask[b * capacity + slot] = get(alive, b);
    positions[b] = Math.min(get(starts, b) + step, maxPosition);
    if (endIds.includes(id)) alive[b] = 0;
  });
}

/** All in-place kernels for a backend that keeps its tensors in main memory: the stock cpu backend. */
export function emulatedKernels(backendName: string): tf.KernelConfig[] {
  const kernel = (kernelName: string, run: (call: Call) => tf.TensorInfo): tf.KernelConfig => ({
    kernelName,
    backendName,
    kernelFunc: ({ inputs, attrs, backend }) =>
      run({
        cpu: backend as MathBackendCPU,
        inputs: inputs as unknown as Call['inputs'],
        attrs: attrs as unknown as Call['attrs'],
      }),
  });
  return [
    kernel('AddInto', ({ cpu, inputs }) => {
      const { sum, x } = arraysOf(cpu, inputs);
      for (let i = 0; i < (sum as Mutable).length; i++) (sum as Mutable)[i] = get(sum as Mutable, i) + get(x ?? [], i);
      return heldAgain(cpu, inputs['sum']);
    }),
    kernel('CopyInto', ({ cpu, inputs }) => {
      const { to, from } = arraysOf(cpu, inputs);
      (to as Mutable).set(from as Mutable);
      return heldAgain(cpu, inputs['to']);
    }),
    kernel('CopyRows', ({ cpu, inputs }) => {
      const { to, from } = arraysOf(cpu, inputs) as { to: Mutable; from: Mutable };
      const [before, width] = [Array.from(to), to.length / from.length];
      before.forEach((_, i) => (to[i] = before[get(from, Math.floor(i / width)) * width + (i % width)] as number));
      return heldAgain(cpu, inputs['to']);
    }),
    kernel('DrawUniforms', ({ cpu, inputs }) => {
      const { uniforms, addresses } = arraysOf(cpu, inputs) as { uniforms: Mutable; addresses: Mutable };
      const rows = addresses.length;
      uniforms.forEach((_, i) => (uniforms[i] = uniformAt(get(addresses, i % rows), Math.floor(i / rows))));
      return heldAgain(cpu, inputs['uniforms']);
    }),
    kernel('Advance', ({ cpu, inputs, attrs }) => {
      const state = arraysOf(cpu, inputs)['state'] as Mutable;
      state.set([get(state, 0) + (attrs['slots'] as number), get(state, 1) + (attrs['steps'] as number)]);
      return heldAgain(cpu, inputs['state']);
    }),
    kernel('WriteSlots', ({ cpu, inputs }) => {
      const { mask, fresh, state } = arraysOf(cpu, inputs);
      writeSlotsReference(mask as Mutable, fresh as Mutable, state as Mutable, inputs['mask']?.shape[0] as number);
      return heldAgain(cpu, inputs['mask']);
    }),
    kernel('TakeTokens', ({ cpu, inputs, attrs }) => {
      const options = attrs as { temperature: number; endIds: number[]; maxPosition: number };
      takeTokensReference(arraysOf(cpu, inputs) as unknown as TakeArrays, options);
      return heldAgain(cpu, inputs['ids']);
    }),
    kernel('CachedAttention', ({ cpu, inputs, attrs }) => {
      const { heads, keyHeads, isNewest } = attrs as { heads: number; keyHeads: number; isNewest: boolean };
      const [rows, capacity] = inputs['keys']?.shape as [number, number];
      const size = inputs['cos']?.shape[1] as number;
      const news = inputs['qkv']?.shape[0] as number;
      const sizes = { rows, capacity, steps: news / rows, heads, keyHeads, size };
      const y = cachedAttentionReference(arraysOf(cpu, inputs) as unknown as CacheArrays, sizes);
      const width = heads * size;
      const newest = y.filter((_, i) => !isNewest || Math.floor(i / width) % sizes.steps === sizes.steps - 1);
      return cpu.makeTensorInfo([newest.length / width, width], 'float32', Float32Array.from(newest));
    }),
  ];
}

interface Call {
  cpu: MathBackendCPU;
  inputs: Record<string, tf.TensorInfo>;
  attrs: Record<string, unknown>;
}

function arraysOf(cpu: MathBackendCPU, inputs: Record<string, tf.TensorInfo>): Record<string, Mutable> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, { dataId }]) => [name, cpu.data.get(dataId).values as Mutable]),
  );
}

/** The record of a tensor that was changed in place, held by one more. */
function heldAgain(cpu: MathBackendCPU, info: tf.TensorInfo | undefined): tf.TensorInfo {
  const { dataId, shape, dtype } = info as tf.TensorInfo;
  cpu.incRef(dataId);
  return { dataId, shape, dtype };
}

function get(values: ArrayLike<number>, at: number): number {
  return values[at] as number;
}
