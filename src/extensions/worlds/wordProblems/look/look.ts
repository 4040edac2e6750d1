// How word problems are displayed on the page.
import { mathText, wordTokens, type WorldLook } from '../../../../ui/worlds/worldLook.ts';
import StorySteps from './StorySteps.svelte';
import { written } from './typeset.ts';

export const look: WorldLook = { formula: written, sentence: mathText, tokens: wordTokens, Figure: StorySteps };
