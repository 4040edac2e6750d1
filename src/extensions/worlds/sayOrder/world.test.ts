import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../../base/random.ts';
import { reasonInEnglish } from '../../../base/spoken.ts';
import { protocolsFor } from '../../../config/worlds/rules.ts';
import type { Problem } from '../../../records/problem.ts';
import { withWords } from '../../../tasks/inWords/inWordsFrom.ts';
import { usualPrompts } from '../../../tasks/inWords/prompts.ts';
import { battery } from '../../../tasks/testing/battery.ts';
import { inProtocol, spoken } from '../../../tasks/testing/trajectories.ts';
import { runners } from './form.ts';
import * as words from './words.ts';
import { world as untold } from './world.ts';

const world = withWords(untold, words);

battery(world, protocolsFor(world));

const problem: Problem = {
  ...{ id: 'a', world: 'sayOrder', level: 2, answer: 'Tom Anna Ben', slice: 'third' },
  shown: 'In which order did Anna, Ben and Tom arrive?',
  hidden: { secret: 'Anna came before Ben. Anna came after Tom.' },
  given: { arrived: ['Tom', 'Anna', 'Ben'], sentences: ['Anna came before Ben.', 'Anna came after Tom.'] },
};

const arrivedIn = ({ given }: Problem) => (given as { arrived: string[] }).arrived;

/** All orders of three runners that agree with every sentence of a secret. */
function consistent(secret: string, [a = '', b = '', c = '']: readonly string[]): string[] {
  const all = [
    [a, b, c],
    [a, c, b],
    [b, a, c],
    [b, c, a],
    [c, a, b],
    [c, b, a],
  ];
  const agrees = (order: readonly string[], sentence: string) => {
    const [one = '', , how, other = ''] = sentence.split(' ');
    const isBefore = order.indexOf(one) < order.indexOf(other);
    return how === 'before' ? isBefore : !isBefore;
  };
  const sentences = secret.split(/\.\s*/).filter((sentence) => sentence !== '');
  return all.filter((order) => sentences.every((one) => agrees(order, one))).map((order) => order.join(' '));
}

describe('the held-out problems', () => {
  const set = (one: Problem) => arrivedIn(one).toSorted().join(' ');

  it.each([1, 2])('have no set of runners from training at level %d', (level) => {
    const draws = new Draws(3, streams.problems, level);
    const asked = new Set(Array.from({ length: 6_000 }, () => set(world.draw(level, draws, 'training'))));
    const kept = new Set(world.heldOut(level, 300).map(set));
    expect(asked.size + kept.size).toBe(220); // 12 over 3
    expect([...kept].filter((one) => asked.has(one))).toEqual([]);
    expect(new Set([...asked].flatMap((one) => one.split(' ')))).toEqual(new Set<string>(runners));
  });

  it.each([1, 2])('have every order equally often at level %d', (level) => {
    expect(world.bestGuess?.(level, 36)).toBe(1 / 6);
    expect([world.ceiling(level, []), world.ceiling(level, ['secret'])]).toEqual([1 / 6, 1]);
  });

  it('are determined by both sentences of level 2, and by neither of them alone', () => {
    for (const { hidden, answer } of world.heldOut(2, 120)) {
      const secret = hidden['secret'] as string;
      const names = answer.split(' ');
      expect(consistent(secret, names)).toEqual([answer]);
      for (const sentence of secret.split(/(?<=\.) /)) expect(consistent(sentence, names)).toHaveLength(3);
    }
  });
});

it.each<[string, string | null]>([
  ['Tom Anna Ben', 'Tom Anna Ben'],
  [' tom, ANNA and Ben.', 'Tom Anna Ben'],
  ['Tom was first, Anna came after Tom, then Ben', 'Tom Anna Ben'],
  ['Anna, Tom, Ben', 'Anna Tom Ben'],
  ['Tom and Anna', null],
  ['Tom, Anna, Ben, Ida', null],
  ['Tomorrow Anna sees Ben on Friday', null],
  ['', null],
])('the answer “%s” is %s', async (text, answer) => {
  const judged = await world.judge(problem, { role: 'reasoning', text, isFinish: false });
  const isRight = answer === 'Tom Anna Ben';
  expect(judged).toEqual({ answer, isRight, score: isRight ? 1 : 0 });
});

it.each<[string, number, number]>([
  [' Tom, Anna, Ben', 1, 1],
  ['Anna, Tom, Ben', 0, 1],
  ['Tom, Anna', 0, 0],
  ['', 0, 0],
])('the message “%s” tells %d, in a form that earns %d', async (text, told, format) => {
  const found = await world.assess(
    problem,
    spoken([`${text}<eot>`, ' Anna Ben<eot>'], 'metaThinking', 'reasoning'),
    inProtocol(world, 'tell'),
  );
  expect(found.perTurn[0]?.parts).toMatchObject({ told, format, rightAnswer: 0 });
  expect(reasonInEnglish(found.perTurn[1]?.reason ?? [])).toBe(
    'the answer was Tom Anna Ben, but no order was given; the team says nothing',
  );
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
        'You know a secret: Anna came before Ben. Anna came after Tom. Your friend does not know it. Tell your friend the order: write the three names, the winner first.',
    },
  ]);
  expect(chat('answer', [], [' Tom, Anna, Ben '])).toEqual([
    {
      role: 'user',
      content:
        'Your friend says: "Tom, Anna, Ben" In which order did Anna, Ben and Tom arrive? Answer with the three names, the winner first.',
    },
  ]);
});

it('a typed problem is accepted, or refused with the expected form', () => {
  const { read } = world;
  const asked = {
    shown: 'in which order did ben, anna, and tom arrive?',
    hidden: { secret: 'Anna came before ben. anna came after Tom' },
  };
  expect(read?.(asked, 2)).toMatchObject({
    ...{ answer: 'Tom Anna Ben', shown: problem.shown },
    hidden: { secret: 'Anna came before Ben. Anna came after Tom.' },
  });
  const direct = { ...asked, hidden: { secret: 'Tom came first, Anna second and Ben third' } };
  expect(read?.(direct, 1)).toMatchObject({ answer: 'Tom Anna Ben', slice: 'third' });
  expect(() => read?.({ ...asked, shown: 'In which order did Anna and Ben arrive?' }, 2)).toThrow(/^the question:/);
  expect(() => read?.({ ...asked, shown: 'In which order did Anna, Ben and Zoe arrive?' }, 2)).toThrow(
    /^the question: expected “In which order did Anna, Ben and Tom arrive\?”/,
  );
  for (const secret of [
    'Anna came before Ben.',
    'Anna came before Ben. Ben came before Anna.',
    'Anna came before Ben. Anna came before Tom.', // two orders are possible
    'Anna came before Ben. Anna came after Ida.',
    'Tom came first, Anna second and Ben third.',
    '',
  ])
    expect(() => read?.({ ...asked, hidden: { secret } }, 2)).toThrow(/^the secret: expected the order of Anna, Ben/);
  expect(() => read?.(asked, 1)).toThrow(/such as “Tom came first, Anna second and Ben third.”/);
});
