import { describe, expect, it } from 'vitest';
import { reasonInEnglish } from '../../../base/spoken.ts';
import { Draws, streams } from '../../../base/random.ts';
import { colours, keptThings, things, trainedThings } from './form.ts';
import { protocolsFor } from '../../../config/worlds/rules.ts';
import type { Problem } from '../../../records/problem.ts';
import { usualPrompts } from '../../../tasks/inWords/prompts.ts';
import { battery } from '../../../tasks/testing/battery.ts';
import { inProtocol, spoken } from '../../../tasks/testing/trajectories.ts';
import type { HeardInWords, SpeakerInWords } from '../../../tasks/world.ts';
import * as words from './words.ts';
import { withWords } from '../../../tasks/inWords/inWordsFrom.ts';
import { world as untold } from './world.ts';

const world = withWords(untold, words);

battery(world, protocolsFor(world));

const problem: Problem = {
  ...{ id: 'a', world: 'passItOn', level: 1, shown: 'What colour is the hat?', answer: 'green', slice: 'green' },
  hidden: { secret: 'Tell Anna: the hat is green.' },
  given: { thing: 'hat', colour: 'green', friend: 'Anna' },
};

const twoThings: Problem = {
  ...{ id: 'b', world: 'passItOn', level: 2, answer: 'green blue', slice: 'green' },
  shown: 'What colour is the hat? What colour is the cup?',
  hidden: { secret: 'Tell Anna: the hat is green. Tell Anna: the cup is blue.' },
  given: { thing: 'hat', colour: 'green', friend: 'Anna', second: { thing: 'cup', colour: 'blue' } },
};

describe('the held-out problems', () => {
  const pair = ({ given }: Problem) => {
    const { thing, colour } = given as { thing: string; colour: string };
    return `${thing} ${colour}`;
  };

  it('have no pair of a thing and a colour from training', () => {
    const draws = new Draws(3, streams.problems, 1);
    const asked = new Set(Array.from({ length: 5_000 }, () => pair(world.draw(1, draws, 'training'))));
    expect(asked.size).toBe(trainedThings.length * colours.length);
    const kept = world.heldOut(1, 1_000);
    expect(new Set(kept.map(pair)).size).toBe(keptThings.length * colours.length);
    expect(kept.filter((one) => asked.has(pair(one)))).toEqual([]);
  });

  it('have each thing in each colour equally often, so only the message helps to beat one in six', () => {
    const kept = world.heldOut(1, 1_000);
    expect(kept).toHaveLength(keptThings.length * colours.length * 8);
    for (const thing of things) {
      const about = kept.filter(({ shown }) => shown === `What colour is the ${thing}?`);
      const times = colours.map((colour) => about.filter(({ answer }) => answer === colour).length);
      expect(new Set(times).size).toBe(1);
    }
    expect(world.ceiling(1, [])).toBe(1 / 6);
    expect(world.ceiling(1, ['secret'])).toBe(1);
    for (const count of [36, 72, 288]) expect(world.bestGuess?.(1, count)).toBe(1 / 6);
  });

  it('have two things of different colours at level 2', () => {
    const kept = world.heldOut(2, 360);
    expect(kept).toHaveLength(360);
    for (const { given, answer } of kept) {
      const { thing, second } = given as { thing: string; second: { thing: string } };
      expect(new Set([thing, second.thing]).size).toBe(2);
      expect(keptThings).toContain(thing);
      expect(keptThings).toContain(second.thing);
      expect(new Set(answer.split(' ')).size).toBe(2);
    }
    expect(world.ceiling(2, [])).toBe(1 / 30);
    expect(world.bestGuess?.(2, 360)).toBeLessThan(0.06);
  });
});

describe('an answer', () => {
  it.each<[string, string | null]>([
    ['green', 'green'],
    [' Green.', 'green'],
    ['It is GREEN!', 'green'],
    ['greenish', 'green'],
    ['the green hat, not the grey one', 'green'],
    ['green or blue', null],
    ['red', 'red'],
    ['coloured blue', null], // colou-red
    ['purple', null],
    ['', null],
  ])('“%s” is %s', async (text, answer) => {
    const judged = await world.judge(problem, { role: 'reasoning', text, isFinish: false });
    expect(judged).toEqual({ answer, isRight: answer === 'green', score: answer === 'green' ? 1 : 0 });
  });

  it.each<[string, string | null]>([
    ['green blue', 'green blue'],
    ['The hat is Green, and the cup is blue.', 'green blue'],
    ['blue and green', 'blue green'],
    ['green, blue or red', null],
    ['green', null],
    ['green green', null],
  ])('“%s” is %s if two colours are asked for', async (text, answer) => {
    const judged = await world.judge(twoThings, { role: 'reasoning', text, isFinish: false });
    expect(judged).toEqual({ answer, isRight: answer === 'green blue', score: answer === 'green blue' ? 1 : 0 });
  });

  it('is read even if it was cut', async () => {
    const judged = await world.judge(problem, {
      role: 'reasoning',
      text: 'The hat is green',
      isFinish: false,
      isTruncated: true,
    });
    expect(judged.isRight).toBe(true);
  });
});

