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

const memory = withWords(untold, words);

const inWords = memory.inWords as InWords;
const protocols = protocolsFor(memory);
const problem: Problem = {
  ...{ id: 'by hand', world: 'memory', level: 3, shown: 'Where is ball?', answer: 'hall', slice: 'last' },
  hidden: { text: 'Ann in hall. Ben in den. Max likes tea. Ida in barn. Ann has ball.' },
  given: {
    pieces: [' Ann in hall. Ben in den.', ' Max likes tea. Ida in barn.', ' Ann has ball.'],
    facts: [' Ann in hall.', ' Ann has ball.'],
    conclusion: ' ball in hall.',
  },
};

function chatOf(name: ProtocolName, agent: number, heard: readonly HeardInWords[] = [], about = problem) {
  const protocol = inProtocol(memory, name);
  const { prompts = {} } = kinFacts({ ...parseConfig({}).agents, protocol: name });
  const role = protocol.roles[agent] ?? 'reasoning';
  const speaker = { agent, role, duty: dutyOf(protocol, agent), sees: protocol.sees[agent] ?? [], heard };
  return inWords.chat(about, speaker, { usual: [prompts, usualPrompts], chosen: {} });
}
const said = (text: string, agent = 0, isOwn = true): HeardInWords => ({ role: 'metaThinking', agent, isOwn, text });
const seen = (text: string): HeardInWords => ({
  ...{ ...said(inWords.observedInWords(problem, text), 0, false), role: 'reasoning' },
  isWorld: true,
});

describe('the chat', () => {
  const system = 'You read a text piece by piece. You keep a short note of what matters, because you forget the text.';
  const note =
    'Write a new note: copy the sentence that helps most to answer the question, or write Nothing. To see an old note again, add a name at the end, such as Recall: Zoe.';

  it('of a reader contains the piece, and later its note and the next piece', () => {
    const first = seen('<text> Ann in hall. Ben in den.');
    expect(chatOf('memoryLoop', 0, [first])).toEqual([
      { role: 'system', content: system },
      {
        role: 'user',
        content: `Question: Where is the ball? Text: Ann is in the hall. Ben is in the den. ${note}`,
      },
    ]);
    const next = seen('<recall> Ann in hall.<text> Ann has ball. Max likes tea.');
    expect(chatOf('memoryLoop', 0, [said('Ben is in the den. Recall: Ann.'), next]).slice(1)).toEqual([
      { role: 'user', content: `Question: Where is the ball? ${note}` },
      { role: 'assistant', content: 'Ben is in the den. Recall: Ann.' },
      {
        role: 'user',
        content: `Your old note: Ann is in the hall. Text: Ann has the ball. Max likes tea. ${note}`,
      },
    ]);
  });

  it('of the answerer contains the note', () => {
    expect(chatOf('memoryLoop', 1, [said('Ann is in the hall.', 0, false)])).toEqual([
      { role: 'system', content: 'You answer a question from a note that somebody else wrote.' },
      {
        role: 'user',
        content:
          'Question: Where is the ball? The note says: "Ann is in the hall." Answer with one word: the room, or unknown.',
      },
    ]);
  });

  it('of a single agent asks for the answer after the end of the text', () => {
    expect(chatOf('memoryAlone', 0, [said('Ann has the ball.'), seen('<recall> hm<end>')]).at(-1)?.content).toBe(
      `Your old note: hm. The text has ended. ${note} If the text has ended, write only one word instead: the room, or unknown.`,
    );
  });

  it('is the same for every text, because no agent sees the whole text', () => {
    const other = { ...problem, hidden: { text: 'Ola in attic.' }, given: { pieces: [], facts: [] }, answer: 'attic' };
    for (const protocol of protocols)
      for (const agent of inProtocol(memory, protocol).roles.keys())
        expect(chatOf(protocol, agent, [], other)).toEqual(chatOf(protocol, agent, []));
  });
});

const read = (duty: Duty, text: string) => inWords.fromWords(problem, { role: 'reasoning', agent: 0, duty, text });
const written = (duty: Duty, text: string) => inWords.toWords(problem, { role: 'reasoning', agent: 0, duty, text });

describe('a message', () => {
  it.each<[Duty, string, string, boolean]>([
    ['plan', 'Ann is in the hall.', ' Ann in hall.', true],
    ['plan', 'Ann is in the hall. Ben has the key.', ' Ann in hall. Ben has key.', true],
    ['plan', 'The ball is in the hall.', ' ball in hall.', true],
    ['plan', 'Ann has the ball. Recall: Ann.', ' Ann has ball.<recall> Ann', true],
    ['plan', 'Recall: Ann.', '<recall> Ann', true],
    ['plan', 'Nothing.', ' nothing.', true],
    ['plan', 'nothing important', ' nothing.', false],
    ['plan', 'ann in hall', ' Ann in hall.', false],
    ['plan', 'Note: "Ann was in a hall" and Ben owns a key!', ' Ann in hall. Ben has key.', false],
    ['plan', 'Recall the old note about Ann. Ann has the ball.', ' Ann has ball.<recall> Ann', false],
    ['plan', 'Max likes tea.', ' Max likes tea.', true],
    ['plan', 'Ann is not in the hall.', 'Ann is not in the hall.', false],
    ['plan', 'Bob is in the garage.', 'Bob is in the garage.', false],
    ['plan', 'Ann is in', 'Ann is in', false],
    ['plan', 'Recall:', 'Recall:', false],
    ['plan', '', '', false],
    ['plan', '<recall><text><end>', '<recall> text end', false],
    ['step', '<recall> Ann', '<recall> Ann', false],
    ['plan', 'hall', 'hall', false],
    ['step', 'hall', ' hall', true],
    ['step', 'unknown', ' unknown', true],
    ['step', 'The ball is in the Hall.', ' hall', false],
    ['step', 'Not the den but the hall.', ' hall', false],
    ['step', "I don't know.", ' unknown', false],
    ['step', 'hallway', 'hallway', false],
    ['alone', 'hall', ' hall', true],
    ['alone', 'The answer is the hall.', ' hall', false],
    ['alone', 'Ann is in the hall.', ' Ann in hall.', true],
    ['alone', 'unknown', ' unknown', true],
  ])('%s: “%s” is read as “%s”', (duty, text, own, isExact) => {
    expect(read(duty, text)).toEqual({ text: own, isExact });
  });

  it('may be any text, and writing the read text gives the same text when it is read again', () => {
    const words = fc.constantFrom(
      'Ann',
      'is',
      'in',
      'the',
      'hall',
      'has',
      'ball',
      'Recall',
      ':',
      'nothing',
      '.',
      '<recall>',
      'answer',
      '\n',
    );
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(words, { maxLength: 12 }).map((all) => all.join(' ')),
    );
    fc.assert(
      fc.property(fc.constantFrom<Duty>('plan', 'step', 'alone'), text, (duty, any) => {
        const own = read(duty, any).text;
        expect(read(duty, written(duty, own)).text).toBe(own);
      }),
      { numRuns: 600 },
    );
  });
});

judgesAlike(memory, { isSame: false });
