// The families of language models that Cothink can read. The facts of each family are exported as `facts` from
// src/extensions/families/NAME/facts.ts. They contain the differences between the family's network and that of Llama,
// and the names that are used in the family's files.
import type { LocalAttention, ModelShape } from '../sizes.ts';

export interface FamilyFacts {
  /** The `model_type` in the family's config.json. */
  name: string;
  label: string;
  /** The family's position in lists. Cothink's own networks have the architecture of the first family. */
  order: number;
  /** The name of the family's class in the transformers library, as it occurs in config.json. */
  className: string;
  /** Properties of the family's network for which config.json has no key. */
  network: Pick<ModelShape, 'attentionBias' | 'qkNorm' | 'gelu' | 'outputNorms' | 'scaledEmbeddings'>;
  /**
   * Present if the attention of this family can be limited to a window. The value is the default size of the window in
   * tokens, or `asked` if there is only a window when config.json requests one.
   */
  window?: number | 'asked';
  /**
   * The size of a head if config.json does not contain it. If this field is absent too, the size of a head is the
   * hidden size divided by the number of heads.
   */
  headSize?: number;
  /**
   * Present if scores are divided by the square root of a number that config.json contains. The value is the default of
   * this number. If this field is absent, scores are divided by the square root of the head size.
   */
  queryScalar?: number;
  /** The base of the rotary position embeddings if config.json does not contain it; if absent, 10,000. */
  ropeTheta?: number;
  /** Whether the head is tied to the embeddings if config.json does not state it; if absent, it is not. */
  isTied?: boolean;
  /** Present if some layers have local attention. The values are the defaults of config.json and of GGUF files. */
  local?: LocalAttention;
  /** The number that safetensors files of this family leave out of every gain; GGUF files contain the whole gains. */
  gainOffset?: number;
  /** Tokens in the family's tokenizer.json for which its networks have no embedding. They are left out. */
  absentTokens?: readonly string[];
  /** The family's names in GGUF files; absent if GGUF files of this family use the name of another family. */
  gguf?: {
    /** `general.architecture` */
    architecture: string;
    /**
     * In this family's GGUF files, the two numbers of a query or key that are rotated together are neighbours. In other
     * files they are half a head apart.
     */
    hasNeighbours?: true;
  };
}
