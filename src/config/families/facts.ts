// Families of language models that are read here: each lies as `facts` in src/extensions/families/NAME/facts.ts and says how
// its network differs from Llama's, and how its files call it.
import type { ModelShape } from '../sizes.ts';

export interface FamilyFacts {
  /** The `model_type` of its config.json. */
  name: string;
  label: string;
  /** Its place in lists; the first is the family of the networks that are trained here. */
  order: number;
  /** The class of transformers, as config.json names it. */
  className: string;
  /** Facts of its network that no key of config.json states. */
  network: Pick<ModelShape, 'attentionBias' | 'qkNorm'>;
  /** Whether attention has a window: its default number of tokens, or `asked` if it is only used on request. */
  window?: number | 'asked';
  /** The size of a head where config.json names none; absent: the hidden size is divided among the heads. */
  headSize?: number;
  /** Its files of llama.cpp; absent where those are called as another family's. */
  gguf?: {
    /** `general.architecture` */
    architecture: string;
    /** Numbers of queries and keys that are rotated together are neighbours there, and half a head apart elsewhere. */
    hasNeighbours?: true;
  };
}
