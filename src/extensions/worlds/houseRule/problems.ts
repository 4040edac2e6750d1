// Determines which expressions occur in problems. The hidden rule must matter, so at least two rules must lead to
// different answers. The text of an operation must also identify the operation: in every step by every rule, the text
// of the next operation must occur only once in the expression. Training and held-out problems are separated by a hash
// of the expression, without its rule. Therefore, no held-out expression occurs in training with another rule.
import { FormatError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import { Draws, streams, type RandomNumbers } from '../../../base/random.ts';
import { ruleNames, type RuleName } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import { splitOf } from '../../../tasks/splits.ts';
import type { Split } from '../../../tasks/world.ts';
import { isUnambiguous, parseExpression, printExpression, type Expression, type Operator } from './expression.ts';
import { largestNumber, levelOf } from './levels.ts';
import { evaluate, nextOperation, resultOf, ruleOf, type Modulus } from './rules.ts';

/**
 * The number of random expressions from which the ceiling is computed at levels that have too many expressions to
 * enumerate.
 */
const ceilingSample = 2_000;

/**
 * The answer by a rule. Null if the text of a step's operation occurs twice, if a division leaves a remainder, or if a
 * number exceeds the limit.
 */
function answerAlong(expression: Expression, rule: RuleName, modulus: Modulus): number | null {
  const working = { numbers: expression.numbers.slice(), operators: expression.operators.slice() };
  for (let index = nextOperation(working, rule); index >= 0; index = nextOperation(working, rule)) {
    if (!isUnambiguous(working, index)) return null;
    const result = resultOf(working, index, modulus);
    if (!(Math.abs(result) <= largestNumber)) return null;
    closeUp(working, index, result);
  }
  return working.numbers[0] as number;
}

/**
 * Does the same as `replaceOperation`, but in place. All expressions of level 2 are enumerated before a run starts, so
 * this code must be fast.
 */
function closeUp(
  { numbers, operators: joined }: { numbers: number[]; operators: Operator[] },
  index: number,
  result: number,
) {
  numbers[index] = result;
  for (let i = index + 1; i < joined.length; i++) {
    numbers[i] = numbers[i + 1] as number;
    joined[i - 1] = joined[i] as Operator;
  }
  numbers.pop();
  joined.pop();
}

/**
 * The size of the largest group of rules that give the same answer. The size is 0 if the expression must not occur in
 * problems, for example because all rules give the same answer.
 */
export function rulesAgreeing(expression: Expression, modulus: Modulus): number {
  const answers: number[] = [];
  for (const rule of ruleNames) {
    const answer = answerAlong(expression, rule, modulus);
    if (answer === null) return 0;
    answers.push(answer);
  }
  const [a, b, c] = answers;
  const pairs = Number(a === b) + Number(b === c) + Number(a === c);
  return pairs === 3 ? 0 : pairs + 1;
}

function drawNumber(draws: RandomNumbers, digits: 1 | 2, modulus: Modulus): number {
  if (modulus !== null) return draws.below(modulus);
  const largest = digits === 2 && draws.below(2) === 1 ? 99 : 9;
  return draws.below(2 * largest + 1) - largest;
}

/** Whether the expression contains a division, but no division of 0, and no division by 0, 1 or −1. */
function dividesInEarnest({ numbers, operators }: Expression): boolean {
  let divisions = 0;
  for (let i = 0; i < operators.length; i++) {
    if (operators[i] !== '/') continue;
    if (numbers[i] === 0 || Math.abs(numbers[i + 1] as number) <= 1) return false;
    divisions++;
  }
  return divisions > 0;
}

/**
 * A random expression that may occur in a problem. At levels with division, the expression contains at least one
 * division.
 */
function drawExpression(level: number, draws: RandomNumbers): Expression {
  const { operations, operators, modulus, digits } = levelOf(level);
  const divides = operators.includes('/');
  // At levels with division, most random expressions are rejected, so this loop must be fast.
  for (;;) {
    const numbers: number[] = [];
    const chosen: Operator[] = [];
    for (let i = 0; i <= operations; i++) numbers.push(drawNumber(draws, digits, modulus));
    for (let i = 0; i < operations; i++) chosen.push(draws.pick(operators));
    const expression = { numbers, operators: chosen };
    if (divides && !dividesInEarnest(expression)) continue;
    if (rulesAgreeing(expression, modulus) > 0) return expression;
  }
}

/** Makes the problem that consists of this expression and this rule. */
export function problemOf(level: number, expression: string, rule: RuleName): Problem {
  const parsed = parseExpression(expression);
  const answer = parsed && evaluate(parsed, rule, levelOf(level).modulus);
  return {
    ...{ id: `${expression}|${rule}`, world: 'houseRule', level, shown: expression, hidden: { rule: `<${rule}>` } },
    ...{ answer: `${answer}`, slice: rule, given: { rule } },
  };
}

/**
 * The problem of a sum and a rule that a user typed. Throws FormatError if the text is not a sum, or if it exceeds the
 * limits of this level.
 */
export function readProblem(
  { shown, hidden }: { shown: string; hidden: Readonly<Record<string, string>> },
  level: number,
): Problem {
  const text = shown.replaceAll(/\s/g, '').replaceAll(/[×x·]/g, '*').replaceAll('÷', '/').replaceAll('−', '-');
  const refuse = (why: string) => new FormatError(`${spoken`the sum`}: ${why}`);
  const expression = parseExpression(text);
  if (!expression)
    throw refuse(spoken`expected whole numbers with +, −, × or ÷ between them, such as 7+4*2, got “${shown.trim()}”.`);
  const { operations, operators, modulus, digits } = levelOf(level);
  const { length } = expression.operators;
  if (length === 0) throw refuse(spoken`expected at least one operation, such as 7+4, got only a number.`);
  if (length > operations)
    throw refuse(spoken`level ${level} allows at most ${operations} operations, got ${length}; shorten the sum.`);
  const foreign = expression.operators.find((operator) => !operators.includes(operator));
  if (foreign)
    throw refuse(spoken`level ${level} has no ${foreign === '/' ? '÷' : foreign}; use ${operators.join(' ')}.`);
  const [low, high] = modulus === null ? [1 - 10 ** digits, 10 ** digits - 1] : [0, modulus - 1];
  const outside = expression.numbers.find((number) => number < low || number > high);
  if (outside !== undefined)
    throw refuse(spoken`level ${level} allows only numbers from ${low} to ${high}, got ${outside}.`);
  const rule = ruleNames.find((name) => hidden['rule'] === `<${name}>`);
  if (!rule) throw refuse(spoken`expected one of the rules; choose one.`);
  if (evaluate(expression, rule, modulus) === null)
    throw refuse(spoken`under this rule a division leaves a remainder, so the sum has no answer; change the sum.`);
  return problemOf(level, text, rule);
}

/**
 * One problem of a split, with a rule that is drawn uniformly. Problems of the harder split are held-out problems in
 * which the result of every step is below 0 or above 9 before the modulus is applied.
 */
export function drawProblem(level: number, draws: RandomNumbers, split: Split): Problem {
  for (;;) {
    const expression = drawExpression(level, draws);
    const text = printExpression(expression);
    if (splitOf(text) !== (split === 'training' ? split : 'heldOut')) continue;
    const rule = draws.pick(ruleNames);
    if (split !== 'harder' || leavesDigits(expression, rule, levelOf(level).modulus))
      return problemOf(level, text, rule);
  }
}

/** Whether the result of every step by a rule is below 0 or above 9 before the modulus is applied. */
function leavesDigits({ numbers, operators }: Expression, rule: RuleName, modulus: Modulus): boolean {
  const working = { numbers: numbers.slice(), operators: operators.slice() };
  for (let index = nextOperation(working, rule); index >= 0; index = nextOperation(working, rule)) {
    const exact = resultOf(working, index, null);
    if (exact >= 0 && exact <= 9) return false;
    closeUp(working, index, resultOf(working, index, modulus));
  }
  return true;
}

/** Whether only the problem's own rule gives the right answer, and no intermediate result is below 0. */
export function isPlain(problem: Problem): boolean {
  const { modulus } = levelOf(problem.level);
  const expression = parseExpression(problem.shown);
  if (!expression) return false;
  const rule = ruleOf(problem);
  const isAlone = ruleNames.every(
    (other) => other === rule || `${evaluate(expression, other, modulus)}` !== problem.answer,
  );
  const working = { numbers: expression.numbers.slice(), operators: expression.operators.slice() };
  for (let index = nextOperation(working, rule); index >= 0; index = nextOperation(working, rule)) {
    if (resultOf(working, index, null) < 0) return false;
    closeUp(working, index, resultOf(working, index, modulus));
  }
  return isAlone && expression.numbers.every((number) => number >= 0);
}

/**
 * Every expression of a level, including those that must not occur in problems; only for levels that keep the last
 * digit.
 */
export function* everyExpression(level: number): Generator<Expression> {
  const { operations, operators, modulus } = levelOf(level);
  if (modulus === null) return;
  const digitSets = modulus ** (operations + 1);
  for (let code = 0; code < operators.length ** operations; code++) {
    const chosen = Array.from(
      { length: operations },
      (_, i) => operators[Math.floor(code / operators.length ** i) % operators.length] as Operator,
    );
    for (let digits = 0; digits < digitSets; digits++) {
      const numbers = Array.from({ length: operations + 1 }, (_, i) => Math.floor(digits / modulus ** i) % modulus);
      yield { numbers, operators: chosen };
    }
  }
}

interface Population {
  ceiling: number;
  /** Held-out expressions in a fixed random order. */
  heldOut: string[];
}
const populations = new Map<number, Population>();

/**
 * The held-out expressions and the ceiling of a level, from all its expressions or, if there are too many, from a fixed
 * sample.
 */
function population(level: number): Population {
  const known = populations.get(level);
  if (known) return known;
  const { modulus } = levelOf(level);
  const draws = new Draws(0, streams.heldOut, level);
  const sample = () => Array.from({ length: ceilingSample }, () => drawExpression(level, draws));
  let agreeing = 0;
  let count = 0;
  const heldOut = new Set<string>();
  for (const expression of modulus === null ? sample() : everyExpression(level)) {
    const most = rulesAgreeing(expression, modulus);
    if (most === 0) continue;
    agreeing += most;
    count++;
    const text = printExpression(expression);
    if (splitOf(text) === 'heldOut') heldOut.add(text);
  }
  const found = { ceiling: agreeing / (ruleNames.length * count), heldOut: draws.shuffle([...heldOut]) };
  populations.set(level, found);
  return found;
}

/**
 * The maximum accuracy. The maximum is 1 for an agent that sees the rule. Otherwise, the best strategy is to choose,
 * for each expression, the answer that most of the three rules give. The maximum is then the average share of rules
 * that give this answer. At levels 1 and 2 it is computed by enumeration, and at higher levels from a fixed sample of
 * 2,000 expressions.
 */
export function ceiling(level: number, sees: readonly string[]): number {
  return sees.includes('rule') ? 1 : population(level).ceiling;
}

/**
 * The fixed problems of the evaluation. The problems are the same in every run, all different, and have all rules
 * equally often.
 */
export function heldOutProblems(level: number, count: number): Problem[] {
  const { heldOut } = population(level);
  const expressions = levelOf(level).modulus === null ? moreHeldOut(level, count) : heldOut;
  return Array.from({ length: Math.min(count, expressions.length * ruleNames.length) }, (_, i) => {
    const place = i % expressions.length;
    const pass = Math.floor(i / expressions.length); // a second pass gives every expression another rule
    const rule = ruleNames[(place + pass) % ruleNames.length] as RuleName;
    return problemOf(level, expressions[place] as string, rule);
  });
}

/** The best accuracy that an agent can reach on the fixed problems if it applies the same rule to all of them. */
export function bestGuess(level: number, count: number): number {
  const problems = heldOutProblems(level, count);
  const rightBy = (rule: RuleName) =>
    problems.filter(({ shown, answer }) => problemOf(level, shown, rule).answer === answer).length;
  return Math.max(...ruleNames.map(rightBy)) / count;
}

function moreHeldOut(level: number, count: number): string[] {
  const draws = new Draws(1, streams.heldOut, level);
  const expressions = new Set<string>();
  while (expressions.size < count) {
    const text = printExpression(drawExpression(level, draws));
    if (splitOf(text) === 'heldOut') expressions.add(text);
  }
  return [...expressions];
}
