import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../../base/random.ts';
import { reasonInEnglish } from '../../../base/spoken.ts';
import { protocolsFor } from '../../../config/worlds/rules.ts';
import type { Problem } from '../../../records/problem.ts';
import { usualPrompts } from '../../../tasks/inWords/prompts.ts';
import { battery } from '../../../tasks/testing/battery.ts';
import { inProtocol, spoken } from '../../../tasks/testing/trajectories.ts';
import { animals, answersAt, legsOf, owners } from './form.ts';
import * as words from './words.ts';
import { withWords } from '../../../tasks/inWords/inWordsFrom.ts';
import { world as untold } from './world.ts';

const world = withWords(untold, words);

battery(world, protocolsFor(world));

const problem: Problem = {
  ...{ id: 'a', world: 'legs', level: 2, shown: 'How many legs do the animals of Anna have?', answer: '6', slice: '6' },
  hidden: { secret: 'Anna has a hen and a cow.' },
  given: { owner: 'Anna', animals: ['hen', 'cow'] },
};

describe('a held-out problem', () => {
  const pair = ({ given }: Problem) => [...(given as { animals: string[] }).animals].sort().join(' ');

  it('has no pair of animals of training in either order, and at level 1 no trained owner', () => {
    const asked = (level: number) => {
      const draws = new Draws(3, streams.problems, level);
      return Array.from({ length: 12_000 }, () => world.draw(level, draws, 'training'));
    };
    const [ofOne, ofTwo] = [asked(1), asked(2)];
    const training = new Set(ofTwo.map(pair));
    const kept = new Set(world.heldOut(2, 2_000).map(pair));
    expect(training.size + kept.size).toBe((animals.length * (animals.length - 1)) / 2);
    expect([...kept].filter((one) => training.has(one))).toEqual([]);
    const owned = new Set(ofOne.map(({ id }) => id));
    const keptOwned = world.heldOut(1, 2_000).map(({ id }) => id);
    expect(owned.size + keptOwned.length).toBe(animals.length * owners.length);
    expect(keptOwned.filter((id) => owned.has(id))).toEqual([]);
    // Every animal occurs in training.
    for (const drawn of [ofOne, ofTwo])
      expect(new Set(drawn.flatMap((one) => pair(one).split(' ')))).toEqual(new Set<string>(animals));
  });

  it.each([1, 2] as const)('of level %d has every answer equally often', (level) => {
    const answers: readonly string[] = answersAt[level];
    const count = 4 * answers.length;
    const kept = world.heldOut(level, count);
    for (const sum of answers) expect(kept.filter(({ answer }) => answer === sum)).toHaveLength(4);
    expect([world.ceiling(level, []), world.ceiling(level, ['secret'])]).toEqual([1 / answers.length, 1]);
    expect(world.bestGuess?.(level, count)).toBe(1 / answers.length);
    for (const { answer, given } of kept) {
      const legs = (given as { animals: (keyof typeof legsOf)[] }).animals.map((animal) => legsOf[animal]);
      expect(String(legs.reduce<number>((sum, one) => sum + one, 0))).toBe(answer);
    }
  });
});

it.each<[string, string | null]>([
  ['6', '6'],
  [' 6.', '6'],
  ['They have six legs.', '6'],
  ['2 + 4 = 6', null],
  ['6 legs, really 6', '6'],
  ['sixteen', '16'],
  ['16', '16'],
  ['a hen and a cow', null],
  ['', null],
])('the answer “%s” is %s', async (text, answer) => {
  const judged = await world.judge(problem, { role: 'reasoning', text, isFinish: false });
  expect(judged).toEqual({ answer, isRight: answer === '6', score: answer === '6' ? 1 : 0 });
});

it.each<[string, number, number]>([
  [' Anna has a hen and a cow', 1, 1],
  ['Anna has 1 cow and 2 hens.', 1, 1],
  ['a hen', 0, 0],
  ['a hen, a cow and a dog', 0, 0],
  ['a hen and a dog', 0, 1],
  ['', 0, 0],
])('the message “%s” tells %d, in a form that earns %d', async (text, told, format) => {
  const found = await world.assess(
    problem,
    spoken([`${text}<eot>`, ' 6<eot>'], 'metaThinking', 'reasoning'),
    inProtocol(world, 'tell'),
  );
  expect(found.perTurn[0]?.parts).toMatchObject({ told, format, rightAnswer: 0 });
  expect(found.perTurn[1]?.parts).toMatchObject({ told: 0, format: 1, rightAnswer: 1 });
  expect(reasonInEnglish(found.perTurn[1]?.reason ?? [])).toBe('the answer is 6; the team says 6');
});

it('a chat model gets the secret only as the planner', () => {
  const chat = (duty: 'tell' | 'answer', sees: string[], heard: string[] = []) =>
    world.inWords?.chat(
      problem,
      {
        ...{ agent: 0, role: 'metaThinking', duty, sees },
        heard: heard.map((text) => ({ role: 'metaThinking', agent: 0, isOwn: false, text })),
      },
      { usual: [usualPrompts], chosen: {} },
    );
  expect(chat('tell', ['secret'])).toEqual([
    {
      role: 'user',
      content:
        'You know a secret: Anna has a hen and a cow. Your friend does not know it. Write one short sentence that tells your friend which animals Anna has.',
    },
  ]);
  expect(chat('answer', [], [' Anna has a hen and a cow '])).toEqual([
    {
      role: 'user',
      content:
        'Your friend says: "Anna has a hen and a cow" How many legs do the animals of Anna have? Answer with one number.',
    },
  ]);
});

it('a typed problem is accepted, or refused with the expected form', () => {
  const { read } = world;
  const asked = {
    shown: 'how many legs do the animals of anna have?',
    hidden: { secret: 'Anna has an ant and a bee' },
  };
  expect(read?.(asked, 2)).toMatchObject({ answer: '12', given: { animals: ['ant', 'bee'] } });
  expect(() => read?.({ ...asked, shown: 'How many arms?' }, 2)).toThrow(/^the question: expected/);
  expect(read?.({ ...asked, hidden: { secret: 'Anna has an owl.' } }, 1)).toMatchObject({ answer: '2' });
  expect(() => read?.(asked, 1)).toThrow(/^the secret: expected “Anna has a hen.”/);
  for (const secret of [
    'Anna has an owl.',
    'Anna has an ant and an ant.',
    'Ben has an ant and a bee.',
    'Anna has a cat and a snake.',
    '',
  ])
    expect(() => read?.({ ...asked, hidden: { secret } }, 2)).toThrow(/^the secret: expected/);
});
