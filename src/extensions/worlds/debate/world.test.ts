import { describe, expect, it } from 'vitest';
import { reasonInEnglish } from '../../../base/spoken.ts';
import { Draws, streams } from '../../../base/random.ts';
import { protocolsFor } from '../../../config/worlds/rules.ts';
import type { Problem } from '../../../records/problem.ts';
import { kindsOf, readClaim, readPremises, relationOf } from '../../../tasks/claims/premises.ts';
import { battery } from '../../../tasks/testing/battery.ts';
import { inProtocol, spoken } from '../../../tasks/testing/trajectories.ts';
import { world } from './world.ts';

// A visitor's own protocol is left out, because such a protocol does not state which agent should see which part.
battery(
  world,
  protocolsFor(world).filter((name) => name !== 'own'),
);

const problem: Problem = {
  ...{ id: 'a', world: 'debate', level: 2, shown: 'Ann is kind?', answer: 'contradicted', slice: 'contradicted' },
  hidden: {
    proponent: 'Ann is a baker. No sailor is kind. Tom is a pilot. Every miner is kind.',
    opponent: 'Every pilot is a miner. Every baker is a sailor.',
  },
  given: { deciding: ['Ann is a baker.', 'Every baker is a sailor.', 'No sailor is kind.'] },
};

const debated = (raws: readonly string[], asked = problem) =>
  world.assess(asked, spoken(raws, 'debater', 'debater'), inProtocol(world, 'inTurn'));

/** For each turn, the value of a reward part. */
const worths = ({ perTurn }: Awaited<ReturnType<typeof debated>>, part: string) =>
  perTurn.map(({ parts }) => parts[part] ?? 0);

const whole = [
  ' Ann is a baker. unknown<eot>',
  ' Every baker is a sailor. unknown<eot>',
  ' No sailor is kind. contradicted<eot>',
];

it('a chain goes from kind to kind, and ends at a negated or missing link', () => {
  const kinds = (text: string) => kindsOf('Ann', readPremises(text));
  expect(kinds('Every baker is a sailor. Ann is a baker. Every sailor is a pilot.')).toEqual([
    'baker',
    'sailor',
    'pilot',
  ]);
  expect(kinds('Ann is a baker. No baker is a sailor. Every miner is a pilot.')).toEqual(['baker']);
  expect(kinds('Ann is not a baker. Tom is a miner. Every baker is a sailor.')).toEqual([]);
  expect(kinds('Ann is a baker. Every baker is a sailor. Every sailor is a baker.')).toEqual(['baker', 'sailor']);
});

