import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../config/parse.ts';
import type { ProtocolName } from '../../../config/protocols/facts.ts';
import { protocolsFor } from '../../../config/worlds/rules.ts';
import type { Problem } from '../../../records/problem.ts';
import { protocolOf } from '../../../records/protocol.ts';
import type { Duty } from '../../../tasks/inWords/names.ts';
import type { InWords } from '../../../tasks/world.ts';
import * as words from './words.ts';
import { withWords } from '../../../tasks/inWords/inWordsFrom.ts';
import { chatIn, judgesAlike, readsAnyText, type MessageOf } from '../../../tasks/testing/words.ts';
import { world as untold } from './world.ts';

const world = withWords(untold, words);

const inWords = world.inWords as InWords;
const problem: Problem = {
  ...{ id: 'a', world: 'entailment', level: 2, shown: 'Ann is kind?', answer: 'follows', slice: 'follows' },
  hidden: { first: 'Ann is a baker. Tom is a pilot.', second: 'Every baker is kind. No pilot is calm.' },
  given: { deciding: ['Ann is a baker.', 'Every baker is kind.'] },
};
const settings = (protocol: ProtocolName, more = {}) => ({ ...parseConfig({}).agents, count: 3, protocol, ...more });

/** The chat of an agent that has heard these messages. */
const chat = (name: ProtocolName, agent: number, said: readonly MessageOf[] = [], about = problem) =>
  chatIn(world, about, [name, agent, said]);
const lastOf = (...given: Parameters<typeof chat>) => chat(...given).at(-1)?.content;

describe('the chat', () => {
  const quote = 'Write one sentence that you know and that matters for the claim.';
  const word = 'with one word: follows, contradicted or unknown.';
  const first = 'Claim: Ann is kind. You know: Ann is a baker. Tom is a pilot.';
  const second = 'Claim: Ann is kind. You know: Every baker is kind. No pilot is calm.';

  it('of a debater contains its half of the premises, and asks for a premise and the answer', () => {
    expect(
      chat('debate', 0, [
        [0, 'Ann is a baker. unknown'],
        [1, 'Every baker is kind. follows'],
      ]),
    ).toEqual([
      {
        role: 'system',
        content: 'You are one of several debaters. You answer, read the answers of the others, and answer again.',
      },
      { role: 'user', content: `${first} ${quote} Then answer ${word}` },
      { role: 'assistant', content: 'Ann is a baker. unknown' },
      {
        role: 'user',
        content: `The other debater says: "Every baker is kind. follows" Consider what you have heard. Claim: Ann is kind. ${quote} Then answer again ${word}`,
      },
    ]);
    expect(lastOf('debate', 1)).toBe(`${second} ${quote} Then answer ${word}`);
  });

  it('of a planner asks only for a premise', () => {
    expect(lastOf('reMA', 0)).toBe(`${first} ${quote} If the reasoner has answered, write [FINISH].`);
    expect(lastOf('reMA', 1, [[0, 'Ann is a baker.']])).toBe(
      `${second} The planner says: "Ann is a baker." ${quote} Then answer ${word}`,
    );
  });

  it('of an agent alone contains both halves, and of a leader neither', () => {
    expect(lastOf('single', 0)).toBe(
      `${first} You know: Every baker is kind. No pilot is calm. ${quote} Then answer ${word}`,
    );
    expect(
      lastOf('summary', 2, [
        [0, 'Ann is a baker. unknown'],
        [1, 'follows'],
      ]),
    ).toBe(`Claim: Ann is kind. A member says: "Ann is a baker. unknown" A member says: "follows" Answer ${word}`);
  });

  it.each(protocolsFor(world))('depends only on the premises that the agent sees (%s)', (name) => {
    for (const [agent, sees] of protocolOf(settings(name), world).sees.entries()) {
      for (const half of ['first', 'second']) {
        const hidden = { ...problem.hidden, [half]: 'Ann is a miner. No miner is kind.' };
        const other = { ...problem, hidden, answer: 'contradicted', given: { deciding: ['Ann is a miner.'] } };
        const isEqual = JSON.stringify(chat(name, agent)) === JSON.stringify(chat(name, agent, [], other));
        expect(isEqual).toBe(!sees.includes(half));
      }
    }
  });
});

const read = (duty: Duty, text: string, about: Problem = problem) =>
  inWords.fromWords(about, { role: 'reasoning', agent: 0, duty, text });

describe('a message', () => {
  it.each<[Duty, string, string, boolean?]>([
    ['answer', 'Ann is a baker. unknown', ' Ann is a baker. unknown', true],
    ['step', 'No pilot is calm. contradicted', ' No pilot is calm. contradicted', true],
    ['answer', 'follows', ' follows', true],
    ['plan', 'Ann is not a baker.', ' Ann is not a baker.', true],
    ['plan', '', '', true],
    ['plan', 'I know that ann is a baker, so it follows', ' Ann is a baker.'],
    ['plan', 'I know nothing about Ann.', 'I know nothing about Ann.'],
    ['answer', 'Ann is a baker. Tom is a pilot. unknown', ' Ann is a baker. Tom is a pilot. unknown'],
    ['answer', 'All bakers are kind. The claim follows.', ' Every baker is kind. follows'],
    ['answer', 'Unknown, because ANN ISN’T A\nBAKER', ' Ann is not a baker. unknown'],
    ['tell', 'No bakers are kind, which contradicts the claim', ' No baker is kind. contradicted'],
    ['answer', 'Not every baker is kind. Unknown!', ' unknown'],
    ['alone', 'It is unknown whether the claim follows.', ' unknown'],
    ['answer', 'The claim does not follow. It is contradicted.', ' contradicted'],
    ['answer', 'The claim does not follow.', 'The claim does not follow.'],
    ['answer', 'They say unknown, but I say: follows.', ' follows'],
    ['answer', 'It follows, it is not unknown.', ' follows'],
    ['answer', 'The answer is as follows: not known', ' unknown'],
    ['answer', 'follows or unknown, I think', 'follows or unknown, I think'],
    ['answer', 'follows, contradicted or unknown.', 'follows, contradicted or unknown.'],
    ['answer', 'Ann is a baker.', ' Ann is a baker.'],
    ['answer', 'Zoe is a baker. unknownfollows', 'Zoe is a baker. unknownfollows'],
    ['answer', 'Ann is kind.', 'Ann is kind.'],
    ['answer', '', ''],
  ])('of the duty %s, “%s”, is read as %s', (duty, text, expected, isExact = false) => {
    expect(read(duty, text)).toEqual({ text: expected, isExact });
  });

  readsAnyText(
    world,
    [problem],
    [
      'Ann',
      'every',
      ' no',
      ' baker',
      's',
      ' is',
      ' are',
      ' not',
      ' a',
      ' kind',
      '.',
      ' follows',
      ' unknown',
      ' whether',
    ],
  );
});

judgesAlike(world, { isSame: true });
