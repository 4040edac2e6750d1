// The small kernels of a decoding step, all in place: every changing number is data, so nothing here depends on
// which step it is.
import type * as tf from '@tensorflow/tfjs-core';
import { uniformAt } from '../../../base/random.ts';
import { addressesOf, declare, input, type KernelCall, type KernelDeclaration, sizeOf } from '../../simd/kernel.ts';

export function decodingKernels(): KernelDeclaration[] {
  return [
    declare('AddInto', (call) => {
      const { backend } = call;
      const [sum, x] = addressesOf(call, 'sum', 'x');
      backend.wasm.binary(0, sum, x, sum, 1, sizeOf(input(call, 'sum')), 0, 0, 0);
      return inPlace(call, 'sum');
    }),
    declare('CopyInto', (call) => {
      call.backend.view(input(call, 'to')).set(call.backend.view(input(call, 'from')));
      return inPlace(call, 'to');
    }),
    declare('CopyRows', (call) => {
      const to = call.backend.view(input(call, 'to'));
      const from = call.backend.view(input(call, 'from'));
      const width = to.length / from.length;
      from.forEach((source, b) => {
        if (source !== b) to.copyWithin(b * width, source * width, (source + 1) * width);
      });
      return inPlace(call, 'to');
    }),
    declare('DrawUniforms', (call) => {
      const [uniforms, addresses] = [
        call.backend.view(input(call, 'uniforms')),
        call.backend.view(input(call, 'addresses')),
      ];
      const rows = addresses.length;
      for (let i = 0; i < uniforms.length; i++) {
        uniforms[i] = uniformAt(addresses[i % rows] as number, Math.floor(i / rows));
      }
      return inPlace(call, 'uniforms');
    }),
    declare('WriteSlots', (call) => {
      const [mask, fresh] = [input(call, 'mask'), input(call, 'fresh')];
      const [batch, capacity] = mask.shape as [number, number];
      const steps = fresh.shape[1] as number;
      const [to, from] = [call.backend.view(mask), call.backend.view(fresh)];
      const [slot] = stateOf(call);
      for (let b = 0; b < batch; b++) to.set(from.subarray(b * steps, (b + 1) * steps), b * capacity + slot);
      return inPlace(call, 'mask');
    }),
    declare('Advance', (call) => {
      const { slots, steps } = call.attrs as { slots: number; steps: number };
      const [slot, step] = stateOf(call);
      call.backend.view(input(call, 'state')).set([slot + slots, step + steps]);
      return inPlace(call, 'state');
    }),
    declare('TakeTokens', (call) => {
      const { backend } = call;
      const { temperature, endIds, maxPosition } = call.attrs as unknown as TakeTokensOptions;
      const [batch, vocabulary] = input(call, 'logits').shape as [number, number];
      const capacity = input(call, 'mask').shape[1] as number;
      const operands = addressesOf(
        call,
        ...(['ids', 'out', 'logits', 'uniforms', 'alive', 'mask', 'starts', 'positions', 'state'] as const),
      );
      const ends = backend.allocate([endIds.length], 'int32');
      backend.view(ends.info).set(endIds);
      backend.withScratch(vocabulary, (scratch) => {
        const sizes = [batch, vocabulary, capacity, 1 / temperature, maxPosition] as const;
        backend.wasm.takeTokens(...operands, ...sizes, ends.address, endIds.length, scratch);
      });
      backend.disposeData(ends.info.dataId);
      return inPlace(call, 'ids');
    }),
  ];
}

interface TakeTokensOptions {
  /** > 0 */
  temperature: number;
  endIds: readonly number[];
  maxPosition: number;
}

function inPlace(call: KernelCall, name: string): tf.TensorInfo {
  return call.backend.rewritten(input(call, name)).info;
}

/** Slots in use and step of the turn. */
function stateOf(call: KernelCall): [number, number] {
  const [slot, step] = call.backend.view(input(call, 'state'));
  return [slot as number, step as number];
}
