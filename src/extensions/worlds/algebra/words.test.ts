import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../config/parse.ts';
import type { ProtocolName } from '../../../config/protocols/facts.ts';
import { protocolsFor } from '../../../config/worlds/rules.ts';
import type { Problem } from '../../../records/problem.ts';
import { protocolOf } from '../../../records/protocol.ts';
import type { Duty } from '../../../tasks/inWords/names.ts';
import type { InWords } from '../../../tasks/world.ts';
import { problemOf } from './problems.ts';
import * as words from './words.ts';
import { withWords } from '../../../tasks/inWords/inWordsFrom.ts';
import { chatIn, judgesAlike, readsAnyText, type MessageOf } from '../../../tasks/testing/words.ts';
import { world as untold } from './world.ts';

const world = withWords(untold, words);

const inWords = world.inWords as InWords;
const problem = problemOf(1, '3x-4=11;2y+5=9', 'x');
const settings = (protocol: ProtocolName, more = {}) => ({ ...parseConfig({}).agents, count: 3, protocol, ...more });

/** The chat of an agent that has heard these messages. */
const chat = (name: ProtocolName, agent: number, said: readonly MessageOf[] = [], about = problem) =>
  chatIn(world, about, [name, agent, said]);
const lastOf = (...given: Parameters<typeof chat>) => chat(...given).at(-1)?.content;

describe('the chat', () => {
  const equations = 'Equation 1: 3x - 4 = 11. Equation 2: 2y + 5 = 9.';
  const next =
    'Write only the next move, such as "Add 1 to both sides of equation 1." or "Divide both sides by 2." If the unknown stands alone, write [FINISH].';
  const step = 'Make only this move. Write only the new equation.';
  const answer =
    'Write every move with its result, such as: Add 1 to both sides of equation 1: 2x = 6. Divide both sides by 2: x = 3.';

  it('of a planner contains the unknown, and asks for a move', () => {
    expect(
      chat('reMA', 0, [
        [0, 'Add 4 to both sides of equation 1.'],
        [1, '3x = 15'],
      ]),
    ).toEqual([
      {
        role: 'system',
        content:
          'You are the planner of a team. You decide what to do next, and the reasoner does it. When the answer has been found, write [FINISH].',
      },
      { role: 'user', content: `${equations} Find x. ${next}` },
      { role: 'assistant', content: 'Add 4 to both sides of equation 1.' },
      { role: 'user', content: `The reasoner says: "3x = 15" ${next}` },
    ]);
  });

  it('of a reasoner contains the plan, and asks for the new equation', () => {
    expect(lastOf('reMA', 1, [[0, 'Add 4 to both sides of equation 1.']])).toBe(
      `${equations} The planner says: "Add 4 to both sides of equation 1." ${step}`,
    );
  });

  it('of an agent that answers asks for all moves', () => {
    expect(lastOf('single', 0)).toBe(`${equations} One of the two unknowns must be found. Find x. ${answer}`);
    expect(lastOf('summary', 2, [[0, 'x = 5']])).toBe(
      `${equations} One of the two unknowns must be found. A member says: "x = 5" ${answer}`,
    );
    expect(
      lastOf('debate', 1, [
        [1, 'y = 2'],
        [0, 'x = 5'],
      ]),
    ).toBe(`The other debater says: "x = 5" Consider what you have heard. ${equations} ${answer}`);
  });

  it('gives an example of the same kind as the problem', () => {
    expect(lastOf('reMA', 0, [], problemOf(3, 'x+2y=8;x-y=2', 'y'))).toContain(
      'Equation 2: x - y = 2. Find y. Write only the next move, such as "Subtract 2 times equation 2 from equation 1."',
    );
    expect(lastOf('single', 0, [], problemOf(4, '-2x+3<9;3y-4>8', 'x'))).toBe(
      'Inequality 1: -2x + 3 < 9. Inequality 2: 3y - 4 > 8. One of the two unknowns must be found. Find x. Write every move with its result, such as: Add 1 to both sides of inequality 1: 2x < 6. Divide both sides by 2: x < 3.',
    );
  });

  it.each(protocolsFor(world))('does not depend on the unknown if the agent does not see it (%s)', (name) => {
    const other = problemOf(1, '3x-4=11;2y+5=9', 'y');
    for (const [agent, sees] of protocolOf(settings(name), world).sees.entries()) {
      const isEqual = JSON.stringify(chat(name, agent)) === JSON.stringify(chat(name, agent, [], other));
      expect(isEqual).toBe(sees.length === 0);
    }
  });
});

