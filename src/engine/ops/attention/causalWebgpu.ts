// Training's attention over whole rows, forward and backward. What the forward pass keeps for the gradient tells it
// which way it went: a matrix of turned heads (`packed`) from the programs without barriers, else the logarithms of
// the softmax alone, from which a team turns what it needs again.
import type * as tf from '@tensorflow/tfjs-core';
import { packText, soloForward, teamForward } from './causalWgsl.ts';
import { soloKeyGradient, soloQueryGradient, teamGradient } from './causalGradWgsl.ts';
import { headKind } from './headWgsl.ts';
import { as, declare, input, type KernelCall, programOf, reads } from '../../webgpu/program/kernel.ts';
import { groupSize } from '../../webgpu/program/program.ts';

export function attentionKernels(): tf.KernelConfig[] {
  return [
    declare('CausalAttention', (call) => (call.recorder.variant === 'solo' ? forwardSolo : forwardTeam)(call)),
    declare('CausalAttentionGrad', (call) =>
      (input(call, 'kept0').shape.length === 2 ? gradientSolo : gradientTeam)(call),
    ),
  ];
}

function forwardSolo(call: KernelCall): tf.TensorInfo[] {
  const { recorder } = call;
  const { kind, sizes, rows } = planOf(call);
  const columns = sizes.heads + 2 * sizes.keyHeads;
  const width = kind.size / kind.count;
  const y = recorder.allocate([rows, sizes.heads * kind.size]);
  const packed = recorder.allocate([rows, columns * kind.size + sizes.heads * width]);
  recorder.run({
    program: programOf(`CausalAttention pack ${kind.key}`, 'solo', () => packText(kind)),
    writes: { packed: as(kind.type, packed) },
    reads: { ...reads(call, kind.type, 'qkv'), ...anglesOf(call) },
    sizes: { ...sizes, items: rows * columns },
    items: rows * columns,
  });
  recorder.run({
    program: programOf(`CausalAttention ${kind.key}`, 'solo', () => soloForward(kind)),
    writes: { y: as(kind.type, y), packed: as(kind.type, packed) },
    reads: reads(call, 'f32', 'keyMask'),
    sizes: { ...sizes, items: rows * sizes.heads },
    items: rows * sizes.heads,
  });
  return [y, packed];
}

function forwardTeam(call: KernelCall): tf.TensorInfo[] {
  const { recorder } = call;
  const { kind, sizes, rows, queryTeams } = planOf(call);
  const y = recorder.allocate([rows, sizes.heads * kind.size]);
  const known = recorder.allocate([rows * sizes.heads]);
  recorder.run({
    program: programOf(`CausalAttention ${kind.key}`, 'team', () => teamForward(kind)),
    writes: { y: as(kind.type, y), known: as('f32', known) },
    reads: { ...reads(call, kind.type, 'qkv'), ...anglesOf(call), ...reads(call, 'f32', 'keyMask') },
    sizes: { ...sizes, items: queryTeams },
    items: queryTeams,
  });
  return [y, known];
}

function gradientSolo(call: KernelCall): tf.TensorInfo {
  const { recorder } = call;
  const { kind, sizes, rows } = planOf(call);
  const dqkv = recorder.allocate(input(call, 'qkv').shape);
  const pulls = recorder.allocate([rows * sizes.heads]);
  const common = {
    packed: as(kind.type, input(call, 'kept0')),
    ...anglesOf(call),
    ...reads(call, 'f32', 'keyMask'),
    ...reads(call, kind.type, 'dy'),
  };
  // Each writes columns of its own.
  recorder.run({
    program: programOf(`CausalAttentionGrad queries ${kind.key}`, 'solo', () => soloQueryGradient(kind)),
    writes: { dqkv: as(kind.type, dqkv), pulls: as('f32', pulls) },
    reads: { ...common, ...reads(call, kind.type, 'y') },
    sizes: { ...sizes, items: rows * sizes.heads },
    items: rows * sizes.heads,
  });
  recorder.run({
    program: programOf(`CausalAttentionGrad keys ${kind.key}`, 'solo', () => soloKeyGradient(kind)),
    writes: { dqkv: as(kind.type, dqkv) },
    reads: { ...common, pulls: as('f32', pulls) },
    sizes: { ...sizes, items: rows * sizes.keyHeads },
    items: rows * sizes.keyHeads,
  });
  recorder.release(pulls);
  return dqkv;
}

function gradientTeam(call: KernelCall): tf.TensorInfo {
  const { recorder } = call;
  const { kind, sizes, queryTeams } = planOf(call);
  const { batch, steps, keyHeads } = sizes;
  const dqkv = recorder.allocate(input(call, 'qkv').shape);
  const items = queryTeams + batch * keyHeads * Math.ceil(steps / groupSize);
  recorder.run({
    program: programOf(`CausalAttentionGrad ${kind.key}`, 'team', () => teamGradient(kind)),
    writes: { dqkv: as(kind.type, dqkv) },
    reads: {
      ...reads(call, kind.type, 'qkv', 'y', 'dy'),
      ...anglesOf(call),
      ...reads(call, 'f32', 'keyMask'),
      known: as('f32', input(call, 'kept0')),
    },
    sizes: { ...sizes, items, queryTeams },
    items,
  });
  return dqkv;
}

function anglesOf(call: KernelCall) {
  const { type } = headKind(input(call, 'cos').shape.at(-1) as number);
  return { cosines: as(type, input(call, 'cos')), sines: as(type, input(call, 'sin')) };
}

function planOf(call: KernelCall) {
  const { heads, keyHeads, isMasked } = call.attrs as { heads: number; keyHeads: number; isMasked: boolean };
  const [tables, steps, size] = input(call, 'cos').shape as [number, number, number];
  const rows = input(call, 'qkv').shape[0] as number;
  const batch = steps === 0 ? 0 : rows / steps;
  const kind = headKind(size);
  return {
    ...{ kind, rows },
    sizes: { batch, steps, heads, keyHeads, tableRows: tables * steps, isMasked: isMasked ? 1 : 0 },
    queryTeams: batch * keyHeads * Math.ceil(((heads / keyHeads) * steps) / groupSize),
  };
}
