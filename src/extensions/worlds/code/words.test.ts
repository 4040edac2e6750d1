import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../config/parse.ts';
import type { ProtocolName } from '../../../config/protocols/facts.ts';
import { protocolsFor } from '../../../config/worlds/rules.ts';
import type { Problem } from '../../../records/problem.ts';
import { protocolOf } from '../../../records/protocol.ts';
import type { Duty } from '../../../tasks/inWords/names.ts';
import { worldInWords, type WordsWorld } from '../../../tasks/inWords/worldInWords.ts';
import * as words from './words.ts';
import { withWords } from '../../../tasks/inWords/inWordsFrom.ts';
import { chatIn, judgesAlike, readsAnyText, type MessageOf } from '../../../tasks/testing/words.ts';
import { world as untold } from './world.ts';

const plain = withWords(untold, words);

const world = plain as WordsWorld;
const problem: Problem = {
  ...{ id: 'a', world: 'code', level: 2, shown: 'f(xs)', answer: 'xs.slice(1).map(x=>x+2)', slice: 'three' },
  hidden: { description: 'Skip some at the start. Raise the rest.', examples: '[2,3,9]=[5,11];[1,3,5]=[5,7]' },
  given: {
    plan: 'drop,add',
    examples: [
      [2, 3, 9],
      [1, 3, 5],
    ],
  },
};
const altered: Problem = {
  ...{ ...problem, answer: 'xs.slice(-1).map(x=>x*2)', given: { plan: 'last,times', examples: [[1], [2]] } },
  hidden: { description: 'Keep the last ones. Scale the rest.', examples: '[1]=[2];[2]=[4]' },
};
const settings = (protocol: ProtocolName, more = {}) => ({ ...parseConfig({}).agents, count: 3, protocol, ...more });

/** The chat of an agent that has heard these messages. */
const chat = (name: ProtocolName, agent: number, said: readonly MessageOf[] = [], about = problem) =>
  chatIn(plain, about, [name, agent, said]);
const lastOf = (...given: Parameters<typeof chat>) => chat(...given).at(-1)?.content;

const read = (duty: Duty, text: string, about: Problem = problem) =>
  world.inWords.fromWords(about, { role: 'reasoning', agent: 0, duty, text });

describe('the chat', () => {
  const start = 'Write a JavaScript expression that makes a new list from the list of numbers xs.';
  const task = 'Task: Skip some at the start. Raise the rest.';
  const examples = 'Examples: [2, 3, 9] becomes [5, 11]. [1, 3, 5] becomes [5, 7].';
  const write = 'Write only the expression. It starts with xs.';
  const plan =
    'Tell the reasoner in one short sentence what to do with the list. If its program passes the examples, write [FINISH].';

  it('of a planner contains the description, and asks for a sentence', () => {
    expect(
      chat('reMA', 0, [
        [0, 'Leave out the first ones. Add to the rest.'],
        [1, 'xs.slice(1)'],
        [null, 'The program gives [3, 9] for [2, 3, 9], which is wrong.'],
      ]),
    ).toEqual([
      {
        role: 'system',
        content:
          'You are the planner of a team. You decide what to do next, and the reasoner does it. When the answer has been found, write [FINISH].',
      },
      {
        role: 'user',
        content: `The reasoner writes a JavaScript expression that makes a new list from a list of numbers. ${task} ${plan}`,
      },
      { role: 'assistant', content: 'Leave out the first ones. Add to the rest.' },
      {
        role: 'user',
        content: `The reasoner says: "xs.slice(1)" The program gives [3, 9] for [2, 3, 9], which is wrong. ${plan}`,
      },
    ]);
  });

  it('of a coder contains the examples and the plan, and asks for an expression', () => {
    expect(lastOf('reMA', 1, [[0, 'Leave out the first ones.']])).toBe(
      `${start} ${examples} The planner says: "Leave out the first ones." Do what the planner says. ${write}`,
    );
  });

  it('of an agent that answers contains what it sees, and asks for an expression', () => {
    expect(lastOf('single', 0)).toBe(`${start} ${task} ${examples} ${write}`);
    expect(
      lastOf('debate', 1, [
        [1, 'xs'],
        [0, 'xs.slice(1)'],
      ]),
    ).toBe(`The other debater says: "xs.slice(1)" Consider what was said. ${write}`);
  });

  it.each(protocolsFor(plain))('depends only on the texts that the agent sees (%s)', (name) => {
    for (const [agent, sees] of protocolOf(settings(name), world).sees.entries()) {
      for (const text of Object.keys(problem.hidden)) {
        const other = { ...altered, hidden: { ...problem.hidden, [text]: altered.hidden[text]! } };
        const isEqual = JSON.stringify(chat(name, agent)) === JSON.stringify(chat(name, agent, [], other));
        expect(isEqual).toBe(!sees.includes(text));
      }
    }
  });
});

