// Defines how the debate is displayed on the page.
import DecidingPremises from '../../../../ui/worlds/DecidingPremises.svelte';
import { asWritten, wordTokens, type WorldLook } from '../../../../ui/worlds/worldLook.ts';

export const look: WorldLook = {
  ...asWritten,
  tokens: wordTokens,
  Figure: DecidingPremises,
};
