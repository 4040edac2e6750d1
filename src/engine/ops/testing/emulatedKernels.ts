// The in-place kernels as plain loops, for the cpu backend of TensorFlow.js. They make it possible to test and compare
// code that uses such kernels without the compiled kernels.
import * as tf from '@tensorflow/tfjs-core';
import { uniformAt } from '../../../base/random.ts';
import type { CachedAttrs } from '../attention/cachedAttention.ts';
import { type CacheArrays, cachedAttentionReference } from '../attention/testing/reference.ts';
import { writeSlotsReference } from '../inPlace/testing/reference.ts';
import { type TakeArrays, takeTokensReference } from '../tokens/testing/reference.ts';
import { type Mutable, get } from './numbers.ts';
import type { MathBackendCPU } from '@tensorflow/tfjs-backend-cpu';

/**
 * All in-place kernels, for a backend that keeps its tensors in main memory, as the cpu backend of TensorFlow.js does.
 */
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
      const { heads, keyHeads, isNewest, window } = attrs as unknown as CachedAttrs;
      const [rows, capacity] = inputs['keys']?.shape as [number, number];
      const size = inputs['cos']?.shape[1] as number;
      const news = inputs['qkv']?.shape[0] as number;
      const sizes = { rows, capacity, steps: news / rows, heads, keyHeads, size, ...(window > 0 && { window }) };
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

/** A tensor that was changed in place, returned as the output of a kernel, with one more reference to its data. */
function heldAgain(cpu: MathBackendCPU, info: tf.TensorInfo | undefined): tf.TensorInfo {
  const { dataId, shape, dtype } = info as tf.TensorInfo;
  cpu.incRef(dataId);
  return { dataId, shape, dtype };
}
