import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../../base/random.ts';
import { ConfigError } from '../../../base/errors.ts';
import { ruleNames } from './form.ts';
import { splitOf } from '../../../tasks/splits.ts';
import { world as houseRule } from './world.ts';
import { parseExpression, placesOf, printExpression, printOperation } from './expression.ts';
import { largestNumber, levelOf } from './levels.ts';
import {
  bestGuess,
  ceiling,
  drawProblem,
  everyExpression,
  heldOutProblems,
  isPlain,
  problemOf,
  rulesAgreeing,
} from './problems.ts';
import { applyOperation, evaluate, nextOperation, ruleOf } from './rules.ts';

const levels = houseRule.levels.map(({ level }) => level);
const drawn = (level: number, seed: number, count = 300) => {
  const draws = new Draws(seed, streams.problems, 0);
  return Array.from({ length: count }, () => drawProblem(level, draws, 'training'));
};

describe('a drawn problem', () => {
  it.each(levels)('of level %i has the answer of its rule, and another answer under another rule', (level) => {
    const { modulus, operations } = levelOf(level);
    for (const problem of drawn(level, 1)) {
      const expression = parseExpression(problem.shown)!;
      expect(expression.operators).toHaveLength(operations);
      const answers = ruleNames.map((rule) => `${evaluate(expression, rule, modulus)}`);
      expect(problem.answer).toBe(answers[ruleNames.indexOf(ruleOf(problem))]);
      expect(new Set(answers).size).toBeGreaterThan(1);
    }
  });

  it.each(levels)('of level %i has an unambiguous operation at each step of each rule, and small numbers', (level) => {
    const { modulus } = levelOf(level);
    for (const problem of drawn(level, 2)) {
      for (const rule of ruleNames) {
        let working = parseExpression(problem.shown)!;
        for (let next = nextOperation(working, rule); next >= 0; next = nextOperation(working, rule)) {
          expect(placesOf(parseExpression(printOperation(working, next))!, working)).toEqual([next]);
          working = applyOperation(working, next, modulus);
          expect(Math.max(...working.numbers.map(Math.abs))).toBeLessThanOrEqual(largestNumber);
        }
      }
    }
  });

  it('of the level with division always contains a division, without remainder by every rule', () => {
    for (const { shown } of drawn(5, 5)) {
      expect(shown).toContain('/');
      for (const rule of ruleNames) expect(evaluate(parseExpression(shown)!, rule, null)).not.toBeNull();
    }
  });

  it('has each rule about as often', () => {
    const problems = drawn(1, 3, 3_000);
    for (const rule of ruleNames) {
      const share = problems.filter((problem) => problem.slice === rule).length / problems.length;
      expect(share).toBeGreaterThan(0.3);
      expect(share).toBeLessThan(0.37);
    }
  });

  it('is refused at a level that does not exist', () => {
    expect(() => drawProblem(6, new Draws(1, streams.problems, 0), 'training')).toThrow(ConfigError);
    expect(() => ceiling(0, [])).toThrow('world.level: expected 1 to 5, got 0');
  });
});

describe('the split', () => {
  it.each(levels)('harder of level %i has held-out problems without intermediate results of one digit', (level) => {
    const draws = new Draws(4, streams.problems, 0);
    const { modulus } = levelOf(level);
    for (let i = 0; i < 50; i++) {
      const problem = drawProblem(level, draws, 'harder');
      expect(splitOf(problem.shown)).toBe('heldOut');
      let working = parseExpression(problem.shown)!;
      const rule = ruleOf(problem);
      for (let next = nextOperation(working, rule); next >= 0; next = nextOperation(working, rule)) {
        expect(/^\d$/.test(`${applyOperation(working, next, null).numbers[next]}`)).toBe(false);
        working = applyOperation(working, next, modulus);
      }
    }
  });

  it('holds out about a fifth of level 1', () => {
    const asked = [...everyExpression(1)]
      .filter((expression) => rulesAgreeing(expression, 10) > 0)
      .map(printExpression);
    const share = asked.filter((text) => splitOf(text) === 'heldOut').length / asked.length;
    expect(share).toBeGreaterThan(0.18);
    expect(share).toBeLessThan(0.22);
  });

  it('keeps its hash: these expressions never change their split', () => {
    expect(['7+4*2', '1-2*9', '3-4-5', '2*4+3+2'].map(splitOf)).toEqual(
      'training heldOut training training'.split(' '),
    );
  });
});