it('the planner is rewarded for the answer, not for telling', async () => {
  const raws = [' the hat is green<eot>', ' blue<eot>'];
  const found = await world.assess(problem, spoken(raws, 'metaThinking', 'reasoning'), inProtocol(world, 'tell'));
  expect(found).toMatchObject({ answer: 'blue', isRight: false, potentials: [0, 0.5, 0.5] });
  expect(found.perTurn.map(({ parts }) => [parts['told'], parts['rightAnswer']])).toEqual([
    [1, 0],
    [0, 0],
  ]);
  expect(found.perTurn.map(({ isRight }) => isRight)).toEqual([undefined, false]);
  expect(found.perTurn.map(({ reason }) => reasonInEnglish(reason))).toEqual([
    '',
    'the answer was green, but blue was given; the team says blue',
  ]);
});

it.each([
  ['the hat is green. the cup is blue', 1],
  ['the cup is blue and the hat is green', 1],
  ['green and blue', 1],
  ['blue and green', 0],
  ['the cup is green and the hat is blue', 0],
  ['the hat is green', 0],
  ['the hat is green, the cup is blue, the bag is red', 0],
])('“%s” counts as telling two things: %i', async (text, told) => {
  const messages = spoken([` ${text}<eot>`, ' green blue<eot>'], 'metaThinking', 'reasoning');
  const { perTurn } = await world.assess(twoThings, messages, inProtocol(world, 'tell'));
  expect(perTurn.map(({ parts }) => [parts['told'], parts['rightAnswer']])).toEqual([
    [told, 0],
    [0, 1],
  ]);
});

describe('a typed problem', () => {
  const read = (shown: string, secret: string, level = 2) => world.read?.({ shown, hidden: { secret } }, level);

  it('may name the two things in any order, in capital or small letters', () => {
    const { id: _, ...wanted } = twoThings;
    const typed = 'what colour is the Hat? What colour is the cup?';
    expect(read(typed, 'Tell anna: the cup is Blue. Tell Anna: the hat is green')).toMatchObject(wanted);
  });

  it.each([
    ['What colour is the hat?', twoThings.hidden['secret'] ?? '', /question: expected “What colour is the hat\? What/],
    ['What colour is the hat? What colour is the hat?', twoThings.hidden['secret'] ?? '', /question/],
    ['What colour is the sky? What colour is the hat?', twoThings.hidden['secret'] ?? '', /question/],
    [twoThings.shown, 'Tell Anna: the hat is green.', /secret: expected “Tell Anna: the hat is green\. Tell/],
    [twoThings.shown, 'Tell Anna: the hat is green. Tell Ben: the cup is blue.', /secret/],
    [twoThings.shown, 'Tell Anna: the hat is green. Tell Anna: the cup is green.', /secret/],
    [twoThings.shown, 'Tell Anna: the hat is green. Tell Anna: the bag is blue.', /secret/],
    [twoThings.shown, 'nothing', /secret/],
  ])('“%s” with “%s” is refused', (shown, secret, fault) => {
    expect(() => read(shown, secret)).toThrow(fault);
  });
});

describe('in plain words', () => {
  const chat = (speaker: Partial<SpeakerInWords>) =>
    world.inWords?.chat(
      problem,
      { agent: 0, role: 'metaThinking', duty: 'tell', sees: [], heard: [], ...speaker },
      { usual: [usualPrompts], chosen: {} },
    );
  const heard = (text: string, isOwn = false): HeardInWords => ({ role: 'metaThinking', agent: 0, isOwn, text });
  const tell =
    'You know a secret: the hat is green. Your friend Anna does not know it. Write one short sentence that tells your friend the colour of the hat.';
  const question = 'What colour is the hat? Answer with one word.';

  it('the planner gets the secret and the task to pass it on, and the reasoner the message and the question', () => {
    expect(chat({ sees: ['secret'] })).toEqual([{ role: 'user', content: tell }]);
    expect(chat({ role: 'reasoning', duty: 'answer', heard: [heard(' The hat is green. ')] })).toEqual([
      { role: 'user', content: `Your friend says: "The hat is green." ${question}` },
    ]);
  });

  it('a message that was withheld is empty', () => {
    expect(chat({ role: 'reasoning', duty: 'answer', heard: [heard('')] })).toEqual([
      { role: 'user', content: `Your friend says: "" ${question}` },
    ]);
  });

  it('an agent that answers gets the question, and earlier messages of the speaker are its own', () => {
    expect(chat({ role: 'reasoning', duty: 'answer', sees: ['secret'] })?.[0]?.content).toBe(
      `You know a secret: the hat is green. Your friend Anna does not know it. ${question}`,
    );
    expect(chat({ sees: ['secret'], heard: [heard('It is green.', true), heard('green')] })).toEqual([
      { role: 'user', content: tell },
      { role: 'assistant', content: 'It is green.' },
      {
        role: 'user',
        content: 'Your friend says: "green" Write one short sentence that tells your friend the colour of the hat.',
      },
    ]);
  });

  it('two things are named in one sentence', () => {
    const two = (speaker: Partial<SpeakerInWords>) =>
      world.inWords?.chat(
        twoThings,
        { agent: 0, role: 'metaThinking', duty: 'tell', sees: [], heard: [], ...speaker },
        { usual: [usualPrompts], chosen: {} },
      )[0]?.content;
    expect(two({ sees: ['secret'] })).toBe(
      'You know a secret: the hat is green and the cup is blue. Your friend Anna does not know it. Write one short sentence that tells your friend the colour of the hat and the cup.',
    );
    expect(two({ role: 'reasoning', duty: 'answer' })).toBe(`${twoThings.shown} Answer with two words.`);
    const plan = { agent: 0, role: 'metaThinking', duty: 'tell', text: ' the hat is green. the cup is blue' } as const;
    expect(world.inWords?.toWords(twoThings, plan)).toBe('the hat is green and the cup is blue');
  });
});
