// Attention over whole rows for training, forward and backward. There are two kinds of programs. Programs without
// barriers save a matrix of rotated heads (`packed`) for the gradient. The other programs save only the logarithms of
// the softmax sums, and the backward pass recomputes the attention weights from these. The saved tensor thus shows
// which kind the forward pass used. For large heads, the programs of wideWgsl.ts also save `packed`.
import type * as tf from '@tensorflow/tfjs-core';
import type { CausalAttrs } from './causalAttention.ts';
import { as, declare, input, type ProgramCall, reads } from '../../webgpu/program/kernel.ts';
import { groupSize, type Text, type Variant } from '../../webgpu/program/program.ts';
import { soloKeyGradient, soloQueryGradient, teamGradient } from './causalGradWgsl.ts';
import { packText, soloForward, teamForward } from './causalWgsl.ts';
import { fitsHeads, type HeadKind, headKind } from './headWgsl.ts';
import { wideForward, wideKeyGradient, widePackText, wideQueryGradient } from './wideWgsl.ts';

export const causalAttentionKernels = [
  declare('CausalAttention', { buffers: 8, sharedBytes: 8704, accepts: fitsHeads }, (call) =>
    (call.recorder.variant === 'solo' || isWide(call) ? forwardSolo : forwardTeam)(call),
  ),
  declare('CausalAttentionGrad', null, (call) =>
    (input(call, 'kept0').shape.length === 2 ? gradientSolo : gradientTeam)(call),
  ),
];

const isWide = (call: ProgramCall) => headKind(input(call, 'cos').shape[2] as number).isWide;

function forwardSolo(call: ProgramCall): tf.TensorInfo[] {
  const { recorder } = call;
  const { kind, sizes, rows, angles, mask } = planOf(call);
  const columns = sizes.heads + 2 * sizes.keyHeads;
  const width = kind.size / kind.count;
  const y = recorder.allocate([rows, sizes.heads * kind.size]);
  const packed = recorder.allocate([rows, columns * kind.size + sizes.heads * width]);
  recorder.run({
    program: program(' pack', 'solo', kind, kind.isWide ? widePackText : packText),
    writes: { packed: as(kind.type, packed) },
    reads: { ...reads(call, kind.type, 'qkv'), ...angles },
    sizes,
    items: rows * columns * (kind.isWide ? kind.count : 1),
  });
  recorder.run({
    program: kind.isWide ? program('', 'team', kind, wideForward) : program('', 'solo', kind, soloForward),
    writes: { y: as(kind.type, y), packed: as(kind.type, packed) },
    reads: mask,
    sizes,
    items: rows * sizes.heads,
  });
  return [y, packed];
}

function forwardTeam(call: ProgramCall): tf.TensorInfo[] {
  const { recorder } = call;
  const { kind, sizes, rows, queryTeams, angles, mask } = planOf(call);
  const y = recorder.allocate([rows, sizes.heads * kind.size]);
  const known = recorder.allocate([rows * sizes.heads]);
  recorder.run({
    program: program('', 'team', kind, teamForward),
    writes: { y: as(kind.type, y), known: as('f32', known) },
    reads: { ...reads(call, kind.type, 'qkv'), ...angles, ...mask },
    sizes,
    items: queryTeams,
  });
  return [y, known];
}

function gradientSolo(call: ProgramCall): tf.TensorInfo {
  const { recorder } = call;
  const { kind, sizes, rows, angles, mask } = planOf(call);
  const dqkv = recorder.allocate(input(call, 'qkv').shape);
  const pulls = recorder.allocate([rows * sizes.heads]);
  const packed = as(kind.type, input(call, 'kept0'));
  const common = { packed, ...angles, ...mask, ...reads(call, kind.type, 'dy') };
  // The two dispatches write to different columns.
  recorder.run({
    program: kind.isWide
      ? program('Grad queries', 'team', kind, wideQueryGradient)
      : program('Grad queries', 'solo', kind, soloQueryGradient),
    writes: { dqkv: as(kind.type, dqkv), pulls: as('f32', pulls) },
    reads: { ...common, ...reads(call, kind.type, 'y') },
    sizes,
    items: rows * sizes.heads,
  });
  recorder.run({
    program: kind.isWide
      ? program('Grad keys', 'team', kind, wideKeyGradient)
      : program('Grad keys', 'solo', kind, soloKeyGradient),
    writes: { dqkv: as(kind.type, dqkv) },
    reads: { ...common, pulls: as('f32', pulls) },
    sizes,
    items: rows * sizes.keyHeads,
  });
  recorder.release(pulls);
  return dqkv;
}

function gradientTeam(call: ProgramCall): tf.TensorInfo {
  const { kind, sizes, queryTeams, angles, mask } = planOf(call);
  const dqkv = call.recorder.allocate(input(call, 'qkv').shape);
  call.recorder.run({
    program: program('Grad', 'team', kind, teamGradient),
    writes: { dqkv: as(kind.type, dqkv) },
    reads: {
      ...reads(call, kind.type, 'qkv', 'dy', 'y'),
      ...{ ...angles, ...mask, known: as('f32', input(call, 'kept0')) },
    },
    sizes: { ...sizes, queryTeams },
    items: queryTeams + sizes.batch * sizes.keyHeads * Math.ceil(sizes.steps / groupSize),
  });
  return dqkv;
}

function program(part: string, variant: Variant, kind: HeadKind, text: (kind: HeadKind) => Text) {
  return { key: `CausalAttention${part} ${kind.key}`, variant, text: () => text(kind) };
}

function planOf(call: ProgramCall) {
  const { heads, keyHeads, isMasked, window } = call.attrs as unknown as CausalAttrs;
  const [tables, steps, size] = input(call, 'cos').shape as [number, number, number];
  const rows = input(call, 'qkv').shape[0] as number;
  const batch = steps === 0 ? 0 : rows / steps;
  const kind = headKind(size, window);
  return {
    ...{ kind, rows },
    sizes: {
      ...{ batch, steps, heads, keyHeads, tableRows: tables * steps, isMasked: isMasked ? 1 : 0 },
      ...(kind.isWindowed && { window }),
    },
    angles: { cosines: as(kind.type, input(call, 'cos')), sines: as(kind.type, input(call, 'sin')) },
    mask: reads(call, 'f32', 'keyMask'),
    queryTeams: batch * keyHeads * Math.ceil(((heads / keyHeads) * steps) / groupSize),
  };
}
