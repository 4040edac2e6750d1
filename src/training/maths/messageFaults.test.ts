import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentId } from '../../records/ids.ts';
import type { Turn } from '../../records/trajectory.ts';
import { trajectoryOf } from '../testing/spoken.ts';
import { copiedShares, emptyShare, leakedShare, overlap, repeatedShare, unansweredShare } from './messageFaults.ts';

const said = (agent: number, text: string, isFinish = false) => ({ agent: agentId(agent), text, isFinish });

/** A dialogue about the problem of a group. Two agents send these messages alternately. */
const talk = (group: number, answer: string, texts: string[], given = {}) => {
  const one = trajectoryOf(
    texts.map((_, i) => ({ agent: i % 2, tokens: [11, 2] })),
    given,
  );
  one.turns.forEach((turn: Turn, i) => Object.assign(turn, { text: texts[i] }));
  return { ...one, group, problem: { ...one.problem, answer } };
};

describe('talk', () => {
  it('is empty where nothing is said, and not where it is finished without a word', () => {
    expect(emptyShare([said(0, 'plan'), said(1, ' '), said(0, ''), said(0, '', true)])).toBe(0.5);
    expect(emptyShare([])).toBe(0);
  });

  it('overlaps by the longest run of words, as a share of one’s own', () => {
    expect(overlap('3*4', '2+3*4=14')).toBe(1);
    expect(overlap('14', '2+3*4=14')).toBe(1);
    expect(overlap('4=15', '2+3*4=14')).toBe(2 / 3);
    expect(overlap('4', '14')).toBe(0);
    expect(overlap('', '14')).toBe(0);
  });

  it('overlaps wholly with whatever holds it, and never by more than all', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (before, own, after) => {
        const share = overlap(own, `${before} ${own} ${after}`);
        expect(share === 1 || own.trim() === '').toBe(true);
        expect(overlap(own, before)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is copied from others, never from oneself', () => {
    const turns = [said(0, 'add 3'), said(1, 'add 3'), said(0, 'add 3'), said(1, ''), said(0, '9')];
    expect(copiedShares(turns)).toEqual([null, 1, 1, null, 0]);
    expect(copiedShares([said(0, 'add 3'), said(0, 'add 3')])).toEqual([null, null]);
  });

  it('repeats itself by the words that end a sequence of three words for the second time', () => {
    expect(repeatedShare('the hat is red')).toBe(0);
    expect(repeatedShare('the hat is the hat is')).toBe(1 / 6);
    expect(repeatedShare('no no no no no no')).toBe(1 / 2);
    expect(repeatedShare('7+7+7+7+7')).toBe(5 / 9);
    expect(repeatedShare('')).toBe(0);
    fc.assert(
      fc.property(fc.array(fc.constantFrom('red', 'blue', 'hat', '7', '+'), { maxLength: 12 }), (words) => {
        const triples = words.slice(2).map((_, i) => words.slice(i, i + 3).join(' '));
        const twice = triples.length - new Set(triples).size;
        expect(repeatedShare(words.join(' '))).toBe(twice / Math.max(1, words.length));
      }),
    );
  });

  it('leaks an answer where it is said more often than that of another problem', () => {
    const leaky = [talk(0, '7', ['7', '7']), talk(1, '5', ['it is 5', '5'])];
    expect(leakedShare(leaky, [0])).toBe(1);
    // The agent whose task is to answer may say the answer, so its message is not a leak. A message that is the same
    // for all problems is not a leak either.
    expect(leakedShare([talk(0, '7', ['left', '7']), talk(1, '5', ['left', '5'])], [0])).toBe(0);
    expect(leakedShare([talk(0, '7', ['7 5', '7']), talk(1, '5', ['7 5', '5'])], [0])).toBe(0);
    // The first message contains the right answer and the answer of one of the two other problems. The leak is
    // therefore 1 − 1/2 in one of three dialogues.
    const three = [talk(0, '7', ['7 5', '7']), talk(1, '5', ['left', '5']), talk(2, '3', ['left', '3'])];
    expect(leakedShare(three, [0])).toBeCloseTo(1 / 6, 12);
    expect(leakedShare(leaky, [])).toBeUndefined();
    expect(leakedShare(leaky.slice(1), [0])).toBeUndefined();
  });

  it('is unanswered where it finishes before anybody has said an answer', () => {
    const finished = { finishCode: 0, answer: null } as const;
    expect(unansweredShare([finished, { ...finished, answer: '3' }, { finishCode: 1, answer: null }, finished])).toBe(
      0.5,
    );
  });
});
