import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../base/errors.ts';
import { trajectories } from '../records/testing/arbitrary.ts';
import { readChats } from './chats.ts';
import { writeJsonl } from './jsonl.ts';

const message = fc.record({
  role: fc.constantFrom('system' as const, 'user' as const, 'assistant' as const),
  content: fc.string({ unit: 'binary' }),
});
const answer = fc.record({
  role: fc.constant('assistant' as const),
  content: fc.string({ unit: 'binary', minLength: 1 }),
});
const chat = fc.record({
  messages: fc.tuple(fc.array(message, { maxLength: 4 }), answer).map(([before, last]) => [...before, last]),
  agent: fc.option(fc.oneof(fc.constantFrom('metaThinking' as const, 'debater' as const), fc.nat(7)), {
    nil: undefined,
  }),
});
const lineOf = (value: unknown) => `${JSON.stringify(value)}\n`;

describe('chats as JSON Lines', () => {
  it('are read as they were written, with their line numbers and the agents that imitate them', () => {
    fc.assert(
      fc.property(fc.array(chat), fc.constantFrom('', '\n', '  \r\n'), (chats, between) => {
        const text = `\uFEFF${chats.map((one) => lineOf(one) + between).join('')}`;
        const step = between === '' ? 1 : 2;
        expect(readChats(text)).toEqual(
          chats.map(({ messages, agent }, i) => ({
            ...{ line: 1 + step * i, messages },
            ...(agent !== undefined && { by: agent }),
          })),
        );
      }),
    );
  });

  it('name an agent by its role, its name on the page or its number, in either field', () => {
    const messages = [{ role: 'assistant', content: 'green' }];
    const told = [
      { agent: 'planner' },
      { role: 'reasoner' },
      { agent: 1, role: 'reasoner' },
      { agent: null },
      { id: 7 },
    ];
    expect(
      readChats(told.map((one) => lineOf({ ...one, messages })).join('')).map((one) => 'by' in one && one.by),
    ).toEqual(['metaThinking', 'reasoning', 1, false, false]);
  });

  it('may be dialogues that this project exported, and these are read completely', () => {
    fc.assert(
      fc.property(trajectories, fc.nat(), (trajectory, iteration) => {
        const [read] = readChats(writeJsonl(iteration, [trajectory]));
        const turns = trajectory.turns.map(({ reason: _, ...turn }) => turn);
        expect(read).toMatchObject({ line: 1, trajectory: { ...trajectory, turns } });
      }),
      { numRuns: 60 },
    );
  });

  it('are refused with the line, the field and what was expected', () => {
    const good = lineOf({ messages: [{ role: 'assistant', content: 'a' }] });
    const bad: [string, RegExp][] = [
      ['{"prompt":"p","completion":"a"}', /^line 2: messages: expected a list of messages, got nothing; a chat has/],
      ['{"messages":[]}', /^line 2: messages: expected a list/],
      ['{"messages":["a"]}', /^line 2: messages\.0: expected a message with role and content, got "a"/],
      ['{"messages":[{"role":"user"}]}', /^line 2: messages\.0\.content: expected text, got nothing/],
      [
        '{"messages":[{"role":"user","content":"a"},{"role":"tool","content":"b"}]}',
        /^line 2: messages\.1\.role: expected system, user, assistant, got "tool"/,
      ],
      ['{"messages":[{"role":"user","content":"a"}]}', /^line 2: messages: expected a message of the assistant/],
      ['{"messages":[{"role":"assistant","content":""}]}', /^line 2: messages: expected a message of the assistant/],
      [
        '{"agent":"judge","messages":[{"role":"assistant","content":"a"}]}',
        /^line 2: agent: .*planner, reasoner.*got "judge"/,
      ],
      ['{"role":-1,"messages":[{"role":"assistant","content":"a"}]}', /^line 2: role: /],
      ['{"problem":{},"messages":[],"turns":[]}', /^line 2: \w+: expected a dialogue as it is exported here/],
      ['[1]', /^line 2: messages: /],
      ['messages', /^line 2: expected JSON/],
    ];
    for (const [line, says] of bad) {
      expect(() => readChats(good + line), line).toThrow(FormatError);
      expect(() => readChats(good + line), line).toThrow(says);
    }
    expect(() => readChats(`\n"${'x'.repeat(200_001)}"`)).toThrow('line 2: expected at most 200000 characters');
  });

  it('of any text are read or refused with a FormatError', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.json(),
          fc.json().map((json) => `{"messages":${json}}`),
        ),
        (file) => {
          try {
            readChats(file);
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(FormatError);
          }
        },
      ),
    );
  });
});
