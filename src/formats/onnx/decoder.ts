// A LlamaForCausalLM as ONNX, without and with a KV cache, with the names of inputs and outputs that Optimum uses. Both
// graphs take `input_ids`, `attention_mask` and `position_ids`. The graph with a cache also takes the past keys and
// values, of which there may be none, and returns the keys and values of all positions. Both graphs read their weights
// from the model.safetensors next to them.
import { ropeFrequencies } from '../../config/ropeFrequencies.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { parameterNames } from '../../records/parameters.ts';
import { Graph, type Placed, type ValueName } from './graph.ts';

/**
 * The score of hidden positions. The score is the most negative float32, so that softmax gives finite numbers even if
 * all positions of a row are hidden.
 */
const hiddenScore = -3.4028234663852886e38;

/** Whether the graphs support all computations of a network of this shape. They do not support those of Gemma 3. */
export const hasGraph = ({ gelu, outputNorms, scaledEmbeddings, queryScalar, local }: ModelShape): boolean =>
  !gelu && !outputNorms && !scaledEmbeddings && queryScalar === undefined && !local;

/**
 * The ONNX files by name. `safetensors` must be the output of `writeSafetensors` for all parameters, in the order of
 * the state dict.
 */
export function onnxFiles(shape: ModelShape, safetensors: Uint8Array): Record<string, Uint8Array> {
  const weights = placesIn(safetensors.length, shape);
  return {
    'model.onnx': decoder(shape, weights, false),
    'model_with_past.onnx': decoder(shape, weights, true),
  };
}

/**
 * The positions of the weights in the safetensors file. The arrays follow each other without gaps, and the last one
 * ends at the end of the file.
 */
function placesIn(length: number, shape: ModelShape): Placed[] {
  const sizeOf = (sizes: readonly number[]) => 4 * sizes.reduce((product, size) => product * size, 1);
  const names = parameterNames(shape);
  let offset = length - names.reduce((sum, parameter) => sum + sizeOf(parameter.shape), 0);
  return names.map((parameter) => {
    const placed = { ...parameter, offset };
    offset += sizeOf(parameter.shape);
    return placed;
  });
}

function decoder(shape: ModelShape, weights: readonly Placed[], hasPast: boolean): Uint8Array {
  const { numLayers, numKvHeads, headSize, vocabSize, isTied } = shape;
  const graph = new Graph();
  const length = hasPast ? 'past_and_sequence' : 'sequence';
  const ids = graph.input('input_ids', 'int64', ['batch', 'sequence']);
  const seen = graph.input('attention_mask', 'int64', ['batch', length]);
  const positions = graph.input('position_ids', 'int64', ['batch', 'sequence']);
  const layers = Array.from({ length: numLayers }, (_, layer) => layer);
  const past = (layer: number, part: 'key' | 'value') =>
    graph.input(`past_key_values.${layer}.${part}`, 'float', ['batch', numKvHeads, 'past', headSize]);
  const cache = hasPast ? layers.map((layer) => ({ key: past(layer, 'key'), value: past(layer, 'value') })) : [];
  const built = new Decoder(graph, shape, {
    ...rotation(graph, positions, shape),
    hidden: hiddenFrom(graph, ids, seen),
  });

  let x = graph.op('Gather', ['model.embed_tokens.weight', ids], { axis: 0 });
  for (const layer of layers) {
    const step = built.block(layer, x, cache[layer]);
    x = step.x;
    if (!hasPast) continue;
    const sizes = ['batch', numKvHeads, length, headSize];
    graph.output(`present.${layer}.key`, step.key, sizes);
    graph.output(`present.${layer}.value`, step.value, sizes);
  }
  const scores = built.linear(built.norm(x, 'model.norm'), isTied ? 'model.embed_tokens' : 'lm_head');
  graph.output('logits', scores, ['batch', 'sequence', vocabSize]);
  return graph.bytes(hasPast ? 'decoder_with_past' : 'decoder', weights, 'model.safetensors');
}

interface Tables {
  /** Cosines and sines of the angles of each position, [B, 1, T, D/2]. */
  cos: ValueName;
  sin: ValueName;
  /** Whether a query must not attend to a key, as a tensor [B, 1, 1, T, L]. */
  hidden: ValueName;
}

/** The angle is the position times the frequency of each dimension. */
function rotation(graph: Graph, positions: ValueName, shape: ModelShape) {
  const turns = ropeFrequencies(shape);
  const places = graph.op('Unsqueeze', [graph.op('Cast', [positions], { to: 1 }), graph.whole([1, 3])]); // [B, 1, T, 1]
  const angles = graph.op('Mul', [places, graph.real('inverse_frequencies', turns)]);
  return { cos: graph.op('Cos', [angles]), sin: graph.op('Sin', [angles]) };
}

/**
 * Computes which keys are hidden from which queries. A query attends to all keys up to its own position that are not
 * masked. There are queries for the last T positions.
 */
function hiddenFrom(graph: Graph, ids: ValueName, seen: ValueName): ValueName {
  const scalar = (of: ValueName) =>
    graph.op('Squeeze', [graph.op('Slice', [graph.op('Shape', [of]), graph.whole([1]), graph.whole([2])])]);
  const all = scalar(seen);
  const [none, one] = [graph.whole(0), graph.whole(1)];
  const keys = graph.op('Range', [none, all, one]); // [L]
  const queries = graph.op('Range', [graph.op('Sub', [all, scalar(ids)]), all, one]); // [T]
  const isLater = graph.op('Greater', [keys, graph.op('Unsqueeze', [queries, graph.whole([1])])]); // [T, L]
  const isMasked = graph.op('Not', [graph.op('Cast', [seen], { to: 9 })]); // [B, L]
  return graph.op('Or', [graph.op('Unsqueeze', [isMasked, graph.whole([1, 2, 3])]), isLater]);
}

