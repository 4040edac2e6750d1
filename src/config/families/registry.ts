// Every family of language models, found by its place.
import type { ModelShape } from '../sizes.ts';
import type { FamilyFacts } from './facts.ts';

/** In the order of lists. */
export const families: readonly FamilyFacts[] = Object.values(
  import.meta.glob<FamilyFacts>('../../extensions/families/*/facts.ts', { eager: true, import: 'facts' }),
).sort((one, other) => one.order - other.order);

/** The family of the networks that are trained here. */
export const ownFamily = families[0] as FamilyFacts;

/** `Llama, Mistral`: the labels of all. */
export const familyLabels = families.map(({ label }) => label).join(', ');

/** The last family that computes as a network of this shape does. One with a window sees less than such a network. */
export const familyOf = ({ attentionBias, qkNorm }: Pick<ModelShape, 'attentionBias' | 'qkNorm'>): FamilyFacts =>
  families.findLast(
    ({ network, window }) =>
      typeof window !== 'number' && (!network.attentionBias || attentionBias) && (!network.qkNorm || qkNorm),
  ) ?? ownFamily;

/** The families that have files of llama.cpp of their own, by the architecture that these name. */
export const ggufFamilies: ReadonlyMap<string, FamilyFacts> = new Map(
  families.flatMap((facts) => (facts.gguf ? [[facts.gguf.architecture, facts]] : [])),
);
