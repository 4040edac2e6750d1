// Defines how grid planning is displayed on the page.
import { say } from '../../../../state/visitor/language.svelte.ts';
import type { WorldLook } from '../../../../ui/worlds/worldLook.ts';
import GridMap from './GridMap.svelte';
import { gridText, gridTokens } from './typeset.ts';

export const look: WorldLook = {
  formula: gridText,
  title: (shown) => say('Find the treasure from {start}', { start: shown }),
  sentence: (text) => text,
  tokens: gridTokens,
  note: gridText,
  Figure: GridMap,
};