const read = (duty: Duty, text: string, about: Problem = problem) =>
  inWords.fromWords(about, { role: 'reasoning', agent: 0, duty, text });

describe('a message', () => {
  it.each<[Duty, string, string, boolean?]>([
    ['plan', 'Add 4 to both sides of equation 1.', '(1)+4', true],
    ['plan', 'Divide both sides by -4.', '/-4', true],
    ['plan', 'Subtract 5x from both sides.', '-5x', true],
    ['plan', 'Subtract 3 times equation 1 from equation 2.', '(2)-3(1)', true],
    ['plan', 'Add equation 2 to equation 1.', '(1)+(2)', true],
    ['plan', '', '', true],
    ['plan', '(1) − 2(2)', '(1)-2(2)'],
    ['plan', 'Next, add 4 to the first equation', '(1)+4'],
    ['plan', 'subtract -1x from both sides of Eq. 2', '(2)+x'],
    ['plan', 'We multiply equation (2) by 3: 6y = 12', '(2)*3'],
    ['plan', 'Take twice the second equation away from equation one.', '(1)-2(2)'],
    ['plan', 'Divide both sides by 0.', 'Divide both sides by 0.'],
    ['plan', 'Subtract equation 1 from equation 1.', 'Subtract equation 1 from equation 1.'],
    ['plan', 'Solve for x.', 'Solve for x.'],
    ['step', '3x = 15', '3x=15', true],
    ['step', '-4y + 3 > -32', '-4y+3>-32', true],
    ['step', 'The new equation is 3 * x = 15.', '3x=15'],
    ['alone', '2y + 5 - 5 = 9 - 5, so 2y = 9 - 5 = 4', '2y=4'],
    ['step', 'x is greater than −3', 'x>-3'],
    ['step', 'x = 2.5', 'x = 2.5'],
    ['step', 'x = 5/2 <eot>', 'x = 5/2 <eot>'],
    [
      'answer',
      'Add 4 to both sides of equation 1: 3x = 15. Divide both sides by 3: x = 5.',
      '(1)+4;3x=15;/3;x=5',
      true,
    ],
    ['answer', 'Add 4 to equation 1: 3x - 4 + 4 = 11 + 4, 3x = 15.\nDividing by 3 gives X = 5', '(1)+4;3x=15;/3;x=5'],
    ['answer', 'Add 4 to both sides of equation 1. Divide both sides by 3: x = 5.', '(1)+4;;/3;x=5'],
    ['tell', 'So x is 5.', 'x=5'],
    ['answer', 'x = 5', 'x=5'],
    ['answer', 'The answer is 5.', 'The answer is 5.'],
    ['answer', '', ''],
  ])('of the duty %s, “%s”, is read as %s', (duty, text, expected, isExact = false) => {
    expect(read(duty, text)).toEqual({ text: expected, isExact });
  });

  readsAnyText(
    world,
    [problem],
    [
      'add ',
      ' to ',
      ' divide ',
      ' by ',
      '@1',
      'equation 2',
      ' 3',
      'x',
      'y',
      '+',
      ' - ',
      '*',
      '/',
      ' = ',
      '<',
      ';',
      '(1)',
    ],
  );
});

judgesAlike(world, { isSame: true });
