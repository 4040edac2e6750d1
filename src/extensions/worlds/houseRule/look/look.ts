// How house-rule arithmetic is displayed on the page.
import { mathText, typeset, type WorldLook } from '../../../../ui/worlds/worldLook.ts';
import HouseRulePlayed from './HouseRulePlayed.svelte';
import HouseRuleReading from './HouseRuleReading.svelte';
import { tokensOf } from './typeset.ts';

export const look: WorldLook = {
  formula: typeset,
  sentence: mathText,
  tokens: tokensOf,
  Figure: HouseRuleReading,
  Played: HouseRulePlayed,
};
