// Attention: training's whole rows, forward and backward, and the decoding step over a cache.
import { declare, input, type KernelCall, type KernelDeclaration } from './kernel.ts';

export function attentionKernels(): KernelDeclaration[] {
  return [
    declare('CausalAttention', (call) => {
      const { backend } = call;
      const sizes = rowSizes(call);
      const [, length, , , size] = sizes;
      const operands = addresses(call, 'q', 'k', 'v');
      const mask = maskAddress(call);
      const out = backend.allocate(input(call, 'q').shape);
      const columns = roundUp(length, 16);
      const floats = size * columns + length * roundUp(size, 4) + 2 * columns;
      backend.withScratch(floats, (scratch) => {
        backend.wasm.attention(...operands, mask, out.address, ...sizes, scratch);
      });
      return out.info;
    }),
    declare('CausalAttentionGrad', (call) => {
      const { backend } = call;
      const sizes = rowSizes(call);
      const [, length, , , size] = sizes;
      const operands = addresses(call, 'q', 'k', 'v');
      const mask = maskAddress(call);
      const dy = backend.address(input(call, 'dy'));
      const [dq, dk, dv] = [input(call, 'q'), input(call, 'k'), input(call, 'v')].map(({ shape }) =>
        backend.allocate(shape),
      ) as [Output, Output, Output];
      const columns = roundUp(length, 16);
      const floats = 2 * size * columns + 3 * length * roundUp(size, 4) + 2 * length * columns + columns;
      backend.withScratch(floats, (scratch) => {
        const outputs = [dq.address, dk.address, dv.address] as const;
        backend.wasm.attentionGrad(...operands, mask, dy, ...outputs, ...sizes, scratch);
      });
      return [dq.info, dk.info, dv.info];
    }),
    declare('CachedAttention', (call) => {
      const { backend } = call;
      const [batch, steps, heads, size] = input(call, 'q').shape as [number, number, number, number];
      const [, past, keyHeads] = input(call, 'pastK').shape as [number, number, number];
      const operands = ['q', 'pastK', 'pastV', 'k', 'v', 'pastMask', 'selfMask'].map((name) =>
        backend.address(input(call, name)),
      ) as [number, number, number, number, number, number, number];
      const out = backend.allocate([batch, steps, heads, size]);
      backend.withScratch(past + steps, (scratch) => {
        const sizes = [batch, steps, past, heads, keyHeads, size] as const;
        backend.wasm.cachedAttention(...operands, out.address, ...sizes, scratch);
      });
      return out.info;
    }),
  ];
}

type Output = ReturnType<KernelCall['backend']['allocate']>;

/** Batch, length, heads, key heads, head size. */
function rowSizes(call: KernelCall): [number, number, number, number, number] {
  const [batch, length, heads, size] = input(call, 'q').shape as [number, number, number, number];
  return [batch, length, heads, input(call, 'k').shape[2] as number, size];
}

function addresses(call: KernelCall, ...names: [string, string, string]): [number, number, number] {
  return names.map((name) => call.backend.address(input(call, name))) as [number, number, number];
}

/** 0 stands for "no mask" in the kernels. */
function maskAddress(call: KernelCall): number {
  return call.attrs['isMasked'] === true ? call.backend.address(input(call, 'keyMask')) : 0;
}

function roundUp(count: number, multiple: number): number {
  return Math.ceil(count / multiple) * multiple;
}
