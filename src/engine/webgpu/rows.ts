// Root mean square normalisation, row by row.
import type * as tf from '@tensorflow/tfjs-core';
import { as, declare, input, reads } from './kernel.ts';
import { reductions } from './recorder.ts';

const forward = `
  if (item >= sizes.rows) { return; }
  let start = item * sizes.width;
  var square = 0.0;
  for (var c = lane; c < sizes.width; c += lanes) { square += x[start + c] * x[start + c]; }
  let scale = 1.0 / sqrt(total(square, lane) / f32(sizes.width) + sizes.eps);
  for (var c = lane; c < sizes.width; c += lanes) { y[start + c] = x[start + c] * scale * gain[c]; }`;

// dx = scale·(dUnit − unit·mean(dUnit·unit)), unit = x·scale, dUnit = dy·gain
const backward = `
  if (item >= sizes.rows) { return; }
  let start = item * sizes.width;
  var square = 0.0;
  var along = 0.0;
  for (var c = lane; c < sizes.width; c += lanes) {
    let value = x[start + c];
    square += value * value;
    along += dy[start + c] * gain[c] * value;
  }
  let width = f32(sizes.width);
  let scale = 1.0 / sqrt(total(square, lane) / width + sizes.eps);
  let pull = total(along, lane) * scale * scale / width;
  for (var c = lane; c < sizes.width; c += lanes) {
    dx[start + c] = scale * (dy[start + c] * gain[c] - x[start + c] * pull);
  }
  if (lane == 0u) { scales[item] = scale; }`;

const gainGradient = `
  if (item >= sizes.width) { return; }
  var sum = 0.0;
  for (var n = lane; n < sizes.rows; n += lanes) {
    let at = n * sizes.width + item;
    sum += dy[at] * x[at] * scales[n];
  }
  sum = total(sum, lane);
  if (lane == 0u) { dGain[item] = sum; }`;

export function rowKernels(): tf.KernelConfig[] {
  return [
    declare('RmsNorm', (call) => {
      const { recorder } = call;
      const x = input(call, 'x');
      const [rows, width] = x.shape as [number, number];
      const y = recorder.allocate(x.shape);
      recorder.run({
        program: program('RmsNorm', forward, recorder.variant),
        writes: { y: as('f32', y) },
        reads: reads(call, 'f32', 'x', 'gain'),
        sizes: { rows, width },
        constants: { eps: call.attrs['eps'] as number },
        items: rows,
      });
      return y;
    }),
    declare('RmsNormGrad', (call) => {
      const { recorder } = call;
      const [x, gain] = [input(call, 'x'), input(call, 'gain')];
      const [rows, width] = x.shape as [number, number];
      const [dx, dGain, scales] = [x.shape, gain.shape, [rows]].map((shape) => recorder.allocate(shape)) as Three;
      const sizes = { rows, width };
      recorder.run({
        program: program('RmsNormGrad', backward, recorder.variant),
        writes: { dx: as('f32', dx), scales: as('f32', scales) },
        reads: reads(call, 'f32', 'x', 'gain', 'dy'),
        sizes,
        constants: { eps: call.attrs['eps'] as number },
        items: rows,
      });
      recorder.run({
        program: program('RmsNormGrad gain', gainGradient, recorder.variant),
        writes: { dGain: as('f32', dGain) },
        reads: { ...reads(call, 'f32', 'x', 'dy'), scales: as('f32', scales) },
        sizes,
        items: width,
      });
      recorder.release(scales);
      return [dx, dGain];
    }),
  ];
}

type Three = [tf.TensorInfo, tf.TensorInfo, tf.TensorInfo];

function program(key: string, body: string, variant: 'solo' | 'team') {
  return { key, variant, body, functions: reductions(variant) };
}