/**
 * Adds the parts of the network to the graph. There are B rows with T new positions and L positions in total. H query
 * heads share K key heads, so each key head is used by G = H / K query heads.
 */
class Decoder {
  readonly #graph: Graph;
  readonly #shape: ModelShape;
  readonly #tables: Tables;

  constructor(graph: Graph, shape: ModelShape, tables: Tables) {
    this.#graph = graph;
    this.#shape = shape;
    this.#tables = tables;
  }

  /** Adds one layer. The keys and values that attention reads are returned too, [B, K, L, D] each. */
  block(
    layer: number,
    x: ValueName,
    past?: { key: ValueName; value: ValueName },
  ): { x: ValueName; key: ValueName; value: ValueName } {
    const at = `model.layers.${layer}`;
    const normed = this.norm(x, `${at}.input_layernorm`);
    const { mixed, key, value } = this.#attention(`${at}.self_attn`, normed, past);
    const middle = this.#graph.op('Add', [x, mixed]);
    return { x: this.#graph.op('Add', [middle, this.#feedForward(at, middle)]), key, value };
  }

  /** x · Wᵀ */
  linear(x: ValueName, name: string): ValueName {
    const turned = this.#graph.op('Transpose', [`${name}.weight`], { perm: [1, 0] });
    return this.#graph.op('MatMul', [x, turned]);
  }

  /** The projection of queries, keys or values, which may have a bias. */
  #projected(x: ValueName, name: string): ValueName {
    const product = this.linear(x, name);
    return this.#shape.attentionBias ? this.#graph.op('Add', [product, `${name}.bias`]) : product;
  }

  /** x / √(mean(x²) + ε) · gain */
  norm(x: ValueName, name: string): ValueName {
    const { op, real } = this.#graph;
    const mean = op('ReduceMean', [op('Mul', [x, x])], { axes: [-1], keepdims: 1 });
    const root = op('Sqrt', [op('Add', [mean, real('epsilon', this.#shape.normEps)])]);
    return op('Mul', [op('Div', [x, root]), `${name}.weight`]);
  }

  #feedForward(at: string, x: ValueName): ValueName {
    const { op } = this.#graph;
    const normed = this.norm(x, `${at}.post_attention_layernorm`);
    const gate = this.linear(normed, `${at}.mlp.gate_proj`);
    const gated = op('Mul', [op('Mul', [gate, op('Sigmoid', [gate])]), this.linear(normed, `${at}.mlp.up_proj`)]);
    return this.linear(gated, `${at}.mlp.down_proj`);
  }

  #attention(at: string, x: ValueName, past?: { key: ValueName; value: ValueName }) {
    const { op, whole, real } = this.#graph;
    const { numHeads, numKvHeads, headSize } = this.#shape;
    const heads = (name: string, count: number) =>
      op('Transpose', [op('Reshape', [this.#projected(x, `${at}.${name}`), whole([0, 0, count, headSize])])], {
        perm: [0, 2, 1, 3],
      });
    const withPast = (before: ValueName | undefined, now: ValueName) =>
      before === undefined ? now : op('Concat', [before, now], { axis: 2 });
    const normed = (of: ValueName, name: string) => (this.#shape.qkNorm ? this.norm(of, `${at}.${name}`) : of);
    const key = withPast(past?.key, this.#turned(normed(heads('k_proj', numKvHeads), 'k_norm')));
    const value = withPast(past?.value, heads('v_proj', numKvHeads));
    // The queries are grouped by their key head, [B, H, T, D] → [B, K, G, T, D]. The keys are transposed to [B, K, 1,
    // D, L].
    const groups = whole([0, numKvHeads, numHeads / numKvHeads, -1, headSize]);
    const queries = op('Reshape', [this.#turned(normed(heads('q_proj', numHeads), 'q_norm')), groups]);
    const group = (of: ValueName) => op('Unsqueeze', [of, whole([2])]);
    const turnedKeys = op('Transpose', [group(key)], { perm: [0, 1, 2, 4, 3] });
    const scores = op('Mul', [op('MatMul', [queries, turnedKeys]), real('scale', headSize ** -0.5)]);
    const shown = op('Where', [this.#tables.hidden, real('hidden_score', hiddenScore), scores]);
    const read = op('MatMul', [op('Softmax', [shown], { axis: -1 }), group(value)]);
    const rows = op('Transpose', [read], { perm: [0, 3, 1, 2, 4] }); // [B, T, K, G, D]
    const mixed = this.linear(op('Reshape', [rows, whole([0, 0, numHeads * headSize])]), `${at}.o_proj`);
    return { mixed, key, value };
  }

  /**
   * Applies RoPE: rotates each number in the first half of a head, together with its partner in the second half, by the
   * angle of the position.
   */
  #turned(x: ValueName): ValueName {
    const { cos, sin } = this.#tables;
    const { op } = this.#graph;
    const [a, b] = this.#graph.ops('Split', [x], { count: 2, attributes: { axis: -1 } }) as [ValueName, ValueName];
    const first = op('Sub', [op('Mul', [a, cos]), op('Mul', [b, sin])]);
    const second = op('Add', [op('Mul', [b, cos]), op('Mul', [a, sin])]);
    return op('Concat', [first, second], { axis: -1 });
  }
}
