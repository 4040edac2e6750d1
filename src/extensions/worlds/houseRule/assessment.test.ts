import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { because } from '../../../base/reason.ts';
import { reasonInEnglish } from '../../../base/spoken.ts';
import { protocolNames } from '../../../config/protocols/registry.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { inProtocol, spoken } from '../../../tasks/testing/trajectories.ts';
import { judge } from './answers.ts';
import { assess } from './assessment.ts';
import { world as houseRule } from './world.ts';
import { problemOf } from './problems.ts';

const problem = problemOf(1, '7+4*2', 'rightToLeft');

const [reMA, single] = [inProtocol(houseRule, 'reMA'), inProtocol(houseRule, 'single')];
const team = (agents: number, answerFrom: Protocol['answerFrom']): Protocol => ({
  ...{ ...inProtocol(houseRule, 'debate'), answerFrom },
  roles: Array.from({ length: agents }, () => 'debater' as const),
});

const spokenInTurn = (raws: readonly string[]) => spoken(raws, 'metaThinking', 'reasoning');
const dialogue = (...raws: string[]) => assess(problem, spokenInTurn(raws), reMA);
const solo = (raw: string) => assess(problem, spoken([raw], 'reasoning'), single);
/** For each round, the answers of agents 0, 1, …. */
const answers = (agents: number, raws: readonly string[], answerFrom: Protocol['answerFrom'] = 'majority') =>
  assess(problem, spoken(raws, ...team(agents, answerFrom).roles), team(agents, answerFrom));
const reasons = ({ perTurn }: ReturnType<typeof assess>) => perTurn.map(({ reason }) => reasonInEnglish(reason));
const sums = ({ perTurn }: ReturnType<typeof assess>) => ({
  legal: perTurn.map(({ parts }) => parts.legalOperation),
  rewrite: perTurn.map(({ parts }) => parts.rewrite),
  finished: perTurn.map(({ parts }) => parts.finished),
  right: perTurn.map(({ parts }) => parts.rightAnswer),
});

