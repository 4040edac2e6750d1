// Defines how code is displayed on the page.
import { say } from '../../../../state/visitor/language.svelte.ts';
import type { WorldLook } from '../../../../ui/worlds/worldLook.ts';
import CodeAsked from './CodeAsked.svelte';
import { codeNote, codeTokens, typesetCode } from './typeset.ts';

export const look: WorldLook = {
  formula: typesetCode,
  title: (shown) => say('Write the function {shown}', { shown }),
  sentence: (text) => text,
  tokens: codeTokens,
  note: codeNote,
  Figure: CodeAsked,
};
