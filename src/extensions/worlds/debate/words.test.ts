import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../config/parse.ts';
import type { ProtocolName } from '../../../config/protocols/facts.ts';
import { protocolsFor } from '../../../config/worlds/rules.ts';
import type { Problem } from '../../../records/problem.ts';
import { protocolOf } from '../../../records/protocol.ts';
import type { Duty } from '../../../tasks/inWords/names.ts';
import type { WordsWorld } from '../../../tasks/inWords/worldInWords.ts';
import * as words from './words.ts';
import { withWords } from '../../../tasks/inWords/inWordsFrom.ts';
import { chatIn, judgesAlike, readsAnyText, type MessageOf } from '../../../tasks/testing/words.ts';
import { world as untold } from './world.ts';

const plain = withWords(untold, words);

const world = plain as WordsWorld;
const problem: Problem = {
  ...{ id: 'a', world: 'debate', level: 2, shown: 'Ann is kind?', answer: 'contradicted', slice: 'contradicted' },
  hidden: {
    proponent: 'Ann is a baker. No sailor is kind.',
    opponent: 'Every pilot is a miner. Every baker is a sailor.',
  },
  given: { deciding: ['Ann is a baker.', 'Every baker is a sailor.', 'No sailor is kind.'] },
};
const altered: Problem = {
  ...{ ...problem, answer: 'follows', given: { deciding: ['Ann is a pilot.'] } },
  hidden: { proponent: 'Ann is a pilot. Every miner is kind.', opponent: 'Every pilot is a miner.' },
};
const settings = (protocol: ProtocolName, more = {}) => ({ ...parseConfig({}).agents, count: 3, protocol, ...more });

/** The chat of an agent that has heard these messages. */
const chat = (name: ProtocolName, agent: number, said: readonly MessageOf[] = [], about = problem) =>
  chatIn(plain, about, [name, agent, said]);
const lastOf = (...given: Parameters<typeof chat>) => chat(...given).at(-1)?.content;

const read = (duty: Duty, text: string, about: Problem = problem) =>
  world.inWords.fromWords(about, { role: 'reasoning', agent: 0, duty, text });

describe('the chat', () => {
  const quote = 'Write the sentences that you know and that matter for the claim.';
  const word = 'with one word: follows, contradicted or unknown.';
  const proponent = 'Claim: Ann is kind. You know: Ann is a baker. No sailor is kind.';
  const opponent = 'Claim: Ann is kind. You know: Every pilot is a miner. Every baker is a sailor.';

  it('of a debater contains the evidence of its side, and asks for sentences and the answer', () => {
    expect(
      chat('inTurn', 0, [
        [0, 'Ann is a baker. unknown'],
        [1, 'Every baker is a sailor. unknown'],
      ]),
    ).toEqual([
      {
        role: 'system',
        content: 'You are one of two debaters who take turns.',
      },
      { role: 'user', content: `${proponent} ${quote} Then answer ${word}` },
      { role: 'assistant', content: 'Ann is a baker. unknown' },
      {
        role: 'user',
        content: `The other debater says: "Every baker is a sailor. unknown" Consider what you have heard. Claim: Ann is kind. ${quote} Then answer again ${word}`,
      },
    ]);
    expect(lastOf('inTurn', 1, [[0, 'Ann is a baker. unknown']])).toBe(
      `${opponent} The other debater says: "Ann is a baker. unknown" ${quote} Then answer ${word}`,
    );
  });

  it('of a planner asks for one sentence, and that of an agent alone contains the evidence of both sides', () => {
    const one =
      'Write one sentence that you know and that matters for the claim. If the reasoner has answered, write [FINISH].';
    expect(lastOf('reMA', 0)).toBe(`${proponent} ${one}`);
    expect(
      lastOf('reMA', 0, [
        [0, 'Ann is a baker.'],
        [1, 'unknown'],
      ]),
    ).toBe(`The reasoner says: "unknown" ${one}`);
    expect(lastOf('reMA', 1, [[0, 'Ann is a baker.']])).toBe(
      `${opponent} The planner says: "Ann is a baker." ${quote} Then answer ${word}`,
    );
    expect(lastOf('single', 0)).toBe(
      `${proponent} You know: Every pilot is a miner. Every baker is a sailor. ${quote} Then answer ${word}`,
    );
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
    ['answer', 'Ann is a baker. unknown', ' Ann is a baker. unknown', true],
    [
      'answer',
      'Every baker is a sailor. No sailor is kind. contradicted',
      ' Every baker is a sailor. No sailor is kind. contradicted',
      true,
    ],
    ['answer', 'Ann is not a baker.', ' Ann is not a baker.', true],
    ['step', 'follows', ' follows', true],
    ['plan', 'Ann is a baker.', ' Ann is a baker.', true],
    ['plan', 'Ann is a baker. unknown', ' Ann is a baker. unknown'],
    ['plan', '', '', true],
    ['answer', '', ''],
    ['answer', 'Ann is a baker, so the claim follows.', ' Ann is a baker. follows'],
    [
      'answer',
      'I know that ANN ISN’T A BAKER and all bakers are sailors',
      ' Ann is not a baker. Every baker is a sailor.',
    ],
    ['tell', 'Contradicted, because no sailors are kind.', ' No sailor is kind. contradicted'],
    ['alone', 'A baker is a sailor. Bakers are not kind.', ' Every baker is a sailor. No baker is kind.'],
    ['answer', 'If Ann is a baker, the claim is true.', ' follows'],
    ['answer', 'Not every baker is a sailor. I do not know.', ' unknown'],
    ['answer', 'It is not true that Ann is a baker.', 'It is not true that Ann is a baker.'],
    ['answer', 'The claim does not follow.', ' unknown'],
    ['answer', 'It follows. It is not contradicted.', ' follows'],
    ['answer', 'follows, contradicted or unknown', 'follows, contradicted or unknown'],
    ['answer', 'Ann is a baker. No!', ' Ann is a baker. contradicted'],
    ['answer', 'Zoe is a cook. Ann is kind.', 'Zoe is a cook. Ann is kind.'],
    ['answer', 'Ann is a', 'Ann is a'],
    ['answer', 'Ann is a baker.<eot> unknown', ' Ann is a baker. unknown'],
  ])('of the duty %s, “%s”, is read as %s', (duty, text, expected, isExact = false) => {
    expect(read(duty, text)).toEqual({ text: expected, isExact });
    expect(read(duty, text, altered)).toEqual({ text: expected, isExact });
  });

  it('keeps its other words if the judge counts words', () => {
    const about = { ...problem, level: 4 };
    expect(read('answer', 'I think... Ann is a baker. follows follows', about)).toEqual({
      ...{ text: ' I. think. follows. Ann is a baker. follows', isExact: false },
    });
    expect(read('answer', 'Ann is a baker. Ann is a baker.', about).isExact).toBe(true);
  });

  readsAnyText(
    plain,
    plain.levels.map(({ level }) => ({ ...problem, level })),
    [
      'Ann',
      ' every',
      ' no ',
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
      ' or',
      ' if',
      ' yes',
    ],
  );
});

judgesAlike(plain, { isSame: false });
