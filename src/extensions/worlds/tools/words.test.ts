import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../config/parse.ts';
import type { ProtocolName } from '../../../config/protocols/facts.ts';
import { kinFacts } from '../../../config/protocols/registry.ts';
import { protocolsFor } from '../../../config/worlds/rules.ts';
import type { Problem } from '../../../records/problem.ts';
import { dutyOf, usualPrompts } from '../../../tasks/inWords/prompts.ts';
import type { Duty } from '../../../tasks/inWords/names.ts';
import { inProtocol } from '../../../tasks/testing/trajectories.ts';
import type { HeardInWords, InWords } from '../../../tasks/world.ts';
import * as words from './words.ts';
import { withWords } from '../../../tasks/inWords/inWordsFrom.ts';
import { judgesAlike } from '../../../tasks/testing/words.ts';
import { world as untold } from './world.ts';

const tools = withWords(untold, words);

const inWords = tools.inWords as InWords;
const protocols = protocolsFor(tools);
const problem: Problem = {
  ...{ id: 'by hand', world: 'tools', level: 2, shown: '3 calls', answer: 'Po', slice: 'file' },
  hidden: { question: 'At which river is the town of file log?', tools: '<search>17<read>' },
  given: {
    ...{ base: 17, shows: 1, files: { log: 'Lyon', list: 'Rome' }, tools: ['search', 'read'], budget: 3 },
    ...{ plans: [' read log', ' search it lies', ' answer'], goals: [' Lyon', ' Lyon lies at Po.'] },
  },
};
const withTools = (level: number, names: readonly string[]): Problem => ({
  ...{ ...problem, level, hidden: { ...problem.hidden, tools: names.map((name) => `<${name}>`).join('') } },
  given: { ...(problem.given as object), tools: names },
});

function chatOf(name: ProtocolName, agent: number, heard: readonly HeardInWords[] = [], about = problem) {
  const protocol = inProtocol(tools, name);
  const { prompts = {} } = kinFacts({ ...parseConfig({}).agents, protocol: name });
  const role = protocol.roles[agent] ?? 'reasoning';
  const speaker = { agent, role, duty: dutyOf(protocol, agent), sees: protocol.sees[agent] ?? [], heard };
  return inWords.chat(about, speaker, { usual: [prompts, usualPrompts], chosen: {} });
}
const own = (text: string): HeardInWords => ({ role: 'reasoning', agent: 1, isOwn: true, text });
const planned = (text: string): HeardInWords => ({ role: 'metaThinking', agent: 0, isOwn: false, text });
const seen = (text: string): HeardInWords => ({
  ...{ ...own(inWords.observedInWords(problem, text)), isOwn: false },
  isWorld: true,
});

describe('the chat', () => {
  it('of the planner contains the question and the forms of plans', () => {
    expect(chatOf('reMA', 0)).toEqual([
      {
        role: 'system',
        content:
          'You are the planner of a team. You read a question and name one step at a time. The reasoner has tools and carries out each step.',
      },
      {
        role: 'user',
        content:
          'At most 3 calls are allowed. Question: At which river is the town of file log? Write only the next step, such as search(Ann lives), search(it lies), search(it sells) or read(log). The word "it" stands for the last result. If nothing is left to find, write answer.',
      },
    ]);
    expect(chatOf('reMA', 0, [], withTools(4, ['search', 'read', 'write', 'js']))[1]?.content).toContain(
      'such as search(Ann aged), read(log), write(log, it), run(largest log), run(smallest log) or run(sum log).',
    );
  });

  it('of the executor contains its tools, the plan and the last result', () => {
    const ask =
      'Write only one call for this step, with the last result in place of "it". For the step answer, write the last result, such as answer: Madrid.';
    const heard = [
      planned('read(log)'),
      own('read(log)'),
      seen('<result> Lyon<left>2<eot>'),
      planned('search(it lies)'),
    ];
    expect(chatOf('reMA', 1, heard).slice(1)).toEqual([
      {
        role: 'user',
        content: `At most 3 calls are allowed. You have tools. Your calls look like this: search(Ann lives), search(Rome lies), search(Rome sells), read(log). You search knowledge base 17. The planner says: "read(log)" ${ask}`,
      },
      { role: 'assistant', content: 'read(log)' },
      { role: 'user', content: `Result: Lyon. 2 calls are left. The planner says: "search(it lies)" ${ask}` },
    ]);
  });

  it('of one agent with tools contains the question and the tools, and asks for a call or the answer', () => {
    expect(chatOf('toolLoop', 0, [], withTools(3, ['search', 'read', 'js'])).at(-1)?.content).toBe(
      'At most 3 calls are allowed. Question: At which river is the town of file log? You have tools. Your calls look like this: search(Ann aged), read(log), run(52 - 3). You search knowledge base 17. Write only one call. If a result answers the question, write it instead, such as answer: Madrid.',
    );
  });

  it.each(['single', 'vote'] as const)(
    'of an agent that answers in one turn asks for a word or a number (%s)',
    (name) => {
      expect(chatOf(name, 0, [], withTools(4, ['search', 'read', 'write', 'js']))).toEqual([
        {
          role: 'user',
          content:
            'Question: At which river is the town of file log? You have tools. Your calls look like this: search(Ann aged), read(log), write(log, 34), run(Math.max(...log)), run(Math.min(...log)), run(log.reduce((a,b)=>a+b)). You search knowledge base 17. You cannot make a call now. Answer with one word or number.',
        },
      ]);
    },
  );

  it('does not depend on hidden texts that an agent does not see, and never on the answer', () => {
    for (const name of protocols)
      for (const [agent, sees] of inProtocol(tools, name).sees.entries()) {
        const given = { ...(problem.given as object), files: {}, plans: [' answer'], goals: [] };
        const other = sees.includes('tools') ? given : { ...given, tools: ['search', 'read', 'js'], base: 3 };
        const hidden = Object.fromEntries(
          Object.entries(problem.hidden).map(([key, text]) => [key, sees.includes(key) ? text : 'other']),
        );
        const changed = { ...problem, hidden, given: other, answer: 'Rome' };
        expect(chatOf(name, agent, [], changed)).toEqual(chatOf(name, agent));
      }
  });

  it('shows results and errors as sentences', () => {
    const shown = [
      '<result> Ann lives in Rome. Ben owns eggs.<left>1<eot>',
      '<result>12,51<left>0<eot>',
      '<error> no such file<left>3<eot>',
      'else',
    ];
    expect(shown.map((text) => inWords.observedInWords(problem, text))).toEqual([
      'Result: Ann lives in Rome. Ben owns eggs. 1 call is left.',
      'Result: 12,51. No calls are left.',
      'Error: no such file. 3 calls are left.',
      'else',
    ]);
  });
});