describe('a dialogue', () => {
  it('that follows the rule earns every part', () => {
    const result = dialogue('4*2<eot>', '7+8<eot>', '7+8<eot>', '5<eot>', '<finish>');
    expect(sums(result)).toEqual({
      legal: [1, 0, 1, 0, 0],
      rewrite: [0, 1, 0, 1, 0],
      finished: [0, 0, 0, 0, 1],
      right: [0, 0, 0, 0, 1],
    });
    expect(result).toMatchObject({ answer: '5', isRight: true, potentials: [1, 1, 1, 1, 1, 1] });
    expect(reasons(result)).toEqual(['', '', '', '', 'the answer is 5']);
  });

  it('that follows another rule has legal steps, but is wrong from the first rewrite on', () => {
    const result = dialogue('7+4<eot>', '1*2<eot>', '1*2<eot>', '2<eot>', '<finish>');
    expect(sums(result).rewrite).toEqual([0, 1, 0, 1, 0]);
    expect(result).toMatchObject({ answer: '2', isRight: false, potentials: [1, 1, 0, 0, 0, 0] });
    expect(reasons(result).at(-1)).toBe('the answer was 5, but 2 was given');
  });

  it('may divide without a remainder; a division with a remainder earns nothing', () => {
    const divided = { ...problem, level: 5, shown: '12+6/3-4', answer: '10', given: { rule: 'precedence' } };
    const talk = (...raws: string[]) => assess(divided, spokenInTurn(raws), reMA);
    const even = talk('6/3<eot>', '12+2-4<eot>', '12+2<eot>', '14-4<eot>', '14-4<eot>', '10<eot>', '<finish>');
    expect(sums(even)).toMatchObject({ legal: [1, 0, 1, 0, 1, 0, 0], rewrite: [0, 1, 0, 1, 0, 1, 0] });
    expect(even).toMatchObject({ answer: '10', isRight: true });
    const odd = talk('3-4<eot>', '12+6/-1<eot>', '6/-1<eot>', '12+-6<eot>');
    expect(odd.potentials).toEqual([1, 1, 0, 0, 0]);
    const remainder = assess({ ...divided, shown: '12+7/3-4' }, spokenInTurn(['7/3<eot>', '12+2-4<eot>']), reMA);
    expect(sums(remainder)).toMatchObject({ legal: [0, 0], rewrite: [0, 0] });
    expect(reasons(remainder)[0]).toBe('7/3 leaves a remainder');
  });

  it('gives the reason for each wrong step in words', () => {
    const result = dialogue('4*2<eot>', '7+6<eot>', '4*2<eot>', '7+6<eot>', '8<eot>', 'nothing<eot>');
    expect(reasons(result)).toEqual([
      '',
      '8 was expected, but 6 was given',
      '4*2 is not in 7+6',
      'there was no plan to follow',
      '8 is not an operation',
      'there was no plan to follow; not finished; no number was given',
    ]);
    expect(reasons(dialogue('4*2<eot>', '7*8<eot>'))[1]).toContain('7+8 was expected, but 7*8 was given');
    expect(reasons(dialogue('<finish>'))).toEqual([
      'the planner finished although 7+4*2 is left to do; the answer was 5, but no number was given',
    ]);
    expect(reasons(dialogue('<eot>'))[0]).toContain('the plan is empty');
  });

  it('is right only with the finish token and a number as last reply', () => {
    expect(dialogue('4*2<eot>', '7+8<eot>', '7+8<eot>', '5<eot>')).toMatchObject({ answer: '5', isRight: false });
    expect(dialogue('4*2<eot>', '7+8<eot>', '<finish>')).toMatchObject({ answer: null, isRight: false });
    expect(dialogue('4*2<eot>', '5<eot>', '<finish>')).toMatchObject({ answer: '5', isRight: true });
    expect(dialogue('4*2<eot>', '05<eot>', '<finish>')).toMatchObject({ answer: null, isRight: false });
  });

  it('earns nothing with a turn that was cut', () => {
    expect(sums(dialogue('4*2', '7+8'))).toMatchObject({ legal: [0, 0], rewrite: [0, 0] });
  });

  it('may finish with the last plan, which is then answered', () => {
    const result = dialogue('4*2<eot>', '7+8<eot>', '7+8<finish>', '5<eot>');
    expect(result).toMatchObject({ isRight: true });
    expect(sums(result)).toMatchObject({ legal: [1, 0, 1, 0], rewrite: [0, 1, 0, 1], finished: [0, 0, 0, 1] });
  });

  it('may rewrite either place of an operation that occurs twice', () => {
    const twice = problemOf(3, '2*3-2*3+1', 'leftToRight');
    for (const reply of ['6-2*3+1', '2*3-6+1']) {
      expect(assess(twice, spokenInTurn(['2*3<eot>', `${reply}<eot>`]), reMA).perTurn[1]?.parts.rewrite).toBe(1);
    }
  });
});

describe('a single turn', () => {
  it('that shows its steps earns every part', () => {
    const result = solo('4*2=7+8;7+8=5<eot>');
    expect(result.perTurn).toEqual([
      {
        parts: { rightAnswer: 1, legalOperation: 1, rewrite: 1, finished: 1, format: 1 },
        ...{ reason: because`the answer is ${5}`, isRight: true, score: 1 },
      },
    ]);
    expect(result).toMatchObject({ answer: '5', isRight: true, potentials: [1, 1] });
  });

  it('is judged by what follows the last equals sign', () => {
    expect(solo('4*2=7+6;7+6=5<eot>')).toMatchObject({ answer: '5', isRight: true });
    expect(solo('4*2=7+6;7+6=5<eot>').perTurn[0]?.parts.rewrite).toBe(0);
    expect(solo('4*2=7+8<eot>')).toMatchObject({ answer: null, isRight: false, potentials: [1, 1] });
    expect(reasons(solo('4*3=7+8;7+8=3<eot>'))).toEqual(['4*3 is not in 7+4*2; the answer was 5, but 3 was given']);
    expect(reasons(solo('4*2=7=5<eot>'))).toEqual(['4*2=7=5 is not a step; the answer is 5']);
  });

  it('that was cut has no answer', () => {
    expect(solo('4*2=7+8;7+8=5')).toMatchObject({ answer: null, isRight: false, potentials: [1, 0] });
  });
});

