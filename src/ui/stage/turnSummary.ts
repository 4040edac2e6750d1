// Summarises one turn: in a line of numbers below its card, and in a sentence for screen readers.
import type { TurnInspection, Won } from '../../records/inspection.ts';
import { setsOf, type Turn } from '../../records/trajectory.ts';
import { decimal, feedbackWords, signed, spokenToken } from '../words.ts';
import { turnTokens } from '../worlds/look.ts';
import type { WorldLook } from '../worlds/worldLook.ts';
import { quantities, type QuantityName } from './quantity.ts';
import { mean } from '../../base/stats.ts';
import { say } from '../../state/visitor/language.svelte.ts';

export interface TurnSummary {
  /**
   * The geometric mean of the ratios of the turn's tokens. If the loss used one ratio for the whole turn, the mean is
   * exactly this ratio.
   */
  ratio: number;
  /**
   * How many tokens were clipped, in words, such as `clipped`, `2 of 4 clipped` or `dual clip`. The text is empty if
   * min() chose the unclipped side for all tokens.
   */
  won: string;
  advantage: number;
  /** The mean KL over the tokens of the turn; null if there is no reference. */
  kl: number | null;
}

function wonText(won: readonly Won[]): string {
  const clipped = won.filter((side) => side === 1).length;
  const dual = won.filter((side) => side === 2).length;
  const parts: string[] = [];
  if (clipped > 0)
    parts.push(
      clipped === won.length ? say('clipped') : say('{clipped} of {length} clipped', { clipped, length: won.length }),
    );
  if (dual > 0)
    parts.push(
      dual === won.length ? say('dual-clipped') : say('{dual} of {length} dual-clipped', { dual, length: won.length }),
    );
  return parts.join(', ');
}

/** The means over the tokens of a turn that was used for learning. */
export const summarise = (turn: TurnInspection): TurnSummary => ({
  ratio: Math.exp(mean(turn.ratio.map((r) => Math.log(Math.max(r, 1e-9))))),
  won: wonText(turn.won),
  advantage: mean(turn.advantage),
  kl: turn.kl.length > 0 ? mean(turn.kl) : null,
});

/**
 * The tokens of a turn as displayed. They are taken from the inspection if there is one, and otherwise from the turn's
 * text.
 */
export const shownTokens = (turn: Turn, inspection: TurnInspection | null, look: WorldLook): string[] =>
  inspection?.tokens ?? turnTokens(turn, look);

/** A token with signs for line breaks and, if nothing else is visible, for spaces. A part of a character is a sign too. */
export function visibleToken(token: string): string {
  if (token === '') return '\uFFFD';
  const broken = token.replaceAll('\n', '¶');
  return broken.trim() === '' ? broken.replace(/\s/g, '␣') : broken;
}

/**
 * The numbers of the selected quantity for each token. While the dialogue is being sampled, only the probabilities of
 * its tokens are known.
 */
export function tokenNumbers(turn: Turn, inspection: TurnInspection | null, name: QuantityName): number[] {
  if (inspection) return quantities[name].read(inspection);
  return name === 'probability' ? turn.logprobs.map(Math.exp) : [];
}

/** A description of the whole card for screen readers. */
export function spokenTurn(
  turn: Turn,
  inspection: TurnInspection | null,
  { name, look, speaker }: { name: QuantityName; look: WorldLook; speaker: string },
): string {
  const tokens = shownTokens(turn, inspection, look);
  const said = [
    say('Turn {index}, {speaker}: {join}', { index: turn.index + 1, speaker, join: tokens.map(spokenToken).join(' ') }),
  ];
  if (turn.isTruncated) said.push(say('cut at the window'));
  said.push(...turnNotes(turn));
  if (inspection) {
    const { ratio, won, advantage, kl } = summarise(inspection);
    said.push(
      say('ratio {ratio}{value}', { ratio: decimal(ratio), value: won ? `, ${won}` : '' }),
      say('advantage {advantage}', { advantage: signed(advantage) }),
    );
    if (kl !== null) said.push(say('KL {kl}', { kl: decimal(kl, 3) }));
  }
  const numbers = tokenNumbers(turn, inspection, name);
  if (numbers.length === tokens.length && numbers.length > 0) {
    const each = tokens.map((token, i) => `${spokenToken(token)} ${quantities[name].write(numbers[i] ?? 0)}`);
    said.push(say('{label} by token: {join}', { label: quantities[name].label(), join: each.join(', ') }));
  }
  return said.join('; ');
}

/**
 * The notes next to the numbers of a turn, such as whether the turn is right, the feedback that its readers get, which
 * agents cannot read the turn, and its influence.
 */
export function turnNotes({ isRight, belief, feedback, maskedFor, heardAs, influence }: Turn): string[] {
  const notes: string[] = [];
  if (isRight !== undefined) notes.push(isRight ? say('✓ right') : say('✗ wrong'));
  if (belief !== undefined) notes.push(say('verifier {belief}', { belief: decimal(belief) }));
  if (feedback !== undefined) notes.push(say('told: {feedback}', { feedback: feedbackWords(feedback) }));
  if (maskedFor && maskedFor.length > 0)
    notes.push(say('unread by {join}', { join: maskedFor.map((agent) => agent + 1).join(', ') }));
  if (heardAs) notes.push(say('the others heard instead: {text}', { text: heardAs.text }));
  if (influence !== undefined) notes.push(say('influence {influence}', { influence: signed(influence) }));
  return notes;
}

/**
 * The rows of the grid in which a turn and the world's reply to it are placed. `observed` is 0 if there is no reply.
 */
export interface Rows {
  said: number;
  observed: number;
}

/**
 * Simultaneous turns are placed side by side. A set of simultaneous turns starts below the cards of the previous set.
 * If no agent of a set spoke in the previous set, the set starts half a card higher. The world's reply to a set spans
 * all lanes, below this set and above the next one.
 */
export function turnRows(turns: readonly Turn[]): Rows[] {
  let row = 0;
  let before: readonly Turn[] = [];
  return setsOf(turns).flatMap((set) => {
    const isBelow = set.some(({ agent }) => before.some((turn) => turn.agent === agent));
    row += isBelow ? 2 : 1;
    const said = row;
    const observed = set.map(({ reaction }) => (reaction?.observation ? 1 : 0));
    const count = observed.reduce<number>((sum, one) => sum + one, 0);
    before = count > 0 ? [] : set;
    if (count > 0) row = said + 1 + count;
    let place = said + 1;
    return observed.map((one) => ({ said, observed: one && ++place }));
  });
}
