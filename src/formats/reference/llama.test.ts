import { describe, expect, it } from 'vitest';
import { llamaLogits } from './llama.ts';

const config = {
  hidden_size: 2,
  intermediate_size: 1,
  num_hidden_layers: 1,
  num_attention_heads: 1,
  num_key_value_heads: 1,
  head_dim: 2,
  rms_norm_eps: 0,
  rope_theta: 10000,
  tie_word_embeddings: true,
  vocab_size: 2,
};

/**
 * Weights for tests. The matrices of the key, value and output projections are identity matrices, and the feed-forward
 * layer adds zero.
 */
function weights(query: number[]) {
  const layer = 'model.layers.0.';
  const identity = [1, 0, 0, 1];
  return [
    { name: 'model.embed_tokens.weight', shape: [2, 2], values: [3, 4, 4, -3] },
    { name: `${layer}self_attn.q_proj.weight`, shape: [2, 2], values: query },
    { name: `${layer}self_attn.k_proj.weight`, shape: [2, 2], values: identity },
    { name: `${layer}self_attn.v_proj.weight`, shape: [2, 2], values: identity },
    { name: `${layer}self_attn.o_proj.weight`, shape: [2, 2], values: identity },
    { name: `${layer}mlp.gate_proj.weight`, shape: [1, 2], values: [0, 0] },
    { name: `${layer}mlp.up_proj.weight`, shape: [1, 2], values: [1, 1] },
    { name: `${layer}mlp.down_proj.weight`, shape: [2, 1], values: [1, 1] },
    { name: `${layer}input_layernorm.weight`, shape: [2], values: [1, 1] },
    { name: `${layer}post_attention_layernorm.weight`, shape: [2], values: [1, 1] },
    { name: 'model.norm.weight', shape: [2], values: [1, 1] },
  ];
}

describe('llamaLogits', () => {
  it('gives the numbers of one token worked by hand', () => {
    // The embedding (3, 4) has the root mean square √12.5. The only token attends to itself, so the residual stream
    // becomes (3, 4)·(1 + 1/√12.5). After normalisation, it is (3, 4)/√12.5 again, and the tied head returns (25,
    // 0)/√12.5.
    const [logits] = llamaLogits(config, weights([1, 0, 0, 1]), [0]);
    expect(logits?.[0]).toBeCloseTo(25 / Math.sqrt(12.5), 12);
    expect(logits?.[1]).toBeCloseTo(0, 12);
  });

  it('turns later positions by one radian each and lets no token see the next', () => {
    const both = llamaLogits(config, weights([1, 0, 0, 1]), [1, 0]);
    expect(both[0]).toEqual(llamaLogits(config, weights([1, 0, 0, 1]), [1])[0]);
    const x0 = [4 / Math.sqrt(12.5), -3 / Math.sqrt(12.5)];
    const x1 = [3 / Math.sqrt(12.5), 4 / Math.sqrt(12.5)];
    // The key at position 0 is x0 = (a, b). The query at position 1 is x1 rotated by one radian.
    const turned = [x1[0]! * Math.cos(1) - x1[1]! * Math.sin(1), x1[1]! * Math.cos(1) + x1[0]! * Math.sin(1)];
    const toFirst = Math.exp((turned[0]! * x0[0]! + turned[1]! * x0[1]!) / Math.SQRT2);
    const toSelf = Math.exp(2 / Math.SQRT2);
    const share = toFirst / (toFirst + toSelf);
    const stream = [0, 1].map((i) => [3, 4][i]! + share * x0[i]! + (1 - share) * x1[i]!);
    const scale = Math.sqrt((stream[0]! ** 2 + stream[1]! ** 2) / 2);
    expect(both[1]?.[0]).toBeCloseTo((3 * stream[0]! + 4 * stream[1]!) / scale, 12);
    expect(both[1]?.[1]).toBeCloseTo((4 * stream[0]! - 3 * stream[1]!) / scale, 12);
  });

  it('names an absent parameter', () => {
    expect(() => llamaLogits(config, weights([1, 0, 0, 1]).slice(1), [0])).toThrow(/embed_tokens.weight is absent/);
  });
});
