// Attention during decoding, to a cache of slots that is filled in place. One token per row takes a single dispatch.
// Several tokens per row take two dispatches, and so does any number of tokens on a device that can bind only a few
// buffers.
import type { CachedAttrs } from './cachedAttention.ts';
import { as, declare, fitsDevice, input, reads } from '../../webgpu/program/kernel.ts';
import type { Slot, Variant } from '../../webgpu/program/program.ts';
import { attendText, largestTeamHead, placeText } from './cachedWgsl.ts';
import { fitsHeads, headKind } from './headWgsl.ts';
import { wideAttendText, widePlaceText } from './wideWgsl.ts';

/** The number of storage buffers that the single dispatch binds, without the positions of slots. */
const cachedAttentionBuffers = 9;

export const cachedAttentionKernels = [
  declare('CachedAttention', { buffers: 8, sharedBytes: 8704, accepts: fitsHeads }, (call) => {
    const { recorder } = call;
    const { heads, keyHeads, isNewest, window } = call.attrs as unknown as CachedAttrs;
    const [batch, capacity] = input(call, 'keys').shape as [number, number];
    const [rows, columns] = input(call, 'qkv').shape as [number, number];
    const kind = headKind(input(call, 'cos').shape[1] as number, window);
    const steps = batch === 0 ? 0 : rows / batch;
    const queried = isNewest ? batch : rows;
    const y = recorder.allocate([queried, heads * kind.size]);
    const sizes = { steps, heads, keyHeads, capacity, ...(kind.isWindowed && { window }) };
    const variant: Variant = kind.isWide ? 'team' : kind.count <= largestTeamHead ? recorder.variant : 'solo';
    const buffers = cachedAttentionBuffers + (kind.isWindowed ? 1 : 0);
    const isOne = steps === 1 && !kind.isWide && fitsDevice(recorder.backend, { buffers });
    const caches = reads(call, kind.type, 'keys', 'values');
    const state = reads(call, 'i32', 'state');
    const attend = (more: Record<string, Slot>) => {
      const key = `CachedAttention ${isOne ? 'one ' : isNewest ? 'newest ' : ''}${kind.key}`;
      recorder.run({
        program: {
          key,
          variant,
          text: () => (kind.isWide ? wideAttendText(kind, isNewest) : attendText(kind, variant, { isOne, isNewest })),
        },
        writes: { y: as(kind.type, y), ...caches },
        reads: { ...more, ...reads(call, 'f32', 'mask', ...(kind.isWindowed ? ['places'] : [])), ...state },
        sizes,
        items: queried * heads,
      });
      return y;
    };
    const angles = { cosines: as(kind.type, input(call, 'cos')), sines: as(kind.type, input(call, 'sin')) };
    const fresh = { ...reads(call, kind.type, 'qkv'), ...angles, ...reads(call, 'i32', 'positions') };
    if (isOne) return attend(fresh);
    const queries = recorder.allocate([rows, heads * kind.size]);
    recorder.run({
      program: {
        key: `CachedAttention place ${kind.key}`,
        variant: 'solo',
        text: () => (kind.isWide ? widePlaceText(kind) : placeText(kind)),
      },
      writes: { queries: as(kind.type, queries), ...caches },
      reads: { ...fresh, ...state },
      sizes,
      items: (rows * columns) / (kind.isWide ? kind.size / kind.count : kind.size),
    });
    attend({ queries: as(kind.type, queries), ...(kind.isWindowed && reads(call, 'i32', 'positions')) });
    recorder.release(queries);
    return y;
  }),
];
