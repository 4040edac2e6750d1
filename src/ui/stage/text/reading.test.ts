import { SvelteMap } from 'svelte/reactivity';
import { describe, expect, it } from 'vitest';
import type { TurnInspection } from '../../../records/inspection.ts';
import type { Trajectory, Turn } from '../../../records/trajectory.ts';
import { Reading, textTokens, type ShownDialogue } from './reading.svelte.ts';

const turn = (text: string, more: Partial<Turn> = {}) =>
  ({ text, tokens: [1, 2], logprobs: [-1, -1], isTruncated: false, isFinish: false, ...more }) as Turn;
const dialogue = (iteration: number, ...turns: Turn[]): ShownDialogue => ({
  iteration,
  trajectory: { index: 0, group: 0, problem: { id: 'a' }, turns } as unknown as Trajectory,
  inspections: null,
  isLive: false,
});
const two = dialogue(1, turn('The hat is yellow.'), turn('Yellow, I think: yellow.'));

describe('the tokens of a turn', () => {
  it('are words until they are inspected, and together the text', () => {
    expect(textTokens(turn('The hat\nis blue. '), null)).toEqual(['The', ' hat', '\nis', ' blue.', ' ', '⏎']);
    expect(textTokens(turn('The hat', { isTruncated: true }), null)).toEqual(['The', ' hat']);
    expect(textTokens(turn('The hat', { logprobs: [] }), null)).toEqual(['The', ' hat']);
    const inspected = { tokens: ['Th', 'e', '⏎'] } as TurnInspection;
    expect(textTokens(turn('The'), inspected)).toBe(inspected.tokens);
  });
});

describe('reading a dialogue', () => {
  it('goes from match to match and around, and unfolds the turn of the match', () => {
    const reading = new Reading(() => two);
    reading.search('YELLOW');
    expect([reading.count, reading.current, reading.isUnfolded(0)]).toEqual([3, null, false]);
    const went = [1, 1, 1, 1, -1].map((by) => [reading.go(by as 1 | -1), reading.current]);
    expect(went).toEqual([0, 1, 2, 0, 2].map((match) => [true, match]));
    expect([reading.isUnfolded(0), reading.isUnfolded(1)]).toEqual([true, true]);
    reading.search('green');
    expect([reading.go(1), reading.current]).toEqual([false, null]);
  });

  it('begins with the last match if the visitor goes backwards', () => {
    const reading = new Reading(() => two);
    reading.search('yellow');
    reading.go(-1);
    expect(reading.current).toBe(2);
  });

  it('keeps what was unfolded with its dialogue, and the query with the visitor', () => {
    const stage = new SvelteMap([['shown', two]]);
    const reading = new Reading(() => stage.get('shown') as ShownDialogue);
    reading.search('yellow');
    reading.go(1);
    reading.toggle(1);
    stage.set('shown', dialogue(2, turn('It is yellow.')));
    expect([reading.count, reading.current, reading.isUnfolded(0)]).toEqual([1, null, false]);
    stage.set('shown', two);
    expect([reading.current, reading.isUnfolded(0), reading.isUnfolded(1)]).toEqual([0, true, true]);
    reading.toggle(1);
    expect(reading.isUnfolded(1)).toBe(false);
  });

  it('knows the turns that are being sampled', () => {
    const live = (...turns: Turn[]) => new Reading(() => ({ ...dialogue(1, ...turns), isLive: true })).newestFrom;
    expect(new Reading(() => two).newestFrom).toBe(2);
    expect(live()).toBe(0);
    expect(live(turn('a', { index: 0 }), turn('b', { index: 1 }))).toBe(1);
    expect(live(turn('a', { index: 0 }), turn('b', { index: 1 }), turn('c', { index: 2, set: 1 }))).toBe(1);
  });
});
