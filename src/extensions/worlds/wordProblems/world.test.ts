import { describe, expect, it } from 'vitest';
import { reasonInEnglish } from '../../../base/spoken.ts';
import { Draws, streams } from '../../../base/random.ts';
import { stepNames } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import { tokenizerOf } from '../../../text/tokenizer.ts';
import { battery } from '../../../tasks/testing/battery.ts';
import { trajectoryAbout } from '../../../tasks/testing/trajectories.ts';
import { answerShares, drawSum, givenOf, operatorOf, valueOf } from './sums.ts';
import { world } from './world.ts';

battery(world, ['reMA', 'single', 'pioneerObserver', 'debate', 'vote', 'summary']);

/** A story with the two steps `2 * 7` and `+ 4`, in which 5 is irrelevant. */
const problem: Problem = {
  ...{ id: 'a', world: 'wordProblems', level: 2, shown: 'How many cups does Ben have?', answer: '18', slice: 'add' },
  hidden: { story: 'Ann has two bags with seven cups in each. Tom has five coins. Ben has four more than Ann.' },
  given: {
    start: 2,
    steps: [
      { operator: '*', number: 7 },
      { operator: '+', number: 4 },
    ],
    others: [5],
  },
};

const { dialogue, reasons, alone: said } = trajectoryAbout(world, problem);

describe('a dialogue', () => {
  const right = ['2*7<eot>', '14<eot>', '14+4<eot>', '18<eot>', '<finish>'];

  it('that follows the story earns every part', async () => {
    const { perTurn, answer, isRight, potentials } = await dialogue(right);
    expect({ answer, isRight, potentials }).toEqual({ answer: '18', isRight: true, potentials: [1, 1, 1, 1, 1, 1] });
    expect(perTurn.map(({ parts }) => [parts['nextStep'], parts['result'], parts['finished'] ?? 0])).toEqual([
      [1, 0, 0],
      [0, 1, 0],
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]);
    expect(perTurn.map(({ reason }) => reasonInEnglish(reason))).toEqual(['', '', '', '', 'the answer is 18']);
  });

  it('may swap the numbers of a sum or a product, but not of a difference', async () => {
    expect((await reasons('7*2<eot>', '14<eot>', '4+14<eot>')).slice(0, 2)).toEqual(['', '']);
    expect((await reasons('7*2<eot>', '14<eot>', '4-14<eot>'))[2]).toContain(
      '14+4 was the next step, but 4-14 was given',
    );
  });

  it('gives the reason for each wrong step', async () => {
    expect(await reasons('2+7<eot>', '8<eot>', '<finish>')).toEqual([
      '2*7 was the next step, but 2+7 was given',
      '9 was expected, but 8 was given',
      'the planner finished with 2 steps left to do; the answer was 18, but 8 was given',
    ]);
    expect((await reasons('2*7<eot>', '14', '14+4<eot>')).slice(1)).toEqual([
      'the reply was cut',
      'there is no number to continue from; not finished; no number was given',
    ]);
    expect((await reasons('seven<eot>', '7<eot>'))[0]).toBe('seven is not an operation');
    expect((await reasons(...right.slice(0, 4), '18*1<eot>'))[4]).toContain('nothing is left to do');
  });

  it('has Φ = 0 as soon as the right answer cannot be reached', async () => {
    expect((await dialogue(['2*7<eot>', '15<eot>', '15+4<eot>', '19<eot>'])).potentials).toEqual([1, 1, 0, 0, 0]);
    expect((await dialogue(['2+7<eot>'], false)).prospect).toBe(0);
    expect((await dialogue(['2*7<eot>'], false)).prospect).toBe(1);
  });

  it('is not right without the finish token', async () => {
    expect(await dialogue(right.slice(0, 4))).toMatchObject({ answer: '18', isRight: false });
  });
});

