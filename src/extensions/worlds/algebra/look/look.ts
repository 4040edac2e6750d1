// Defines how algebra is displayed on the page.
import type { WorldLook } from '../../../../ui/worlds/worldLook.ts';
import AlgebraCheck from './AlgebraCheck.svelte';
import { algebraInWords, algebraTokens, typesetAlgebra } from './typeset.ts';

export const look: WorldLook = {
  formula: typesetAlgebra,
  sentence: algebraInWords,
  tokens: algebraTokens,
  Figure: AlgebraCheck,
};
