// Reads the shape of a network from the metadata of its GGUF file. The keys are those of llama.cpp's
// `gguf-py/gguf/constants.py`.
import { FormatError } from '../../base/errors.ts';
import { quoted } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { familyLabels, ggufFamilies } from '../../config/families/registry.ts';
import { scaledFrequency } from '../../config/ropeFrequencies.ts';
import type { ModelShape, RopeScaling } from '../../config/sizes.ts';
import { refuseShape } from '../llama/shape.ts';
import type { GgufNotes } from './notes.ts';

/** The facts about the tensors that are needed to determine the shape. */
interface Told {
  /** Whether there is a tensor of this name. */
  has: (name: string) => boolean;
  /** The divisor of each RoPE frequency, if the file contains such divisors. */
  ropeFactors: ArrayLike<number> | null;
  /** The number of rows of the embedding matrix. */
  vocabSize: number;
}

/**
 * The shape of the network. Throws FormatError if the family of the model or one of its computations is not supported.
 */
export function ggufShape(notes: GgufNotes, { has, ropeFactors, vocabSize }: Told): ModelShape {
  const architecture = notes.text('general.architecture');
  const family = ggufFamilies.get(architecture);
  if (!family)
    throw new FormatError(
      spoken`GGUF: general.architecture: expected ${[...ggufFamilies.keys()].join(', ')}, got ${quoted(architecture)}; no other architecture is supported here, so choose one of these: ${familyLabels}.`,
    );
  const key = (rest: string) => `${architecture}.${rest}`;
  const [hiddenSize, numHeads] = [notes.whole(key('embedding_length')), notes.whole(key('attention.head_count'))];
  const headSize = notes.whole(key('attention.key_length'), hiddenSize / numHeads);
  if (notes.whole(key('expert_count'), 0) > 0) throw notes.refusal(key('expert_count'), spoken`no experts`);
  for (const rest of ['attention.value_length', 'rope.dimension_count'])
    if (notes.whole(key(rest), headSize) !== headSize)
      throw notes.refusal(key(rest), spoken`the size of a head, ${headSize}`);
  const context = notes.whole(key('context_length'));
  const window = notes.whole(key('attention.sliding_window'), 0);
  const ropeTheta = notes.real(key('rope.freq_base'), family.ropeTheta ?? 10_000);
  const scaling = scalingOf(notes, key, ropeFactors);
  // Biases are recognised by their tensors.
  const { attentionBias: _, ...network } = family.network;
  const local = family.local && {
    window: window || family.local.window,
    ropeTheta: notes.real(key('rope.freq_base_swa'), family.local.ropeTheta),
    period: notes.whole(key('attention.sliding_window_pattern'), family.local.period),
  };
  const shape: ModelShape = {
    ...{ vocabSize, hiddenSize, numHeads, headSize },
    intermediateSize: notes.whole(key('feed_forward_length')),
    numLayers: notes.whole(key('block_count')),
    numKvHeads: notes.whole(key('attention.head_count_kv'), numHeads),
    ropeTheta,
    normEps: notes.real(key('attention.layer_norm_rms_epsilon')),
    isTied: !has('output.weight'),
    // If all layers have the same attention window, the length of texts is limited to it, so that attention reaches all
    // previous tokens.
    maxPositions: window > 0 && !local ? Math.min(context, window) : context,
    ...(has('blk.0.attn_q.bias') && { attentionBias: true as const }),
    ...network,
    ...(local && { local }),
    ...(scaling && { ropeScaling: scaling }),
  };
  refuseShape(shape, {
    file: 'GGUF',
    headSize: key('attention.key_length'),
    numKvHeads: key('attention.head_count_kv'),
  });
  return shape;
}

function scalingOf(notes: GgufNotes, key: (rest: string) => string, factors: Told['ropeFactors']): RopeScaling | null {
  const kind = notes.text(key('rope.scaling.type'), 'none');
  if (kind === 'linear') return { kind, factor: notes.real(key('rope.scaling.factor')) };
  if (kind !== 'none') throw notes.refusal(key('rope.scaling.type'), spoken`none or linear`);
  if (!factors) return null;
  // The file contains only the divisors. In all published Llama 3 models, they were computed from the largest divisor
  // and from the three values below.
  const factor = Number(Math.max(...Array.from(factors)).toPrecision(6));
  const published = { lowFrequencyFactor: 1, highFrequencyFactor: 4, originalPositions: 8192 };
  const scaling = { kind: 'llama3' as const, factor, ...published };
  const theta = notes.real(key('rope.freq_base'), 10_000);
  const isSame = Array.from(factors).every((quotient, i) => {
    const frequency = theta ** (-i / factors.length);
    return Math.abs(frequency / scaledFrequency(frequency, scaling) / quotient - 1) < 1e-3;
  });
  if (isSame) return scaling;
  throw new FormatError(
    spoken`GGUF: rope_freqs.weight: expected the frequency factors of Llama 3, got different factors, which are not supported here.`,
  );
}
