// Kernels that write into their first input, so that its buffer keeps its identity: whoever else holds that buffer (a
// clone, a reshape) sees the new numbers too. Places come from the tensor `state`, never from sizes, which a recorded
// step keeps.
import type * as tf from '@tensorflow/tfjs-core';
import { as, declare, inPlace, input, type KernelCall, reads, sizeOf, valuesOf } from '../../webgpu/program/kernel.ts';

export function inPlaceKernels(): tf.KernelConfig[] {
  return [
    declare('AddInto', (call) => elementwise(call, ['sum', 'x'], '+=')),
    declare('CopyInto', (call) => elementwise(call, ['to', 'from'], '=')),
    declare('CopyRows', (call) => {
      const to = input(call, 'to');
      const rows = to.shape[0] as number;
      const { type, width } = valuesOf(sizeOf(to) / rows);
      call.recorder.run({
        program: { key: `CopyRows ${type}`, variant: 'solo', body: copyRows },
        writes: { to: as(type, to) },
        reads: { sources: as('i32', input(call, 'from')) }, // `from` is a reserved word
        sizes: { count: rows * width, width },
        items: rows * width,
      });
      return inPlace(call, 'to');
    }),
    declare('DrawUniforms', (call) => {
      const [window, rows] = input(call, 'uniforms').shape as [number, number];
      call.recorder.run({
        program: { key: 'DrawUniforms', variant: 'solo', body: drawUniforms },
        writes: reads(call, 'f32', 'uniforms'),
        reads: reads(call, 'i32', 'addresses'),
        sizes: { count: window * rows, rows },
        items: window * rows,
      });
      return inPlace(call, 'uniforms');
    }),
    declare('WriteSlots', (call) => {
      const [rows, capacity] = input(call, 'mask').shape as [number, number];
      const steps = input(call, 'fresh').shape[1] as number;
      call.recorder.run({
        program: { key: 'WriteSlots', variant: 'solo', body: writeSlots },
        writes: reads(call, 'f32', 'mask'),
        reads: { ...reads(call, 'f32', 'fresh'), ...reads(call, 'i32', 'state') },
        sizes: { count: rows * steps, steps, capacity },
        items: rows * steps,
      });
      return inPlace(call, 'mask');
    }),
    declare('Advance', (call) => {
      const { slots, steps } = call.attrs as { slots: number; steps: number };
      call.recorder.run({
        program: { key: 'Advance', variant: 'solo', body: advance },
        writes: reads(call, 'i32', 'state'),
        reads: {},
        sizes: { slots, steps },
        items: 2,
      });
      return inPlace(call, 'state');
    }),
  ];
}

const copyRows = `
  if (item >= sizes.count) { return; }
  let row = item / sizes.width;
  let source = u32(sources[row]);
  if (source != row) { to[item] = to[source * sizes.width + item % sizes.width]; }`;

// One step of PCG-RXS-M-XS-32, as `pcg` of base/random.ts.
const drawUniforms = `
  if (item >= sizes.count) { return; }
  let word = bitcast<u32>(addresses[item % sizes.rows]) + item / sizes.rows;
  let turned = word * 747796405u + 2891336453u;
  let mixed = ((turned >> ((turned >> 28u) + 4u)) ^ turned) * 277803737u;
  uniforms[item] = f32(((mixed >> 22u) ^ mixed) >> 8u) / 16777216.0;`;

const writeSlots = `
  if (item >= sizes.count) { return; }
  let slot = u32(state[0]) + item % sizes.steps;
  if (slot < sizes.capacity) { mask[item / sizes.steps * sizes.capacity + slot] = fresh[item]; }`;

const advance = 'if (item < 2u) { state[item] += i32(select(sizes.steps, sizes.slots, item == 0u)); }';

function elementwise(call: KernelCall, [to, from]: [string, string], operator: '+=' | '='): tf.TensorInfo {
  const target = input(call, to);
  const size = sizeOf(target);
  const isWhole = target.dtype !== 'float32';
  const { type, width } = isWhole ? { type: 'i32' as const, width: size } : valuesOf(size);
  call.recorder.run({
    program: {
      key: `x ${operator} y ${type}`,
      variant: 'solo',
      body: `if (item < sizes.count) { to[item] ${operator} x[item]; }`,
    },
    writes: { to: as(type, target) },
    reads: { x: as(type, input(call, from)) },
    sizes: { count: width },
    items: width,
  });
  return inPlace(call, to);
}
