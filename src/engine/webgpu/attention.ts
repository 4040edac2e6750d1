// Attention: training's whole rows, forward and backward, and the decoding step over a cache.
import type * as tf from '@tensorflow/tfjs-core';
import { keyGradient, largestTeam, queryGradient, teamGradient } from './attentionGradText.ts';
import { headKind, type HeadKind, soloForward, teamForward } from './attentionText.ts';
import { as, declare, input, type KernelCall, reads, sizeOf } from './kernel.ts';
import type { Slot, Variant } from './recorder.ts';

/** Query heads from which one thread for each keeps a graphics processor busy. */
const manyQueries = 4096;

export function attentionKernels(): tf.KernelConfig[] {
  return [
    declare('CausalAttention', (call) => forward(call, { keyMask: as('f32', input(call, 'keyMask')) }, false)),
    declare('CausalAttentionGrad', gradients),
    declare('CachedAttention', (call) => {
      const kind = kindOf(call);
      const masks = { keyMask: as('f32', input(call, 'selfMask')), ...reads(call, 'f32', 'pastMask') };
      return forward(call, { ...masks, ...reads(call, kind.type, 'pastK', 'pastV') }, true);
    }),
  ];
}

function forward(call: KernelCall, more: Record<string, Slot>, isCached: boolean): tf.TensorInfo {
  const { recorder } = call;
  const kind = kindOf(call);
  const sizes = attentionSizes(call, isCached);
  const variant: Variant = sizes.items < manyQueries ? recorder.variant : 'solo';
  const y = recorder.allocate(input(call, 'q').shape);
  recorder.run({
    program: {
      key: `${isCached ? 'CachedAttention' : 'CausalAttention'} ${kind.key}`,
      variant,
      ...(variant === 'solo' ? soloForward : teamForward)(kind, isCached),
    },
    writes: { y: as(kind.type, y) },
    reads: { ...reads(call, kind.type, 'q', 'k', 'v'), ...more },
    sizes,
    items: sizes.items,
  });
  return y;
}

function gradients(call: KernelCall): tf.TensorInfo[] {
  const { recorder } = call;
  const kind = kindOf(call);
  const { type } = kind;
  const [q, k] = [input(call, 'q'), input(call, 'k')];
  const [dq, dk, dv] = [q.shape, k.shape, k.shape].map((shape) => recorder.allocate(shape)) as [
    tf.TensorInfo,
    tf.TensorInfo,
    tf.TensorInfo,
  ];
  const operands = { ...reads(call, type, 'q', 'k', 'v', 'dy'), keyMask: as('f32', input(call, 'keyMask')) };
  const sizes = attentionSizes(call, false);
  const { heads, keyHeads, steps, items } = sizes;
  const keyItems = sizeOf(k) / (q.shape[3] as number);
  const [dQuery, dKeys] = [{ dq: as(type, dq) }, { dk: as(type, dk), dv: as(type, dv) }];
  if (recorder.variant === 'team' && (heads / keyHeads) * steps <= largestTeam) {
    const teams = keyItems / Math.max(steps, 1);
    recorder.run({
      program: { key: `CausalAttentionGrad ${kind.key}`, variant: 'team', ...teamGradient(kind) },
      writes: { ...dQuery, ...dKeys },
      reads: operands,
      sizes: { ...sizes, items: teams },
      items: teams,
    });
    return [dq, dk, dv];
  }
  const statistics = recorder.allocate([2 * items]);
  recorder.run({
    program: { key: `CausalAttentionGrad queries ${kind.key}`, variant: 'solo', ...queryGradient(kind) },
    writes: { ...dQuery, statistics: as('f32', statistics) },
    reads: operands,
    sizes,
    items,
  });
  recorder.run({
    program: { key: `CausalAttentionGrad keys ${kind.key}`, variant: 'solo', ...keyGradient(kind) },
    writes: dKeys,
    reads: { ...operands, statistics: as('f32', statistics) },
    sizes: { ...sizes, items: keyItems },
    items: keyItems,
  });
  recorder.release(statistics);
  return [dq, dk, dv];
}

function kindOf(call: KernelCall): HeadKind {
  return headKind(input(call, 'q').shape[3] as number);
}

/** `items`: query heads. New positions of a cache are always masked, training's rows only where a mask was given. */
function attentionSizes(call: KernelCall, isCached: boolean) {
  const [batch, steps, heads] = input(call, 'q').shape as [number, number, number, number];
  return {
    items: batch * steps * heads,
    steps,
    heads,
    keyHeads: input(call, 'k').shape[2] as number,
    isMasked: isCached || call.attrs['isMasked'] === true ? 1 : 0,
    past: isCached ? (input(call, 'pastK').shape[1] as number) : 0,
  };
}
