// All families of language models, found by their folders.
import type { FamilyFacts } from './facts.ts';

/** The facts of all families, sorted by `order`. */
export const families: readonly FamilyFacts[] = Object.values(
  import.meta.glob<FamilyFacts>('../../extensions/families/*/facts.ts', { eager: true, import: 'facts' }),
).sort((one, other) => one.order - other.order);

/** The family whose architecture Cothink's own networks have. */
export const ownFamily = families[0] as FamilyFacts;

/** The labels of all families, for example `Llama, Mistral`. */
export const familyLabels = families.map(({ label }) => label).join(', ');

/**
 * The last family whose networks compute in the same way as a network of this shape. Families with an attention window
 * are excluded, because their networks read fewer tokens.
 */
export const familyOf = (shape: FamilyFacts['network']): FamilyFacts =>
  families.findLast(
    ({ network, window }) =>
      typeof window !== 'number' && Object.keys(network).every((fact) => shape[fact as keyof typeof network]),
  ) ?? ownFamily;

/** The families that have names of their own in GGUF files, by the name of the architecture in these files. */
export const ggufFamilies: ReadonlyMap<string, FamilyFacts> = new Map(
  families.flatMap((facts) => (facts.gguf ? [[facts.gguf.architecture, facts]] : [])),
);
