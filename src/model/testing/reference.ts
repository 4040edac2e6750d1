// The network in float64, for tests. This implementation is built from the loops of the reference ops in engine/ops,
// and supports hidden tokens. (formats/reference/llama.ts is a third implementation, for tests of exports. It does not
// support hidden tokens, and shares no code with this one.)
import { Draws, streams } from '../../base/random.ts';
import { localAt, sizes, type ModelShape } from '../../config/sizes.ts';
import { attentionReference, ropeReference } from '../../engine/ops/attention/testing/reference.ts';
import { embedReference } from '../../engine/ops/embed/testing/cases.ts';
import { geGluReference } from '../../engine/ops/geGlu/testing/cases.ts';
import { linearReference } from '../../engine/ops/linear/testing/cases.ts';
import { rmsNormReference } from '../../engine/ops/norm/testing/cases.ts';
import { swiGluReference } from '../../engine/ops/swiGlu/testing/cases.ts';
import type { Numbers } from '../../engine/ops/testing/numbers.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import { parameterNames } from '../../records/parameters.ts';

const room = { vocabSize: 32, maxPositions: 96 };

/**
 * Shapes that cover the risky cases: one key head, no groups, groups of two and of three, an untied head, and the
 * differences of some families from Llama.
 */
export const testShapes: Record<string, ModelShape> = {
  micro: { ...sizes.micro, ...room },
  tiny: { ...sizes.tiny, ...room },
  grouped: { ...sizes.micro, ...room, hiddenSize: 24, numLayers: 3, numHeads: 6, numKvHeads: 2, headSize: 4 },
  untied: { ...sizes.micro, ...room, numLayers: 2, numHeads: 4, numKvHeads: 2, ropeTheta: 500, isTied: false },
  biased: { ...sizes.micro, ...room, numLayers: 2, numHeads: 4, numKvHeads: 2, attentionBias: true },
  headNormed: {
    ...{ ...sizes.micro, ...room, hiddenSize: 24, numLayers: 2, numHeads: 6, numKvHeads: 3, headSize: 8 },
    ...{ qkNorm: true, ropeScaling: { kind: 'linear', factor: 4 } },
  },
  gemma: {
    ...{ ...sizes.micro, ...room, hiddenSize: 24, numLayers: 3, numHeads: 4, numKvHeads: 1, headSize: 8 },
    ...{ qkNorm: true, gelu: true, outputNorms: true, scaledEmbeddings: true, queryScalar: 6 },
    ...{ ropeTheta: 1e6, local: { window: 5, ropeTheta: 1e4, period: 2 } },
  },
};

/**
 * Weights for tests. The weights vary more than the weights of a new network: no gain is 1, and the logits differ by
 * several units.
 */
export function livelyWeights(shape: ModelShape, seed: number): NamedArray[] {
  const draws = new Draws(seed, streams.weights, 0);
  return parameterNames(shape).map(({ name, shape: dimensions }) => {
    const [rows, columns] = dimensions as [number, number | undefined];
    const value = () =>
      columns === undefined ? 1 + 0.3 * draws.normal() : (1.5 * draws.normal()) / Math.sqrt(columns);
    return { name, shape: dimensions, values: Float32Array.from({ length: rows * (columns ?? 1) }, value) };
  });
}

/**
 * Logits after each token of one row, [T·V].
 * @param isVisible false for each token that is hidden from all later ones; if absent, all tokens are visible
 */
export function rowLogitsReference(
  shape: ModelShape,
  weights: readonly NamedArray[],
  ids: readonly number[],
  isVisible?: readonly boolean[],
): Numbers {
  const byName = new Map(weights.map(({ name, values }) => [name, Float64Array.from(values)]));
  const at = (name: string) => byName.get(`${name}.weight`) as Numbers;
  const { hiddenSize, headSize, numHeads, numKvHeads, normEps } = shape;
  const length = ids.length;
  const slower = shape.ropeScaling?.kind === 'linear' ? shape.ropeScaling.factor : 1;
  const rotatedBy = (theta: number, divisor: number) => (x: Numbers, heads: number) => {
    const angle = (i: number) =>
      (Math.floor(i / headSize) / divisor) * theta ** (-2 * ((i % (headSize / 2)) / headSize));
    const [cos, sin] = [Math.cos, Math.sin].map((turn) =>
      Float64Array.from({ length: length * headSize }, (_, i) => turn(angle(i))),
    ) as [Numbers, Numbers];
    return ropeReference(x, cos, sin, [1, length, heads, headSize]);
  };
  const plus = (x: Numbers, y: Numbers) => x.map((value, i) => value + (y[i] as number));

  const times = (x: Numbers, factor: number) => x.map((value) => value * factor);
  const activated = shape.gelu ? geGluReference : swiGluReference;

  const embeddings = embedReference(ids, at('model.embed_tokens'), hiddenSize);
  let x = shape.scaledEmbeddings ? times(embeddings, Math.sqrt(hiddenSize)) : embeddings;
  for (let layer = 0; layer < shape.numLayers; layer++) {
    const of = (name: string) => at(`model.layers.${layer}.${name}`);
    const local = localAt(shape, layer);
    const rotated = local ? rotatedBy(local.ropeTheta, 1) : rotatedBy(shape.ropeTheta, slower);
    const added = (output: Numbers, name: string) =>
      plus(x, shape.outputNorms ? rmsNormReference(output, of(name), normEps) : output);
    const normed = rmsNormReference(x, of('input_layernorm'), normEps);
    const projected = (part: 'q' | 'k' | 'v') => {
      const product = linearReference(normed, of(`self_attn.${part}_proj`), hiddenSize);
      const bias = byName.get(`model.layers.${layer}.self_attn.${part}_proj.bias`);
      const biased = bias ? product.map((value, i) => value + (bias[i % bias.length] as number)) : product;
      return part !== 'v' && shape.qkNorm ? rmsNormReference(biased, of(`self_attn.${part}_norm`), normEps) : biased;
    };
    const mixed = attentionReference(
      times(rotated(projected('q'), numHeads), Math.sqrt(headSize / (shape.queryScalar ?? headSize))),
      rotated(projected('k'), numKvHeads),
      projected('v'),
      {
        ...{ batch: 1, queries: length, keys: length, heads: numHeads, keyHeads: numKvHeads, size: headSize },
        isVisible: (_, query, key) =>
          key === query || (key < query && query - key < (local?.window ?? Infinity) && isVisible?.[key] !== false),
      },
    );
    x = added(linearReference(mixed, of('self_attn.o_proj'), numHeads * headSize), 'post_attention_layernorm');
    const before = `${shape.outputNorms ? 'pre_feedforward' : 'post_attention'}_layernorm`;
    const inner = rmsNormReference(x, of(before), normEps);
    const gated = activated(
      linearReference(inner, of('mlp.gate_proj'), hiddenSize),
      linearReference(inner, of('mlp.up_proj'), hiddenSize),
    );
    x = added(linearReference(gated, of('mlp.down_proj'), shape.intermediateSize), 'post_feedforward_layernorm');
  }
  const head = shape.isTied ? at('model.embed_tokens') : at('lm_head');
  return linearReference(rmsNormReference(x, at('model.norm'), normEps), head, hiddenSize);
}
