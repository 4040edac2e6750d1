// The gated activation with GELU and its gradient, one number of an output per thread.
import { gatedKernel } from '../swiGlu/webgpu.ts';
import { declare } from '../../webgpu/program/kernel.ts';
import { cubicCoefficient, linearCoefficient } from './geGlu.ts';

// Beyond 16, σ(k) is 0 or 1 in float32. Gates are limited to this range in k, so that k and its slope are finite.
const near = `
  let near = clamp(z, V(-16.0), V(16.0));
  let bend = ${cubicCoefficient} * near * near;
  let open = sigmoid(near * (${linearCoefficient} + bend));`;

const forward = `
  let at = gatePlace(item);
  let z = x[at];${near}
  y[item] = z * open * x[at + sizes.width];`;

const backward = `
  let at = gatePlace(item);
  let z = x[at];${near}
  let steep = near * (${linearCoefficient} + 3.0 * bend);
  dx[at] = dy[item] * x[at + sizes.width] * open * (1.0 + steep * (1.0 - open));
  dx[at + sizes.width] = dy[item] * z * open;`;

export const geGluKernels = [
  declare('GeGlu', { buffers: 3 }, (call) => gatedKernel(call, { key: 'GeGlu', body: forward, to: 'y', from: ['x'] })),
  declare('GeGluGrad', null, (call) =>
    gatedKernel(call, { key: 'GeGluGrad', body: backward, to: 'dx', from: ['x', 'dy'] }),
  ),
];