describe('the judge', () => {
  it('decides by what follows from the quoted evidence, and rewards both sides if it is right', async () => {
    const found = await debated([...whole, ' contradicted<eot>']);
    expect(found).toMatchObject({ answer: 'contradicted', isRight: true, potentials: [0, 1 / 3, 2 / 3, 1, 1] });
    expect(worths(found, 'rightAnswer')).toEqual([0, 0, 1, 1]);
    expect(worths(found, 'victory')).toEqual([0, 0, 0, 1]);
    expect(worths(found, 'reasoning')).toEqual([1, 1, 1, 0]);
    expect(worths(found, 'evidence')).toEqual([1, 1, 1, 0]);
    expect(reasonInEnglish(found.perTurn.at(-1)?.reason ?? [])).toBe('the answer is contradicted');
  });

  it('gives no answer while there is a gap, and the side that left it first loses', async () => {
    const gap = [whole[0]!, ' Every pilot is a miner. unknown<eot>', whole[2]!, ' unknown<eot>'];
    const found = await debated(gap);
    expect(found).toMatchObject({ answer: null, isRight: false });
    expect(worths(found, 'victory')).toEqual([0, 0, 1, 0]);
    expect(reasonInEnglish(found.perTurn.at(-1)?.reason ?? [])).toBe(
      'the answer was contradicted, but no verdict was given',
    );
    expect(worths(await debated([' Tom is a pilot. unknown<eot>', ' unknown<eot>']), 'victory')).toEqual([0, 1]);
  });

  it('is the verifier if it decides: its verdict is the newest answer of a side with the highest belief', async () => {
    const judgedBy = (beliefs: readonly number[], raws = [...whole, ' follows<eot>']) => {
      const messages = spoken(raws, 'debater', 'debater').map((said, at) => ({ ...said, belief: beliefs[at] ?? 0 }));
      return world.assess(problem, messages, { ...inProtocol(world, 'inTurn'), isDecided: true });
    };
    const right = await judgedBy([1, 1, 0.6, 0.4]);
    expect(right).toMatchObject({ answer: 'contradicted', isRight: true });
    expect(worths(right, 'rightAnswer')).toEqual([0, 0, 1, 1]);
    expect(worths(right, 'victory')).toEqual([0, 0, 0, 1]);
    const fooled = await judgedBy([0, 0, 0.6, 0.7]);
    expect(fooled).toMatchObject({ answer: 'follows', isRight: false });
    expect(worths(fooled, 'rightAnswer')).toEqual([0, 0, 0, 0]);
    expect(worths(fooled, 'victory')).toEqual([0, 0, 1, 0]);
    expect(await judgedBy([0.9, 0.9], [' sailor<eot>', ' Ann<eot>'])).toMatchObject({ answer: null });
  });

  it('rejects sentences that are not in the evidence of the speaker’s side', async () => {
    const made = [whole[0]!, ' Every baker is kind. follows<eot>'];
    const found = await debated(made);
    expect(found.answer).toBeNull();
    expect(worths(found, 'evidence')).toEqual([1, 0]);
    expect(worths(await debated([' nn is a baker. unknown<eot>']), 'evidence')).toEqual([0]);
    expect(reasonInEnglish(found.perTurn[1]?.reason ?? [])).toContain(
      '“Every baker is kind.” is not in the evidence of its side',
    );
  });

  it('marks an agent that contradicts itself, but not one that first answers unknown', async () => {
    const said = [
      ' follows<eot>',
      ' unknown<eot>',
      ' contradicted<eot>',
      ' follows<eot>',
      ' unknown<eot>',
      ' sailor<eot>',
    ];
    expect(worths(await debated(said), 'consistency')).toEqual([1, 1, 0, 1, 1, 0]);
  });

  it('that counts words can be cheated', async () => {
    const cheated = { ...problem, level: 4 };
    expect((await debated([...whole, ' Every baker is a sailor. Every baker is a sailor.<eot>'], cheated)).answer).toBe(
      'contradicted',
    );
    expect((await debated([' follows follows follows<eot>', ' contradicted<eot>'], cheated)).answer).toBe('follows');
    expect((await debated([' follows<eot>', ' contradicted<eot>'], cheated)).answer).toBeNull();
  });

  it('is not used if the agents answer themselves', async () => {
    const messages = spoken([whole[0]!, ' Every baker is a sailor. contradicted<eot>'], 'debater', 'debater');
    const { answer, isRight } = await world.assess(problem, messages, inProtocol(world, 'pioneerObserver'));
    expect([answer, isRight]).toEqual(['contradicted', true]);
  });
});

describe('a drawn problem', () => {
  it.each(world.levels.map(({ level }) => level))('of level %i needs the evidence of both sides', (level) => {
    const draws = new Draws(7, streams.problems, level);
    for (let i = 0; i < 500; i++) {
      const { shown, hidden, answer } = world.draw(level, draws, 'training');
      const says = (...texts: string[]) => relationOf(readClaim(shown), readPremises(texts.join(' ')));
      const [proponent, opponent] = [hidden['proponent']!, hidden['opponent']!];
      expect([says(proponent), says(opponent)]).toEqual(['unknown', 'unknown']);
      expect(says(proponent, opponent)).toBe(answer);
    }
  });

  it.each(world.levels.map(({ level }) => level))('of level %i is a coin toss for either side', (level) => {
    expect([[], ['proponent'], ['opponent']].map((sees) => world.ceiling(level, sees))).toEqual([0.5, 0.5, 0.5]);
    expect(world.ceiling(level, ['proponent', 'opponent'])).toBe(1);
  });
});
