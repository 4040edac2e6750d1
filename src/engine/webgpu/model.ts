// The elementwise pieces of a Llama block: gated activation, rotary positions, embedding rows.
import type * as tf from '@tensorflow/tfjs-core';
import { as, declare, input, type KernelCall, reads, sizeOf } from './kernel.ts';
import { reductions } from './recorder.ts';

// σ is held where e⁻ᶻ is finite: WGSL promises no Infinity.
const sigmoid = 'fn sigmoid(z: f32) -> f32 { return 1.0 / (1.0 + exp(clamp(-z, -80.0, 80.0))); }';

const swiGlu = `
  if (item >= sizes.count) { return; }
  let z = gate[item];
  y[item] = z * sigmoid(z) * up[item];`;

const swiGluGrad = `
  if (item >= sizes.count) { return; }
  let z = gate[item];
  let open = sigmoid(z);
  let silu = z * open;
  dGate[item] = dy[item] * up[item] * (open + silu * (1.0 - open));
  dUp[item] = dy[item] * silu;`;

// One item turns one pair: (x1, x2) → (x1·cos − x2·sin, x2·cos + x1·sin).
const rope = `
  if (item >= sizes.pairs) { return; }
  let row = item / sizes.half;
  let first = row * sizes.half * 2u + item % sizes.half;
  let second = first + sizes.half;
  let turn = (row / sizes.heads) % sizes.tableRows * sizes.half * 2u + item % sizes.half;
  let other = turn + sizes.half;
  let x1 = x[first];
  let x2 = x[second];
  y[first] = x1 * cosines[turn] - x2 * sines[turn] * sizes.direction;
  y[second] = x2 * cosines[other] + x1 * sines[other] * sizes.direction;`;

// Unknown ids read as rows of zeros, as a one-hot product has it.
const embed = `
  if (item >= sizes.count) { return; }
  let id = u32(ids[item / sizes.width]);
  if (id < sizes.vocabulary) { y[item] = rows[id * sizes.width + item % sizes.width]; } else { y[item] = 0.0; }`;

const embedGrad = `
  if (item >= sizes.count) { return; }
  let token = i32(item / sizes.width);
  let column = item % sizes.width;
  var sum = Value();
  for (var n = lane; n < sizes.rows; n += lanes) {
    if (ids[n] == token) { sum += dy[n * sizes.width + column]; }
  }
  sum = total(sum, lane);
  if (lane == 0u) { dTable[item] = sum; }`;

export function modelKernels(): tf.KernelConfig[] {
  return [
    declare('SwiGlu', (call) => {
      const { recorder } = call;
      const y = recorder.allocate(input(call, 'gate').shape);
      recorder.run({
        program: { key: 'SwiGlu', variant: 'solo', functions: sigmoid, body: swiGlu },
        writes: { y: as('f32', y) },
        reads: reads(call, 'f32', 'gate', 'up'),
        sizes: { count: sizeOf(y) },
        items: sizeOf(y),
      });
      return y;
    }),
    declare('SwiGluGrad', (call) => {
      const { recorder } = call;
      const { shape } = input(call, 'gate');
      const [dGate, dUp] = [recorder.allocate(shape), recorder.allocate(shape)];
      recorder.run({
        program: { key: 'SwiGluGrad', variant: 'solo', functions: sigmoid, body: swiGluGrad },
        writes: { dGate: as('f32', dGate), dUp: as('f32', dUp) },
        reads: reads(call, 'f32', 'gate', 'up', 'dy'),
        sizes: { count: sizeOf(dUp) },
        items: sizeOf(dUp),
      });
      return [dGate, dUp];
    }),
    declare('Rope', (call) => {
      const { recorder } = call;
      const [x, cos, sin] = [input(call, 'x'), input(call, 'cos'), input(call, 'sin')];
      const [, length, heads, size] = x.shape as [number, number, number, number];
      const y = recorder.allocate(x.shape);
      const pairs = sizeOf(x) / 2;
      recorder.run({
        program: { key: 'Rope', variant: 'solo', body: rope },
        writes: { y: as('f32', y) },
        reads: { x: as('f32', x), cosines: as('f32', cos), sines: as('f32', sin) },
        sizes: { pairs, half: size / 2, heads, tableRows: (cos.shape[0] as number) * length },
        constants: { direction: call.attrs['isInverse'] === true ? -1 : 1 },
        items: pairs,
      });
      return y;
    }),
    declare('Embed', (call) => {
      const { recorder } = call;
      const [ids, table] = [input(call, 'ids'), input(call, 'table')];
      const [vocabulary, width] = table.shape as [number, number];
      const y = recorder.allocate([ids.shape[0] as number, width]);
      recorder.run({
        program: { key: 'Embed', variant: 'solo', body: embed },
        writes: { y: as('f32', y) },
        reads: { ids: as('i32', ids), rows: as('f32', table) },
        sizes: { count: sizeOf(y), width, vocabulary },
        items: sizeOf(y),
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
  const dTable = recorder.allocate([call.attrs['vocabulary'] as number, columns]);
  const type = columns % 4 === 0 ? 'vec4<f32>' : 'f32';
  const width = type === 'f32' ? columns : columns / 4;
  const count = (dTable.shape[0] as number) * width;
  const functions = `alias Value = ${type};\n${reductions(recorder.variant, type)}`;
  recorder.run({
    program: { key: `EmbedGrad ${type}`, variant: recorder.variant, functions, body: embedGrad },
    writes: { dTable: as(type, dTable) },
    reads: { ids: as('i32', ids), dy: as(type, dy) },
    sizes: { count, rows, width },
    items: count,
  });
  return dTable;
}
