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
const problem = problemOf(1, '7+4*2', 'rightToLeft');
const settings = (protocol: ProtocolName, more = {}) => ({ ...parseConfig({}).agents, count: 3, protocol, ...more });

/** The chat of an agent that has heard these messages. */
const chat = (name: ProtocolName, agent: number, said: readonly MessageOf[] = [], about = problem) =>
  chatIn(world, about, [name, agent, said]);
const lastOf = (...given: Parameters<typeof chat>) => chat(...given).at(-1)?.content;

describe('the chat', () => {
  const which =
    'Which operation comes next? Write only this operation, such as 2 + 3. If only a number is left, write [FINISH].';
  const step = 'Do only this operation. Write only the new sum.';
  const digits = 'Keep only the last digit of every result, and add 10 to a result below 0.';
  const answer = 'Write every operation with its result, such as: 2 + 3 = 5. 5 + 1 = 6.';

  it('of a planner contains the rule, and asks for an operation', () => {
    expect(
      chat('reMA', 0, [
        [0, '4 * 2'],
        [1, '7 + 8'],
      ]),
    ).toEqual([
      {
        role: 'system',
        content:
          'You are the planner of a team. You decide what to do next, and the reasoner does it. When the answer has been found, write [FINISH].',
      },
      { role: 'user', content: `The sum is 7 + 4 * 2. House rule: from right to left. ${which}` },
      { role: 'assistant', content: '4 * 2' },
      { role: 'user', content: `The reasoner says: "7 + 8" ${which}` },
    ]);
  });

  it('of a reasoner contains the plan, and asks for the new sum', () => {
    expect(lastOf('reMA', 1, [[0, '4 * 2']])).toBe(`The sum is 7 + 4 * 2. ${digits} The planner says: "4 * 2" ${step}`);
    const steps: [number, string][] = [
      [0, '4 * 2'],
      [1, '7 + 8'],
      [0, '7 + 8'],
    ];
    expect(lastOf('reMA', 1, steps)).toBe(`The planner says: "7 + 8" ${step}`);
  });

  it('of an agent that answers asks for all operations', () => {
    const sum = `The sum is 7 + 4 * 2. A house rule determines the order of the operations. ${digits}`;
    expect(lastOf('single', 0)).toBe(`${sum} House rule: from right to left. ${answer}`);
    expect(lastOf('pioneerObserver', 1, [[0, '4 * 2 = 8. 7 + 8 = 5.']])).toBe(
      `${sum} The pioneer says: "4 * 2 = 8. 7 + 8 = 5." ${answer}`,
    );
    expect(
      lastOf('debate', 1, [
        [1, '5'],
        [0, '2'],
        [2, '5'],
      ]),
    ).toBe(
      `The other debater says: "2" The other debater says: "5" Consider what you have heard. Work out 7 + 4 * 2 again. ${answer}`,
    );
  });

  it('mentions last digits and division only at levels that have them', () => {
    expect(lastOf('single', 0, [], problemOf(5, '-48/-8--9--17', 'precedence'))).toBe(
      `The sum is -48 / -8 - -9 - -17. A house rule determines the order of the operations. House rule: multiplication and division first. ${answer}`,
    );
  });

  it.each(protocolsFor(world))('does not depend on the rule if the agent does not see it (%s)', (name) => {
    const other = problemOf(1, '7+4*2', 'leftToRight');
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
    ['plan', '4 * 2', '4*2', true],
    ['plan', '', '', true],
    ['plan', '4*2', '4*2'],
    ['plan', 'Multiply 4 by 2 first.', '4*2'],
    ['plan', 'In 7 + 4 * 2, do 4 × 2 next.', '4*2'],
    ['plan', '4 times 2 is 8', '4*2'],
    ['plan', 'Subtract 3 from 12', '12-3'],
    ['plan', '**Add 12 and -7**', '12+-7'],
    ['plan', '7 minus -3', '7--3'],
    ['plan', '7 + 4 * 2', '7 + 4 * 2'],
    ['plan', 'The next operation is multiplication.', 'The next operation is multiplication.'],
    ['step', '7 + 8', '7+8', true],
    ['step', '-21', '-21', true],
    ['step', 'The new sum is 7 + 8.', '7+8'],
    ['step', '7 + 4 * 2 = 7 + 8', '7+8'],
    ['alone', '1,008 - -2', '1008--2'],
    ['step', '<|im_end|> none', '<|im_end|> none'],
    ['answer', '4 * 2 = 8. 7 + 8 = 5.', '4*2=7+8;7+8=5', true],
    ['answer', '4 * 2 = 8, 7 + 8 = 15, so the answer is 5', '4*2=7+8;7+8=5'],
    ['answer', '1. 4 × 2 = 08\n2. 7 plus 8 equals 15', '4*2=7+8;7+8=15'],
    ['answer', '7 + 4 * 2 = 7 + 8 = 15', '15'],
    ['answer', '3 * 3 = 9. 9 + 1 = 0', '3*3=9;9+1=0'],
    ['answer', '4 * 2 = 8. The answer is 15.', '4*2=15'],
    ['answer', 'The answer is 5.', '5'],
    ['answer', '5', '5'],
    ['tell', 'It is 4.5', 'It is 4.5'],
    ['answer', '', ''],
    ['answer', `${'9'.repeat(40)} * 2 = 4`, `${'9'.repeat(40)} * 2 = 4`],
  ])('of the duty %s, “%s”, is read as %s', (duty, text, expected, isExact = false) => {
    expect(read(duty, text)).toEqual({ text: expected, isExact });
  });

  readsAnyText(
    world,
    [problem],
    ['4', '2', '7', '8', '12', '-', ' - ', ' + ', '*', '/', ' = ', '=', ';', '. ', ' is '],
  );
});

judgesAlike(world, { isSame: true });
