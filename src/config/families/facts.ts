// The families of language models that can be read here. Each exports its `facts` in
// src/extensions/families/NAME/facts.ts, which state how its network differs from Llama's and which names its files
// use.
import type { ModelShape } from '../sizes.ts';

export interface FamilyFacts {
  /** The `model_type` of its config.json. */
  name: string;
  label: string;
  /** Its position in lists; the first family is that of the networks that are trained here. */
  order: number;
  /** The name of its class in transformers, as config.json gives it. */
  className: string;
  /** Facts of its network that no key of config.json states. */
  network: Pick<ModelShape, 'attentionBias' | 'qkNorm'>;
  /** Whether attention has a window: its default number of tokens, or `asked` if it is only used on request. */
  window?: number | 'asked';
  /** The size of a head if config.json does not state it; absent: the hidden size is divided among the heads. */
  headSize?: number;
  /** Its names in files of llama.cpp; absent if these files use the name of another family. */
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
