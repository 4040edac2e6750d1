// Root mean square normalisation, row by row, alone or after an addition to the residual stream. The forward pass saves
// the factor of each row, so the gradients of rows and gain can be computed independently, in one dispatch.
import type * as tf from '@tensorflow/tfjs-core';
import { as, declare, input, type ProgramCall, reads, valuesOf, valueText } from '../../webgpu/program/kernel.ts';
import { groupSize, reductions } from '../../webgpu/program/program.ts';

// `x` is the input of the normalisation: either an input of the kernel, or the sum, which is computed first.
const forward = (isSum: boolean) => `
  let start = item * sizes.width;
  var square = 0.0;
  for (var c = lane; c < sizes.width; c += lanes) {
    ${isSum ? 'x[start + c] = stream[start + c] + delta[start + c];' : ''}
    square += inner(x[start + c], x[start + c]);
  }
  let scale = 1.0 / sqrt(total(square, lane) / sizes.columns + sizes.eps);
  for (var c = lane; c < sizes.width; c += lanes) { y[start + c] = x[start + c] * scale * gain[c]; }
  if (lane == 0u) { inverse[item] = scale; }`;

// dx = (dSum +) scale·(dUnit − unit·mean(dUnit·unit)), unit = x·scale, dUnit = dy·gain
const inputPart = (isAdded: boolean) => `
fn inputPart(row: u32, lane: u32) {
  if (row >= sizes.rows) { return; }
  let start = row * sizes.width;
  var along = 0.0;
  for (var c = lane; c < sizes.width; c += lanes) { along += inner(dy[start + c] * gain[c], x[start + c]); }
  let scale = inverse[row];
  let pull = total(V(along), lane) * scale * scale / sizes.columns;
  for (var c = lane; c < sizes.width; c += lanes) {
    dx[start + c] = ${isAdded ? 'dSum[start + c] + ' : ''}scale * (dy[start + c] * gain[c] - x[start + c] * pull);
  }
}`;

const gainPart = `
fn gainPart(column: u32, lane: u32) {
  var sum = V();
  for (var n = lane; n < sizes.rows; n += lanes) {
    let at = n * sizes.width + column;
    sum += dy[at] * x[at] * inverse[n];
  }
  sum = total(sum, lane);
  if (lane == 0u) { dGain[column] = sum; }
}`;

const backward = `
  if (block < sizes.inputBlocks) {
    inputPart(item, lane);
  } else {
    gainPart(item - sizes.inputItems, lane);
  }`;

export const normKernels = [
  declare('RmsNorm', { buffers: 6, sharedBytes: 1024 }, (call) => normalise(call)),
  declare('AddNorm', { buffers: 7, sharedBytes: 1024 }, (call) => {
    const sum = call.recorder.allocate(input(call, 'x').shape);
    return [sum, ...normalise(call, sum)];
  }),
  declare('RmsNormGrad', null, (call) => differentiate(call, { x: input(call, 'x') })),
  declare('AddNormGrad', null, (call) => {
    const dSum = call.attrs['isLast'] === true ? undefined : input(call, 'dSum');
    return differentiate(call, { x: input(call, 'sum'), dSum });
  }),
];

/**
 * The normalised rows and the factor of each row. If `sum` is passed, the sum is first written to it and then
 * normalised.
 */
function normalise(call: ProgramCall, sum?: tf.TensorInfo): [tf.TensorInfo, tf.TensorInfo] {
  const { recorder } = call;
  const { variant } = recorder;
  const [rows, columns] = input(call, 'x').shape as [number, number];
  const [y, inverse] = [recorder.allocate([rows, columns]), recorder.allocate([rows])];
  const { type, width } = valuesOf(columns);
  const text = () => ({ functions: valueText(type) + reductions(variant), body: forward(sum !== undefined) });
  recorder.run({
    program: { key: `${sum ? 'AddNorm' : 'RmsNorm'} ${type}`, variant, text },
    writes: { y: as(type, y), inverse: as('f32', inverse), ...(sum ? { x: as(type, sum) } : {}) },
    reads: sum
      ? { stream: as(type, input(call, 'x')), ...reads(call, type, 'delta', 'gain') }
      : reads(call, type, 'x', 'gain'),
    sizes: { width },
    constants: { columns, eps: call.attrs['eps'] as number },
    items: rows,
  });
  return [y, inverse];
}

function differentiate(
  call: ProgramCall,
  { x, dSum }: { x: tf.TensorInfo; dSum?: tf.TensorInfo | undefined },
): tf.TensorInfo[] {
  const { recorder } = call;
  const { variant } = recorder;
  const [rows, columns] = x.shape as [number, number];
  const { type, width } = valuesOf(columns);
  const [dx, dGain] = [recorder.allocate([rows, columns]), recorder.allocate([columns])];
  const inputBlocks = variant === 'team' ? rows : Math.ceil(rows / groupSize);
  const inputItems = variant === 'team' ? rows : inputBlocks * groupSize;
  const text = () => ({
    functions: valueText(type) + reductions(variant, type) + inputPart(dSum !== undefined) + gainPart,
    body: backward,
  });
  recorder.run({
    program: { key: `${dSum ? 'AddNorm' : 'RmsNorm'}Grad ${type}`, variant, text },
    writes: { dx: as(type, dx), dGain: as(type, dGain) },
    reads: {
      x: as(type, x),
      ...reads(call, type, 'gain', 'dy'),
      ...reads(call, 'f32', 'inverse'),
      ...(dSum ? { dSum: as(type, dSum) } : {}),
    },
    sizes: { rows, width, inputBlocks, inputItems },
    constants: { columns },
    items: inputItems + width,
  });
  return [dx, dGain];
}
