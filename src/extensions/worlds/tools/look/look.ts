// How tool use is displayed on the page.
import { say } from '../../../../state/visitor/language.svelte.ts';
import { asWritten, type WorldLook } from '../../../../ui/worlds/worldLook.ts';
import ToolCalls from './ToolCalls.svelte';
import { toolText, toolTokens } from './typeset.ts';

export const look: WorldLook = {
  ...asWritten,
  title: (shown) =>
    say('Answer with at most {count, plural, one {# tool call} other {# tool calls}}', {
      count: Number.parseInt(shown, 10),
    }),
  tokens: toolTokens,
  note: toolText,
  Figure: ToolCalls,
};
