// Kernels that write into their first input, so that its buffer stays the same. Other tensors with that buffer (a clone
// or a reshaped tensor) then contain the new numbers too. Offsets are read from the tensor `state` and not from the
// program's sizes, because the sizes of a recorded step are fixed.
import type * as tf from '@tensorflow/tfjs-core';
import { as, declare, inPlace, input, type ProgramCall, reads, sizeOf, valuesOf } from '../../webgpu/program/kernel.ts';
import type { Dispatch } from '../../webgpu/program/program.ts';

const two = { buffers: 2 };

export const inPlaceKernels = [
  declare('AddInto', two, (call) => elementwise(call, ['sum', 'x'], '+=')),
  declare('CopyInto', two, (call) => elementwise(call, ['to', 'from'], '=')),
  declare('CopyRows', two, (call) => {
    const to = input(call, 'to');
    const rows = to.shape[0] as number;
    const { type, width } = valuesOf(sizeOf(to) / rows);
    return write(call, `CopyRows ${type}`, copyRows, {
      writes: { to: as(type, to) },
      reads: { sources: as('i32', input(call, 'from')) }, // `from` is a reserved word
      sizes: { width },
      items: rows * width,
    });
  }),
  declare('DrawUniforms', two, (call) =>
    write(call, 'DrawUniforms', drawUniforms, {
      writes: reads(call, 'f32', 'uniforms'),
      reads: reads(call, 'i32', 'addresses'),
      sizes: { rows: input(call, 'uniforms').shape[1] as number },
      items: sizeOf(input(call, 'uniforms')),
    }),
  ),
  declare('WriteSlots', { buffers: 3 }, (call) =>
    write(call, 'WriteSlots', writeSlots, {
      writes: reads(call, 'f32', 'mask'),
      reads: { ...reads(call, 'f32', 'fresh'), ...reads(call, 'i32', 'state') },
      sizes: { steps: input(call, 'fresh').shape[1] as number, capacity: input(call, 'mask').shape[1] as number },
      items: sizeOf(input(call, 'fresh')),
    }),
  ),
  declare('Advance', null, (call) => {
    const { slots, steps } = call.attrs as { slots: number; steps: number };
    const writes = reads(call, 'i32', 'state');
    return write(call, 'Advance', advance, { writes, reads: {}, sizes: { slots, steps }, items: 2 });
  }),
];

const copyRows = `
  let row = item / sizes.width;
  let source = u32(sources[row]);
  if (source != row) { to[item] = to[source * sizes.width + item % sizes.width]; }`;

// One step of PCG-RXS-M-XS-32, as in `pcg` of base/random.ts.
const drawUniforms = `
  let word = bitcast<u32>(addresses[item % sizes.rows]) + item / sizes.rows;
  let turned = word * 747796405u + 2891336453u;
  let mixed = ((turned >> ((turned >> 28u) + 4u)) ^ turned) * 277803737u;
  uniforms[item] = f32(((mixed >> 22u) ^ mixed) >> 8u) / 16777216.0;`;

const writeSlots = `
  let slot = u32(state[0]) + item % sizes.steps;
  if (slot < sizes.capacity) { mask[item / sizes.steps * sizes.capacity + slot] = fresh[item]; }`;

const advance = 'state[item] += i32(select(sizes.steps, sizes.slots, item == 0u));';

function elementwise(call: ProgramCall, [to, from]: [string, string], operator: '+=' | '='): tf.TensorInfo {
  const target = input(call, to);
  const size = sizeOf(target);
  const isWhole = target.dtype !== 'float32';
  const { type, width } = isWhole ? { type: 'i32' as const, width: size } : valuesOf(size);
  return write(call, `x ${operator} y ${type}`, `to[item] ${operator} x[item];`, {
    writes: { to: as(type, target) },
    reads: { x: as(type, input(call, from)) },
    items: width,
  });
}

/** Runs a program that writes into the first input, and returns that input as the output. */
function write(call: ProgramCall, key: string, body: string, dispatch: Omit<Dispatch, 'program'>): tf.TensorInfo {
  call.recorder.run({ program: { key, variant: 'solo', text: () => ({ body }) }, ...dispatch });
  return inPlace(call, Object.keys(call.inputs)[0] as string);
}
