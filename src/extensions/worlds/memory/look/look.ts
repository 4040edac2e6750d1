// How memory is displayed on the page.
import { wordTokens, type WorldLook } from '../../../../ui/worlds/worldLook.ts';
import MemoryFacts from './MemoryFacts.svelte';
import { shownNote } from './typeset.ts';

export const look: WorldLook = {
  formula: (text) => text,
  sentence: (text) => text,
  tokens: wordTokens,
  note: shownNote,
  Figure: MemoryFacts,
  isReadInPieces: true,
};