describe('a message', () => {
  it.each<[Duty, string, string, boolean?]>([
    ['plan', 'Leave out the first ones. Add to the rest.', 'drop,add', true],
    ['plan', 'Skip some at the start. Raise the rest.', 'drop,add', true],
    ['plan', 'Keep all but one number. Scale the rest.', 'without,times', true],
    ['plan', '', '', true],
    ['plan', 'drop, add', 'drop,add'],
    ['plan', 'Even', 'even'],
    ['plan', 'Please take the first numbers away and multiply the others.', 'drop,times'],
    ['plan', 'Only keep the biggest numbers, then add 3', 'above,add'],
    ['plan', 'Do not keep the last ones', 'trim'],
    ['plan', 'Remove all except the small ones', 'below'],
    ['plan', 'Skip what is odd. Keep the even ones.', 'even'],
    ['plan', 'Do something with the list.', 'Do something with the list.'],
    ['step', 'xs.slice(1).map(x=>x+2)', 'xs.slice(1).map(x=>x+2)', true],
    ['answer', 'xs.filter((x, i) => i > 0)', 'xs.filter((x, i) => i > 0)', true],
    ['answer', '```js\nxs.slice(1);\n```', 'xs.slice(1)'],
    [
      'answer',
      'Sure! Here is the code:\n```javascript\nfunction f(xs) {\n  return xs.slice(1);\n}\n```\nIt works.',
      'xs.slice(1)',
    ],
    ['answer', 'const f = (list) => list.slice(1);', '(list=>(list.slice(1)))(xs)'],
    [
      'answer',
      'function f(xs) { const n = 1; return xs.slice(n); }',
      '(function(xs){const n = 1; return xs.slice(n);})(xs)',
    ],
    ['answer', 'f(xs) = xs.slice(-2)', 'xs.slice(-2)'],
    ['answer', 'xs => { return xs.slice(2) }', 'xs.slice(2)'],
    ['answer', 'return xs.slice(1); // all but the first', 'xs.slice(1)'],
    ['answer', 'You can use `xs.slice(1)` for this.', 'xs.slice(1)'],
    ['answer', 'The answer is: xs.length > 2 ? xs.slice(1) : xs', 'xs.length > 2 ? xs.slice(1) : xs'],
    ['answer', 'I would write xs.filter(x => x > 3).map(x => x + 1).', 'xs.filter(x => x > 3).map(x => x + 1)'],
    ['answer', 'xs.slice(1)\n\nThis leaves out the first.', 'xs.slice(1)'],
    ['answer', 'Sure, xs.slice(1)', 'xs.slice(1)'],
    ['answer', 'xs.slice(', 'xs.slice(', true], // The interpreter finds the error.
    ['answer', '0); Array.prototype.map = () => 5; (0', '0); Array.prototype.map = () => 5; (0'],
    ['answer', 'The list xs has the first numbers left out.', 'The list xs has the first numbers left out.'],
    ['answer', '', ''],
  ])('of the duty %s, “%s”, is read as %s', (duty, text, expected, isExact = false) => {
    expect(read(duty, text)).toEqual({ text: expected, isExact });
    expect(read(duty, text, altered)).toEqual({ text: expected, isExact });
  });

  readsAnyText(
    plain,
    plain.levels.map(({ level }) => ({ ...problem, level })),
    [
      'xs',
      '.slice(1)',
      'x',
      '=>',
      ' ',
      '(',
      ')',
      '{',
      '}',
      'return ',
      'function ',
      ';',
      '`',
      '```',
      'js\n',
      '\n',
      'f(xs)',
      ' = ',
      'The ',
      'is: ',
      '//',
      'Keep ',
      'all but ',
      'the first ',
      'ones.',
      'drop',
      ',',
      'add',
      ' Scale the rest.',
    ],
  );
});

it.each([
  ['<passed><eot>', 'The program passes the examples.'],
  ['<failed>[2,3,9]=[9]<eot>', 'The program gives [9] for [2, 3, 9], which is wrong.'],
  ['<failed>[2,3,9]=<eot>', 'The program gives a wrong result for [2, 3, 9].'],
  ['<error>TypeError<eot>', 'The program ends with a TypeError.'],
  ['<error><eot>', 'The program ends with an error.'],
  ['anything', 'anything'],
])('the feedback %s is “%s”', (text, expected) => {
  expect(world.inWords.observedInWords(problem, text)).toBe(expected);
});

it('a function around the program does not change what the program does', async () => {
  const coder = { role: 'reasoning', agent: 1, isFinish: false } as const;
  const wrapped = 'function f(list) {\n  const rest = list.slice(1);\n  return rest.map((x) => x + 2);\n}';
  const told = worldInWords(world, protocolOf(settings('reMA'), world));
  for (const text of [wrapped, 'f = list => list.slice(1).map(x => x + 2)', `Here:\n${wrapped}\nThis is it.`])
    expect(await told.judge(problem, { ...coder, text })).toMatchObject({ isRight: true });
});

judgesAlike(plain, { isSame: false });
