// A second implementation of Llama, only for tests. The code is slow, uses plain float64 arrays, and is based directly
// on the names and the config.json of an exported model. It shares no code with src/model. If both implementations give
// the same results, this is strong evidence that the export is correct. Touvron et al. 2023 (2302.13971), Su et al.
// 2021 (RoPE, 2104.09864), Ainslie et al. 2023 (grouped heads, 2305.13245).

/** The keys of Hugging Face's config.json that determine the computation. */
export interface LlamaConfigFile {
  hidden_size: number;
  intermediate_size: number;
  num_hidden_layers: number;
  num_attention_heads: number;
  num_key_value_heads: number;
  head_dim: number;
  rms_norm_eps: number;
  rope_theta: number;
  /** If the type is `linear`, positions are divided by the factor. */
  rope_scaling?: { rope_type: string; factor: number } | null;
  tie_word_embeddings: boolean;
  vocab_size: number;
  /**
   * Whether RoPE rotates pairs of neighbouring numbers of a head, as in GGUF files. Otherwise, RoPE rotates each number
   * of the first half together with a number of the second half.
   */
  turns_neighbours?: boolean;
}

export interface PlainTensor {
  name: string;
  shape: number[];
  values: ArrayLike<number>;
}

type Row = number[];

/**
 * The logits after each token, [T][V]. The context starts at position 0. Throws Error if a parameter is missing or its
 * size differs from the config.
 */
export function llamaLogits(config: LlamaConfigFile, tensors: readonly PlainTensor[], tokens: readonly number[]) {
  const { hidden_size: C, head_dim: D, num_attention_heads: H, num_key_value_heads: K } = config;
  const matrix = (name: string, rows: number, columns: number): Row[] => {
    const values = find(tensors, name, [rows, columns]);
    return Array.from({ length: rows }, (_, r) =>
      Array.from({ length: columns }, (_, c) => Number(values[r * columns + c])),
    );
  };
  const vector = (name: string): Row => Array.from(find(tensors, name, [C]));
  const norm = (row: Row, gain: Row) => rmsNorm(row, gain, config.rms_norm_eps);

  const embedding = matrix('model.embed_tokens.weight', config.vocab_size, C);
  let stream = tokens.map((token) => [...at(embedding, token)]);
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const prefix = `model.layers.${layer}.`;
    const Wq = matrix(`${prefix}self_attn.q_proj.weight`, H * D, C);
    const Wk = matrix(`${prefix}self_attn.k_proj.weight`, K * D, C);
    const Wv = matrix(`${prefix}self_attn.v_proj.weight`, K * D, C);
    const Wo = matrix(`${prefix}self_attn.o_proj.weight`, C, H * D);
    const before = vector(`${prefix}input_layernorm.weight`);
    const inner = stream.map((row) => norm(row, before));
    // Some families add a bias to queries, keys and values. Other families normalise each head before RoPE.
    const own = (name: string): Row | undefined => {
      const found = tensors.find((tensor) => tensor.name === `${prefix}self_attn.${name}`);
      return found && Array.from(found.values);
    };
    const projected = (row: Row, matrix: Row[], name: string): Row[] => {
      const [product, bias, gain] = [times(matrix, row), own(`${name}_proj.bias`), own(`${name}_norm.weight`)];
      const all = heads(bias ? plus(product, bias) : product, D);
      return gain ? all.map((head) => norm(head, gain)) : all;
    };
    const turned = (row: Row, position: number, matrix: Row[], name: string) =>
      projected(row, matrix, name).map((head) => rotate(head, position, config));
    const q = inner.map((row, position) => turned(row, position, Wq, 'q'));
    const k = inner.map((row, position) => turned(row, position, Wk, 'k'));
    const v = inner.map((row) => projected(row, Wv, 'v'));
    stream = stream.map((row, t) => {
      const mixed = at(q, t).flatMap((query, head) => {
        const group = Math.floor(head / (H / K));
        const past = Array.from({ length: t + 1 }, (_, s) => s);
        const weights = softmax(past.map((s) => dot(query, at(at(k, s), group)) / Math.sqrt(D)));
        return Array.from({ length: D }, (_, d) =>
          past.reduce((sum, s) => sum + at(weights, s) * at(at(at(v, s), group), d), 0),
        );
      });
      return plus(row, times(Wo, mixed));
    });

    const gate = matrix(`${prefix}mlp.gate_proj.weight`, config.intermediate_size, C);
    const up = matrix(`${prefix}mlp.up_proj.weight`, config.intermediate_size, C);
    const down = matrix(`${prefix}mlp.down_proj.weight`, C, config.intermediate_size);
    const after = vector(`${prefix}post_attention_layernorm.weight`);
    stream = stream.map((row) => {
      const x = norm(row, after);
      const opened = times(gate, x).map((g) => g / (1 + Math.exp(-g)));
      const raised = times(up, x);
      const gated = opened.map((g, i) => g * at(raised, i));
      return plus(row, times(down, gated));
    });
  }
  const last = vector('model.norm.weight');
  const head = config.tie_word_embeddings ? embedding : matrix('lm_head.weight', config.vocab_size, C);
  return stream.map((row) => times(head, norm(row, last)));
}

function find(tensors: readonly PlainTensor[], name: string, shape: number[]): ArrayLike<number> {
  const found = tensors.find((tensor) => tensor.name === name);
  if (!found) throw new Error(`${name} is absent`);
  if (found.shape.join() !== shape.join()) throw new Error(`${name} is [${found.shape}], expected [${shape}]`);
  return found.values;
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no item ${index} in a list of ${items.length}`);
  return item;
}

const dot = (a: Row, b: Row) => a.reduce((sum, x, i) => sum + x * at(b, i), 0);
const times = (matrix: Row[], x: Row): Row => matrix.map((row) => dot(row, x));
const plus = (a: Row, b: Row): Row => a.map((x, i) => x + at(b, i));

function heads(row: Row, size: number): Row[] {
  return Array.from({ length: row.length / size }, (_, head) => row.slice(head * size, (head + 1) * size));
}

/** x · gain / √(mean x² + ε). */
function rmsNorm(x: Row, gain: Row, epsilon: number): Row {
  const scale = 1 / Math.sqrt(dot(x, x) / x.length + epsilon);
  return x.map((value, i) => value * scale * at(gain, i));
}

/**
 * Applies RoPE: rotates each pair (x[i], x[i + D/2]) by the angle position · θ^(−2i/D). If the config requests linear
 * scaling, the position is divided by its factor first.
 */
function rotate(x: Row, position: number, config: LlamaConfigFile): Row {
  const half = x.length / 2;
  return x.map((value, i) => {
    const isFirst = config.turns_neighbours ? i % 2 === 0 : i < half;
    const pair = config.turns_neighbours ? Math.floor(i / 2) : i % half;
    const away = config.turns_neighbours ? 1 : half;
    const slower = config.rope_scaling?.rope_type === 'linear' ? config.rope_scaling.factor : 1;
    const angle = (position / slower) * config.rope_theta ** ((-2 * pair) / x.length);
    const other = isFirst ? -at(x, i + away) : at(x, i - away);
    return value * Math.cos(angle) + other * Math.sin(angle);
  });
}

function softmax(scores: Row): Row {
  const top = Math.max(...scores);
  const raised = scores.map((score) => Math.exp(score - top));
  const total = raised.reduce((sum, x) => sum + x, 0);
  return raised.map((x) => x / total);
}
