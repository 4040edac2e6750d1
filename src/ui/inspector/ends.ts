// Determines how the outcome of a dialogue is shown: by a sign and a colour.
import type { FinishCode } from '../../records/trajectory.ts';
import { msg } from '../../base/spoken.ts';
import { say } from '../../state/visitor/language.svelte.ts';

export type EndKind = 'right' | 'wrong' | 'unfinished';

export const endSigns: Record<EndKind, string> = { right: '+', wrong: '−', unfinished: '∅' };

export function endKind({ isRight, finishCode }: { isRight: boolean; finishCode: FinishCode }): EndKind {
  if (finishCode !== 0) return 'unfinished';
  return isRight ? 'right' : 'wrong';
}

const words: Readonly<Record<EndKind, string>> = {
  right: msg('right'),
  unfinished: msg('unfinished'),
  wrong: msg('wrong'),
};
export const endWord = (kind: EndKind): string => say(words[kind]);

/**
 * The sequences of adjacent dialogues with the same outcome. `from` is the position of the first dialogue of a
 * sequence, and `count` the number of its dialogues.
 */
export function stretchesOf(kinds: readonly EndKind[]): { kind: EndKind; from: number; count: number }[] {
  const stretches: { kind: EndKind; from: number; count: number }[] = [];
  for (const [from, kind] of kinds.entries()) {
    const last = stretches.at(-1);
    if (last?.kind === kind) last.count++;
    else stretches.push({ kind, from, count: 1 });
  }
  return stretches;
}
