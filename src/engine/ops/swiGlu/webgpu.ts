// The elementwise pieces of a Llama block: the gated activation and rows of the embedding.
import type * as tf from '@tensorflow/tfjs-core';
import {
  as,
  declare,
  input,
  type KernelCall,
  programOf,
  reads,
  sizeOf,
  valuesOf,
  valueText,
} from '../../webgpu/program/kernel.ts';
import { reductions } from '../../webgpu/program/program.ts';

// σ is held where e⁻ᶻ is finite: WGSL promises no Infinity. A row of x is the gates, then what they gate.
const gated = (type: 'f32' | 'vec4<f32>') => `${valueText(type)}
fn sigmoid(z: V) -> V { return 1.0 / (1.0 + exp(clamp(-z, V(-80.0), V(80.0)))); }
fn gatePlace(item: u32) -> u32 { return item / sizes.width * 2u * sizes.width + item % sizes.width; }`;

const swiGlu = `
  if (item >= sizes.count) { return; }
  let at = gatePlace(item);
  let z = x[at];
  y[item] = z * sigmoid(z) * x[at + sizes.width];`;

const swiGluGrad = `
  if (item >= sizes.count) { return; }
  let at = gatePlace(item);
  let z = x[at];
  let open = sigmoid(z);
  let silu = z * open;
  dx[at] = dy[item] * x[at + sizes.width] * (open + silu * (1.0 - open));
  dx[at + sizes.width] = dy[item] * silu;`;

// Unknown ids read as rows of zeros, as a one-hot product has it.
const embed = `
  if (item >= sizes.count) { return; }
  let id = u32(ids[item / sizes.width]);
  if (id < sizes.vocabulary) { y[item] = rows[id * sizes.width + item % sizes.width]; } else { y[item] = V(); }`;

const embedGrad = `
  if (item >= sizes.count) { return; }
  let token = i32(item / sizes.width);
  let column = item % sizes.width;
  var sum = V();
  for (var n = lane; n < sizes.rows; n += lanes) {
    if (ids[n] == token) { sum += dy[n * sizes.width + column]; }
  }
  sum = total(sum, lane);
  if (lane == 0u) { dTable[item] = sum; }`;

export function modelKernels(): tf.KernelConfig[] {
  return [
    declare('SwiGlu', (call) => {
      const [rows, columns] = input(call, 'x').shape as [number, number];
      const y = call.recorder.allocate([rows, columns / 2]);
      const { type, width } = valuesOf(columns / 2);
      call.recorder.run({
        program: programOf(`SwiGlu ${type}`, 'solo', () => ({ functions: gated(type), body: swiGlu })),
        writes: { y: as(type, y) },
        reads: reads(call, type, 'x'),
        sizes: { count: rows * width, width },
        items: rows * width,
      });
      return y;
    }),
    declare('SwiGluGrad', (call) => {
      const [rows, columns] = input(call, 'x').shape as [number, number];
      const dx = call.recorder.allocate([rows, columns]);
      const { type, width } = valuesOf(columns / 2);
      call.recorder.run({
        program: programOf(`SwiGluGrad ${type}`, 'solo', () => ({ functions: gated(type), body: swiGluGrad })),
        writes: { dx: as(type, dx) },
        reads: reads(call, type, 'x', 'dy'),
        sizes: { count: rows * width, width },
        items: rows * width,
      });
      return dx;
    }),
    declare('Embed', (call) => {
      const { recorder } = call;
      const [ids, table] = [input(call, 'ids'), input(call, 'table')];
      const [vocabulary, columns] = table.shape as [number, number];
      const y = recorder.allocate([sizeOf(ids), columns]);
      const { type, width } = valuesOf(columns);
      const count = sizeOf(ids) * width;
      recorder.run({
        program: programOf(`Embed ${type}`, 'solo', () => ({ functions: valueText(type), body: embed })),
        writes: { y: as(type, y) },
        reads: { ids: as('i32', ids), rows: as(type, table) },
        sizes: { count, width, vocabulary },
        items: count,
      });
      return y;
    }),
    declare('EmbedGrad', embedGradient),
  ];
}

function embedGradient(call: KernelCall): tf.TensorInfo {
  const { recorder } = call;
  const [ids, dy] = [input(call, 'ids'), input(call, 'dy')];
  const [rows, columns] = dy.shape as [number, number];
  const vocabulary = call.attrs['vocabulary'] as number;
  const dTable = recorder.allocate([vocabulary, columns]);
  const { type, width } = valuesOf(columns);
  const count = vocabulary * width;
  recorder.run({
    program: programOf(`EmbedGrad ${type}`, recorder.variant, () => ({
      functions: valueText(type) + reductions(recorder.variant, type),
      body: embedGrad,
    })),
    writes: { dTable: as(type, dTable) },
    reads: { ids: as('i32', ids), dy: as(type, dy) },
    sizes: { count, rows, width },
    items: count,
  });
  return dTable;
}
