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

describe('what is kept back', () => {
  const pair = ({ given }: Problem) => {
    const { thing, colour } = given as { thing: string; colour: string };
    return `${thing} ${colour}`;
  };

  it('is no pair of a thing and a colour that training asks', () => {
    const draws = new Draws(3, streams.problems, 1);
    const asked = new Set(Array.from({ length: 5_000 }, () => pair(world.draw(1, draws, 'training'))));
    expect(asked.size).toBe(trainedThings.length * colours.length);
    const kept = world.heldOut(1, 1_000);
    expect(new Set(kept.map(pair)).size).toBe(keptThings.length * colours.length);
    expect(kept.filter((one) => asked.has(pair(one)))).toEqual([]);
  });

  it('has every thing in every colour equally often, so that no rule without the message beats one in six', () => {
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

  it('is read as far as it goes where it was cut', async () => {
    const judged = await world.judge(problem, {
      role: 'reasoning',
      text: 'The hat is green',
      isFinish: false,
      isTruncated: true,
    });
    expect(judged.isRight).toBe(true);
  });
});

it('who tells is not paid for having told, but by what is answered', async () => {
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

  it('the planner is told the secret and asked to pass it on, the reasoner hears the message and is asked', () => {
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

  it('whoever knows and answers is asked, and whoever speaks again finds what he said as his own', () => {
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
});
