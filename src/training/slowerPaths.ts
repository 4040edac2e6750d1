// What computes on a slower path than this engine could, in one sentence for the device badge: results are the same.
import * as tf from '@tensorflow/tfjs-core';
import type { ModelShape } from '../config/sizes.ts';
import { hasKernel } from '../engine/ops/kernel.ts';
import type { Learning } from './iteration.ts';

/** Empty when there is nothing to say. */
export function slowerPaths({
  team,
  networks,
  critics = [],
  verifier,
  rooms,
}: Pick<Learning, 'team' | 'networks' | 'critics' | 'verifier' | 'rooms'>): string {
  const notes = [
    ...team.shapes.map(composedNote),
    ...[...networks, ...critics, ...(verifier ? [verifier.network] : [])].map(({ replays }) => replays.note),
    rooms?.note ?? '',
  ];
  return notes.find((note) => note !== '') ?? '';
}

/** Calls `tell` whenever what there is to say has changed; at first there is nothing. */
export function slowerPathsTeller(tell: (note: string) => void): (learning: Learning) => void {
  let told = '';
  return (learning) => {
    const note = slowerPaths(learning);
    if (note !== told) tell(note);
    told = note;
  };
}

/** Which sizes of a network no kernel of the graphics processor takes. */
export function composedNote(shape: ModelShape): string {
  if (tf.getBackend() !== 'webgpu') return '';
  const { hiddenSize, intermediateSize, numHeads, numKvHeads, headSize } = shape;
  const attended = (numHeads + 2 * numKvHeads) * headSize;
  const missing = tf.tidy(() => {
    const linear = (inner: number, outs: number) => hasKernel('Linear', tf.zeros([1, inner]), tf.zeros([outs, inner]));
    const widths = linear(hiddenSize, attended) && linear(hiddenSize, 2 * intermediateSize);
    const heads = hasKernel('CausalAttention', tf.zeros([1, attended]), tf.zeros([1, 1, headSize]));
    return [!widths && `width ${String(hiddenSize)}`, !heads && `head size ${String(headSize)}`].filter(Boolean);
  });
  return missing.length === 0
    ? ''
    : `No fused kernel takes ${missing.join(' and ')}, so stock operations compute them.`;
}