describe('a team that answers', () => {
  const right = '4*2=7+8;7+8=5<eot>';
  const other = '7+4=1*2;1*2=2<eot>';

  it('gives the last answer of most agents, and of equally frequent ones the first', () => {
    expect(answers(3, [right, right, other])).toMatchObject({ answer: '5', isRight: true });
    expect(answers(3, [right, other, other])).toMatchObject({ answer: '2', isRight: false });
    expect(answers(2, [right, other])).toMatchObject({ answer: '5', isRight: true });
    expect(answers(2, [other, right])).toMatchObject({ answer: '2', isRight: false });
    expect(answers(2, [other, other, right, right])).toMatchObject({ answer: '5', isRight: true });
    expect(answers(3, ['+<eot>', '+<eot>', right])).toMatchObject({ answer: '5', isRight: true });
    expect(answers(2, ['4*2=7+8;7+8=5', '+<eot>'])).toMatchObject({ answer: null, isRight: false });
  });

  it('gives the answer of its leader if one agent answers for all', () => {
    expect(answers(3, [right, right, other], 2)).toMatchObject({ answer: '2', isRight: false });
    expect(answers(3, [right, right], 2)).toMatchObject({ answer: null, isRight: false });
  });

  it('records for every turn whether it was right, and rewards each agent for its last answer', () => {
    const { perTurn } = answers(2, [other, right, right, right]);
    expect(perTurn.map(({ isRight }) => isRight)).toEqual([false, true, true, true]);
    expect(perTurn.map(({ score }) => score)).toEqual([0.75, 1, 1, 1]);
    expect(perTurn.map(({ parts }) => parts.rightAnswer)).toEqual([0, 0, 1, 1]);
    expect(perTurn.map(({ parts }) => parts.finished)).toEqual([0, 0, 0, 1]);
    expect(perTurn.map(({ reason }) => reasonInEnglish(reason))).toEqual([
      '',
      '',
      'the answer is 5',
      'the answer is 5; the team says 5',
    ]);
  });

  it('has Φ equal to the share of its agents that can still be right', () => {
    expect(answers(2, [right, other, right, right]).potentials).toEqual([1, 1, 0.5, 0.5, 1]);
  });
});

it('the score of an answer is 1 if it is right, and otherwise 0.75 times its share of right steps', () => {
  const score = (text: string, isTruncated = false) =>
    judge(problem, { role: 'reasoning', text, isFinish: false, isTruncated }).score;
  expect([score('4*2=7+8;7+8=5'), score('5'), score('4*2=7+6;7+6=5')]).toEqual([1, 1, 1]);
  expect(score('7+4=1*2;1*2=2')).toBe(0.75);
  expect([score('7+4=1*2;1*2=3'), score('4*2=7+8'), score('4*2=7+8;7+8=5=1')]).toEqual([0.375, 0.375, 0.375]);
  expect([score('8'), score(''), score('4*3=2'), score('4*2=7+8;7+8=5', true)]).toEqual([0, 0, 0, 0]);
});

it('any text is assessed without failing, turn for turn, with parts of 0 or 1, and the same way twice', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'0123456789+-*=;') }),
    fc.constantFrom('4*2', '7+8', '5', '7+4*2'),
    fc.string({ unit: 'binary' }),
  );
  const message = fc.record({
    role: fc.constantFrom('metaThinking' as const, 'reasoning' as const),
    text,
    isFinish: fc.boolean(),
    isTruncated: fc.boolean(),
    agent: fc.nat({ max: 2 }),
  });
  const protocols = protocolNames.map((name) => {
    if (name === 'reMA') return reMA;
    return name === 'single' ? single : { ...team(3, name === 'summary' ? 2 : 'majority'), name };
  });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), fc.constantFrom(...protocols), (given, used) => {
      const messages = used === single ? given.map((said) => ({ ...said, agent: 0 })) : given;
      const result = assess(problem, messages, used);
      expect(result.perTurn).toHaveLength(messages.length);
      expect(result.potentials).toHaveLength(messages.length + 1);
      const values = result.perTurn.flatMap(({ parts }) => Object.values(parts));
      expect(values.every((value) => value === 0 || value === 1)).toBe(true);
      expect(result.potentials.every((value) => value >= 0 && value <= 1)).toBe(true);
      const paid = result.perTurn.filter(({ parts }) => parts.rightAnswer === 1).length;
      if (used === reMA || used === single) expect(paid).toBe(result.isRight ? 1 : 0);
      else if (result.isRight) expect(paid).toBeGreaterThan(0);
      expect(assess(problem, messages, used)).toEqual(result);
    }),
  );
});