const read = (duty: Duty, text: string) => inWords.fromWords(problem, { role: 'reasoning', agent: 0, duty, text });
const written = (duty: Duty, text: string) => inWords.toWords(problem, { role: 'reasoning', agent: 0, duty, text });

describe('a message', () => {
  it.each<[Duty, string, string, boolean]>([
    ['plan', 'search(Ann lives)', ' search Ann lives', true],
    ['plan', 'read(log)', ' read log', true],
    ['plan', 'calculate(it - 4)', ' calculate it-4', true],
    ['plan', 'write(draft, it)', ' write draft it', true],
    ['plan', 'run(largest draft)', ' run largest draft', true],
    ['plan', 'answer', ' answer', true],
    ['plan', 'Please search for where ann lives.', ' search Ann lives', false],
    ['plan', 'Next: read the file log.', ' read log', false],
    ['plan', 'Calculate it plus 4', ' calculate it+4', false],
    ['plan', 'write it to the file draft', ' write draft it', false],
    ['plan', 'run the total of file draft', ' run sum draft', false],
    ['plan', 'Write answer.', ' answer', false],
    ['plan', 'search(Ann)', 'search(Ann)', false],
    ['plan', 'calculate(52 - 4)', 'calculate(52 - 4)', false],
    ['plan', '', '', false],
    ['step', 'search(Ann lives)', '<search> Ann lives', true],
    ['step', 'read(log)', '<read> log', true],
    ['step', 'calculate(52 - 4)', '<calc>52-4', true],
    ['step', 'run(52 - 4)', '<js>52-4', true],
    ['step', 'write(draft, 58)', '<write> draft,58', true],
    ['step', 'run(Math.max(...draft))', '<js>Math.max(... draft)', true],
    ['step', 'run(draft.reduce((a,b)=>a+b))', '<js> draft.reduce((a,b)=>a+b)', true],
    ['step', 'answer: Po', ' Po', true],
    ['step', 'answer: 48', '48', true],
    ['step', 'answer: unknown', ' unknown', true],
    ['alone', 'I will call search("Ann", "lives"). answer: Rome', '<search> Ann lives', false],
    ['alone', 'Read the file log.', '<read> log', false],
    ['alone', 'Calculate 52 minus 4 = 48', '<calc>52-4', false],
    ['alone', 'write(58 to the file Draft)', '<write> draft,58', false],
    ['alone', 'run(sum of draft)', '<js> draft.reduce((a,b)=>a+b)', false],
    ['alone', 'run(Math.max(... draft', '<js>Math.max(... draft)', false],
    ['alone', 'run(draft[0] * (2 + 1))', '<js>draft[0] * (2 + 1)', true],
    ['alone', '<read> log', '<read> log', false],
    ['alone', 'The answer is rome.', ' Rome', false],
    ['alone', 'Lyon.', ' Lyon', false],
    ['alone', "I don't know", ' unknown', false],
    ['alone', 'Lyon lies at Po.', 'Lyon lies at Po.', false],
    ['alone', 'read()', '<read>', true],
    ['alone', '<js><result>', '<js>result>', false],
    ['answer', 'Po', ' Po', true],
    ['answer', '48', '48', true],
    ['answer', 'The river is the Po.', ' Po', false],
    ['answer', 'It is 48 or 50', '50', false],
    ['answer', 'read(log)', 'read(log)', false],
    ['answer', 'I really cannot say', ' unknown', false],
    ['answer', '?', '?', false],
  ])('%s: “%s” is read as “%s”', (duty, text, expected, isExact) => {
    expect(read(duty, text)).toEqual({ text: expected, isExact });
  });

  it('may be any text, and writing the read text gives the same text when it is read again', () => {
    const words = fc.constantFrom(
      'search',
      'read',
      'write',
      'calculate',
      'run',
      'answer',
      '(',
      ')',
      ':',
      'Ann',
      'it',
      '+',
      '34',
      'log',
      'largest',
      '...',
      'Math.max',
      '<js>',
      '<',
      '\n',
    );
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(words, { maxLength: 10 }).map((all) => all.join(' ')),
      fc.array(words, { maxLength: 10 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(fc.constantFrom<Duty>('plan', 'step', 'alone', 'answer'), text, (duty, any) => {
        const known = read(duty, any).text;
        expect(read(duty, written(duty, known)).text).toBe(known);
      }),
      { numRuns: 600 },
    );
  });
});

judgesAlike(tools, { isSame: false });
