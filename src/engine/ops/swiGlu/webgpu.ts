// The gated activation and its gradient, one number of an output per thread.
import { as, declare, input, type ProgramCall, reads, valuesOf, valueText } from '../../webgpu/program/kernel.ts';

// The input of σ is limited to a range in which e⁻ᶻ is finite, because WGSL does not guarantee Infinity. A row of x
// contains the gates, followed by the values that they multiply.
const gated = (type: 'f32' | 'vec4<f32>') => `${valueText(type)}
fn sigmoid(z: V) -> V { return 1.0 / (1.0 + exp(clamp(-z, V(-80.0), V(80.0)))); }
fn gatePlace(item: u32) -> u32 { return item / sizes.width * 2u * sizes.width + item % sizes.width; }`;

const forward = `
  let at = gatePlace(item);
  let z = x[at];
  y[item] = z * sigmoid(z) * x[at + sizes.width];`;

const backward = `
  let at = gatePlace(item);
  let z = x[at];
  let open = sigmoid(z);
  let silu = z * open;
  dx[at] = dy[item] * x[at + sizes.width] * (open + silu * (1.0 - open));
  dx[at + sizes.width] = dy[item] * silu;`;

export const swiGluKernels = [
  declare('SwiGlu', { buffers: 3 }, (call) =>
    gatedKernel(call, { key: 'SwiGlu', body: forward, to: 'y', from: ['x'] }),
  ),
  declare('SwiGluGrad', null, (call) =>
    gatedKernel(call, { key: 'SwiGluGrad', body: backward, to: 'dx', from: ['x', 'dy'] }),
  ),
];

/** Runs the program `body` of a gated activation or, if it writes `dx`, of its gradient. */
export function gatedKernel(
  call: ProgramCall,
  { key, body, to, from }: { key: string; body: string; to: 'y' | 'dx'; from: string[] },
) {
  const [rows, columns] = input(call, 'x').shape as [number, number];
  const { type, width } = valuesOf(columns / 2);
  const out = call.recorder.allocate([rows, to === 'dx' ? columns : columns / 2]);
  call.recorder.run({
    program: { key: `${key} ${type}`, variant: 'solo', text: () => ({ functions: gated(type), body }) },
    writes: { [to]: as(type, out) },
    reads: reads(call, type, ...from),
    sizes: { width },
    items: rows * width,
  });
  return out;
}
