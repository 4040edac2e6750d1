// Describes in one sentence which computations use a slower method than usual. The page shows the sentence next to the
// device. The slower methods give the same results.
import * as tf from '@tensorflow/tfjs-core';
import { spoken } from '../../base/spoken.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { hasKernel } from '../../engine/ops/kernel.ts';
import { networksOf } from '../rows/memory.ts';
import type { TrainState } from './trainState.ts';

/** The sentence about computations that use a slower method; empty if there are no such computations. */
export function slowerPaths(
  trainState: Pick<TrainState, 'team' | 'networks' | 'critics' | 'mixing' | 'verifier' | 'rooms'>,
): string {
  const notes = [
    ...trainState.team.shapes.map(composedNote),
    ...networksOf(trainState).map(({ replays }) => replays.note),
    trainState.rooms?.note ?? '',
  ];
  return notes.find((note) => note !== '') ?? '';
}

/**
 * Returns a function that calls `tell` whenever the sentence has changed since the last call. Before the first call,
 * the sentence counts as empty.
 */
export function slowerPathsTeller(tell: (note: string) => void): (trainState: TrainState) => void {
  let told = '';
  return (trainState) => {
    const note = slowerPaths(trainState);
    if (note !== told) tell(note);
    told = note;
  };
}

/**
 * Lists the parts of a network that no GPU kernel supports, either because the GPU allows too few buffers or because of
 * the sizes of these parts.
 */
export function composedNote(shape: ModelShape): string {
  if (tf.getBackend() !== 'webgpu') return '';
  const gated = shape.gelu ? 'GeGlu' : 'SwiGlu';
  const absent = [...fused, gated].filter((name) => !hasKernel(name));
  if (absent.length > 0)
    return spoken`This adapter supports too few buffers for ${absent.join(', ')}, so standard operations are used instead.`;
  const missing = oddSizes(shape);
  return missing.length === 0
    ? ''
    : spoken`No fused kernel supports ${missing.join(spoken` and `)}, so standard operations are used instead.`;
}

/** The kernels that every update and every turn of a dialogue use, for any network. */
const fused = ['Linear', 'RmsNorm', 'AddNorm', 'CausalAttention', 'CachedAttention', 'Embed', 'TokenLoss'];

function oddSizes(shape: ModelShape): string[] {
  const { hiddenSize, intermediateSize, numHeads, numKvHeads, headSize, vocabSize } = shape;
  const attended = (numHeads + 2 * numKvHeads) * headSize;
  const heads = numHeads * headSize;
  return tf.tidy(() => {
    const linear = (inner: number, outs: number) => hasKernel('Linear', tf.zeros([1, inner]), tf.zeros([outs, inner]));
    const isWide = linear(hiddenSize, attended) && linear(heads, hiddenSize);
    const isForward = linear(hiddenSize, 2 * intermediateSize) && linear(intermediateSize, hiddenSize);
    const takesHeads = hasKernel('CausalAttention', tf.zeros([1, attended]), tf.zeros([1, 1, headSize]));
    // If no kernel supports the width of the network, no kernel supports matrices with this width either, so only the
    // width is listed.
    return [
      !isWide && spoken`width ${hiddenSize}`,
      isWide && !isForward && spoken`feed-forward width ${intermediateSize}`,
      isWide && !linear(hiddenSize, vocabSize) && spoken`vocabulary ${vocabSize}`,
      !takesHeads && spoken`head size ${headSize}`,
    ].filter((words) => words !== false);
  });
}
