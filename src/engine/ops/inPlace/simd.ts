// The small kernels of a decoding step, which all work in place. All numbers that change from step to step are in
// tensors.
import { uniformAt } from '../../../base/random.ts';
import { addressesOf, declare, inPlace, input, type KernelCall, shapeOf, sizeOf } from '../../simd/kernel.ts';

export const inPlaceKernels = [
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
    const [batch, capacity] = shapeOf(call, 'mask');
    const [, steps] = shapeOf(call, 'fresh');
    const [to, from] = [call.backend.view(input(call, 'mask')), call.backend.view(input(call, 'fresh'))];
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
];

/** The number of slots in use, and the step of the turn. */
function stateOf(call: KernelCall): [number, number] {
  const [slot, step] = call.backend.view(input(call, 'state'));
  return [slot as number, step as number];
}