describe('an answer in one turn', () => {
  it('is the text after the last equals sign, and its steps are parts of its reward', async () => {
    const all = { nextStep: 1, result: 1, rightAnswer: 1, finished: 1, format: 1 };
    expect(await said('2*7=14;14+4=18<eot>')).toEqual({
      answer: '18',
      isRight: true,
      score: 1,
      parts: all,
      reason: 'the answer is 18',
    });
    expect(await said('2*7=14<eot>')).toMatchObject({
      ...{ answer: '14', isRight: false, score: 0.375, parts: { nextStep: 0, result: 1 } },
      reason: 'steps are left to do; the answer was 18, but 14 was given',
    });
    expect(await said('2*7=14;14+5=19<eot>')).toMatchObject({ score: 0.375, parts: { nextStep: 0, result: 0 } });
  });

  it('that was cut counts as no answer', async () => {
    expect(await said('2*7=14;14+4=18')).toMatchObject({ answer: null, isRight: false, score: 0 });
  });
});

describe('a story', () => {
  const levels = world.levels.map(({ level }) => level);

  it.each(levels)('of level %i leads to its answer, and its distractors do not belong to the steps', (level) => {
    const draws = new Draws(9, streams.problems, level);
    for (let i = 0; i < 1_000; i++) {
      const { slice, answer, given, hidden } = world.draw(level, draws, 'training');
      const { start, steps, others } = givenOf({ given });
      expect(`${valueOf(start, steps)}`).toBe(answer);
      expect(Number(answer)).toBeGreaterThan(0);
      expect(Number(answer)).toBeLessThan(100);
      expect(operatorOf[slice as 'add']).toBe(steps.at(-1)?.operator);
      expect([steps.length, others.length]).toEqual([level, level === 1 ? 0 : 1]);
      expect(hidden['story']).not.toContain('undefined');
    }
  });

  it('of the harder split has one more step and one more distractor', () => {
    const { steps, others } = givenOf(world.draw(3, new Draws(1, streams.problems, 0), 'harder'));
    expect([steps.length, others.length]).toEqual([4, 2]);
  });

  it('is written in natural English', () => {
    const tokenizer = tokenizerOf(world.tokenizers['words']!);
    const text = world.view(problem, ['story']);
    expect(text).toContain('<bos> Ann has two bags with seven cups in each. Tom has five coins.');
    expect(
      tokenizer
        .encode(text)
        .slice(1, 9)
        .map((id) => tokenizer.token(id)),
    ).toEqual([' Ann', ' has', ' two', ' bags', ' with', ' seven', ' cups', ' in']);
    expect(world.view(problem, [])).toBe('<bos> How many cups does Ben have?<eot>');
  });
});

describe('the ceiling without the story', () => {
  it('is at most a tenth: the frequency of the most likely answer', () => {
    for (const { level } of world.levels) expect(world.ceiling(level, [])).toBeLessThanOrEqual(0.1);
    // After one step the most likely answer is 1, because in seven of the 28 possible subtractions the two numbers
    // differ by 1.
    const pairs = (last: '+' | '-' | '*', answer: number) =>
      answerShares({ steps: 1, hasUnit: false, last }).get(answer) ?? 0;
    expect(pairs('-', 1)).toBeCloseTo(7 / 28, 12);
    expect(pairs('*', 12)).toBeCloseTo(4 / 64, 12);
    expect(world.ceiling(1, [])).toBeCloseTo(7 / 28 / 3, 12);
  });

  it('agrees with the frequencies of drawn problems', () => {
    const options = { steps: 3, hasUnit: true, last: '-' as const };
    const draws = new Draws(2, streams.problems, 0);
    const drawn = Array.from({ length: 20_000 }, () => drawSum(draws, options));
    const shares = answerShares(options);
    expect([...shares.values()].reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    for (const answer of [1, 5, 20, 50]) {
      const share = drawn.filter(({ start, steps }) => valueOf(start, steps) === answer).length / drawn.length;
      expect(Math.abs(share - (shares.get(answer) ?? 0))).toBeLessThan(0.005);
    }
  });

  it('applies to slices of equal size', () => {
    const slices = world.heldOut(1, 300).map(({ slice }) => slice);
    for (const name of stepNames) expect(slices.filter((slice) => slice === name)).toHaveLength(100);
  });
});