it('the held-out problems of a small level repeat only after all of them were used', () => {
  const population = [...everyExpression(1)].filter(
    (expression) => rulesAgreeing(expression, 10) > 0 && splitOf(printExpression(expression)) === 'heldOut',
  );
  const everything = heldOutProblems(1, 3 * population.length);
  expect(new Set(everything.map(({ id }) => id)).size).toBe(3 * population.length);
});

describe('the ceiling without messages', () => {
  it('of level 1 is two thirds: two orders of two operations, so two rules always agree', () => {
    let best = 0;
    let count = 0;
    for (const expression of everyExpression(1)) {
      const answers = ruleNames.map((rule) => evaluate(expression, rule, 10));
      if (rulesAgreeing(expression, 10) === 0) continue;
      best += Math.max(...answers.map((a) => answers.filter((b) => b === a).length)) / 3;
      count++;
    }
    expect(ceiling(1, [])).toBeCloseTo(best / count, 10);
    expect(ceiling(1, [])).toBeCloseTo(2 / 3, 10);
    expect(ceiling(1, [])).toBeLessThanOrEqual(0.67);
    expect(ceiling(1, ['rule'])).toBe(1);
  });

  it('is a mean over rules: multiplication first is right in more of the 512 measured problems', () => {
    // If two rules give the same answer to a problem of level 1, one of them is “multiplication first”. The problem's
    // own rule may be the third rule, so the answer that two rules give is not always right.
    const right = heldOutProblems(1, 512).filter(({ shown, answer }) => {
      const [first, sign, second, other, third] = [...shown] as [string, string, string, string, string];
      const [a, b, c] = [first, second, third].map(Number) as [number, number, number];
      const of = {
        '+': (x: number, y: number) => x + y,
        '-': (x: number, y: number) => x - y,
        '*': (x: number, y: number) => x * y,
      };
      type Sign = keyof typeof of;
      const isRightFirst = other === '*' && sign !== '*';
      const value = isRightFirst ? of[sign as Sign](a, of[other](b, c)) : of[other as Sign](of[sign as Sign](a, b), c);
      return String(((value % 10) + 10) % 10) === answer;
    });
    expect(right).toHaveLength(355);
    expect(bestGuess(1, 512)).toBe(355 / 512);
    expect(bestGuess(1, 512)).toBeGreaterThan(ceiling(1, []));
    expect(bestGuess(3, 64)).toBeLessThan(1);
  });

  it('falls as expressions get longer, and is always above a third', () => {
    const ceilings = [1, 2, 5, 3, 4].map((level) => ceiling(level, []));
    expect(ceilings.toSorted((a, b) => b - a)).toEqual(ceilings);
    expect(Math.min(...ceilings)).toBeGreaterThan(1 / 3);
  });
});

it('a problem is plain if only its rule gives its answer, without a negative number on the way', () => {
  const plain = (shown: string, rule: (typeof ruleNames)[number]) => isPlain(problemOf(1, shown, rule));
  expect(plain('9-2-3', 'leftToRight')).toBe(false); // as by multiplication first
  expect(plain('9-5-3', 'rightToLeft')).toBe(true);
  expect(plain('4-6-1', 'rightToLeft')).toBe(false); // 4 − 5 is below 0
  expect(plain('2+2*2', 'leftToRight')).toBe(true);
  expect(plain('2+2*2', 'rightToLeft')).toBe(false);
});
