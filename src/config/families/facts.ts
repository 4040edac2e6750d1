// The families of language models that can be read here. Each exports its `facts` in
// src/extensions/families/NAME/facts.ts. They state how the network of the family differs from Llama's, and which names
// its files use.
import type { ModelShape } from '../sizes.ts';

export interface FamilyFacts {
  /** The `model_type` in the family's config.json. */
  name: string;
  label: string;
  /** Its position in lists; the first family is that of the networks that are trained here. */
  order: number;
  /** The name of the family's class in transformers, as config.json states it. */
  className: string;
  /** Facts of the family's network that no key of config.json states. */
  network: Pick<ModelShape, 'attentionBias' | 'qkNorm'>;
  /**
   * Whether attention has a window. The value is the default number of tokens of the window, or `asked` if it is only
   * used on request.
   */
  window?: number | 'asked';
  /** The size of a head if config.json does not state it. If absent, the hidden size is divided among the heads. */
  headSize?: number;
  /** The family's names in files of llama.cpp; absent if these files use the name of another family. */
  gguf?: {
    /** `general.architecture` */
    architecture: string;
    /**
     * In files of llama.cpp, the two numbers of a query or key that are rotated together are neighbours. Elsewhere they
     * are half a head apart.
     */
    hasNeighbours?: true;
  };
}
